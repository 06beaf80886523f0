import { CATALOGUE, HOOK_EVENTS } from '../src/events/catalogue.js';
import type { EventSpec } from '../src/events/spec.js';

/** The diagram's own words; the colours of the events are made from the catalogue. Rounded boxes are what the harness does. */
const FLOW = `flowchart TD
  subgraph opening ["The session opens"]
    Setup -.->|where it is asked for| SessionStart --> InstructionsLoaded
  end
  InstructionsLoaded --> UserPromptSubmit
  subgraph turn ["Every prompt"]
    UserPromptSubmit --> model(["model call"])
    UserPromptSubmit -->|a command| UserPromptExpansion --> model
    model -->|text to show| MessageDisplay
    model -->|each tool call| PreToolUse
    subgraph tool ["Every tool call"]
      PreToolUse -->|allow| run(["the tool runs"])
      PreToolUse -->|deny| denied(["error result for the model"])
      PreToolUse -->|ask, or nobody spoke| PermissionRequest
      PreToolUse -->|denied without asking| PermissionDenied --> denied
      PermissionRequest -->|allow| run
      PermissionRequest -->|deny| denied
      run -->|an MCP server asks| Elicitation --> ElicitationResult --> run
      run -->|done| PostToolUse
      run -->|error or interruption| PostToolUseFailure
    end
    PostToolUse --> PostToolBatch
    PostToolUseFailure --> PostToolBatch
    denied --> PostToolBatch
    PostToolBatch -->|next model call| model
    model -->|nothing more to do| Stop
    Stop -->|a hook goes on| model
    model -->|API error| StopFailure
  end
  subgraph agent ["Every subagent, in a scope of its own"]
    SubagentStart --> loop(["the same loop"]) --> SubagentStop
    SubagentStop -->|a hook goes on| loop
  end
  subgraph compaction ["Every compaction"]
    PreCompact --> compact(["the summary is made"]) --> again["SessionStart (compact)"] --> PostCompact
  end
  run -->|the tool spawns an agent| SubagentStart
  SubagentStop -->|the tool's result| PostToolUse
  model -->|the context is full| PreCompact
  PostCompact --> model
  Stop -->|next prompt| UserPromptSubmit
  Stop --> SessionEnd
  StopFailure --> SessionEnd
  subgraph anytime ["At any time, in a turn or between two"]
    Notification
    PreModelSwitch -->|not denied| PostModelSwitch
    TaskCreated -->|worked on| TaskCompleted
    TeammateIdle
    ConfigChange
    CwdChanged
    DirectoryAdded
    FileChanged
    WorktreeCreate -->|used| WorktreeRemove
  end`;

const COLOURS: Record<EventSpec['fold'], string> = {
  gate: 'fill:#fde2e1,stroke:#b3261e,color:#1f1f1f',
  block: 'fill:#fdeccf,stroke:#a15c00,color:#1f1f1f',
  stop: 'fill:#e6e0f8,stroke:#5b3fa8,color:#1f1f1f',
  context: 'fill:#dcebfd,stroke:#1a5fb4,color:#1f1f1f',
  replace: 'fill:#dff3e2,stroke:#1e7a34,color:#1f1f1f',
  observe: 'fill:#eeeeee,stroke:#777777,color:#1f1f1f',
};
const FOLDS = Object.keys(COLOURS) as EventSpec['fold'][];

/** What a hook can do on an event, each in a word or two; empty: it cannot. The table's columns, in their order. */
export const CAPABILITIES: Readonly<Record<string, (spec: EventSpec) => string>> = {
  'Deny or block': (spec) => {
    if (spec.fold === 'gate') return 'deny';
    if (spec.fold === 'block') return spec.exit2 === 'feedback' ? 'feedback' : `block${except(spec)}`;
    if (spec.fold !== 'replace' || spec.exit2 !== 'block') return '';
    return spec.blockValue === undefined ? 'fail' : 'decline';
  },
  'Suppress output': ({ hides }) => hides ?? '',
  'Inject context': ({ output }) => ('additionalContext' in output.shape ? 'yes' : ''),
  'Modify input': ({ fold, rewrites }) => (fold === 'gate' && rewrites ? code(rewrites.field) : ''),
  'Modify output': ({ fold, rewrites, value }) =>
    fold === 'gate' ? '' : (rewrites ? [rewrites.field] : (value ?? [])).map(code).join(', '),
  // Where a failure must not block, a block means: go on working.
  'Continue override': ({ fold, failure }) => (fold === 'stop' ? 'yes' : failure === 'ignored' ? 'by a block' : ''),
  'End the loop': ({ endsLoop, interrupts }) => (interrupts ? 'interrupt' : endsLoop ? 'yes' : ''),
};

/** docs/lifecycle.md: where every event has its place, and what a hook can do there. */
export function lifecyclePage(): string {
  const entries: EventSpec[] = HOOK_EVENTS.map((name) => CATALOGUE[name]);
  return [
    '# Lifecycle',
    'This page shows when each event is fired, and what a hook can do there. A session, `host.openSession()`, fires every event at its place. A harness (the program around the model) that calls `host.fire()` itself should follow this picture. Generated from `src/events` by `npm run generate`.',
    '## When each event is fired',
    `\`\`\`mermaid\n${[FLOW, ...classes(entries)].join('\n')}\n\`\`\``,
    `Boxes are events; rounded boxes are steps of the harness. The colour is the [kind](events.md): ${FOLDS.map((fold) => `${fold} (${count(entries, fold)})`).join(', ')}.`,
    [
      "- PreToolUse hooks run before the harness's own rules, which judge the final input. A hook's allow never overrules a rule's deny.",
      "- A subagent's events are those of the loop above, fired in its own scope. Its Stop is SubagentStop. Its prompt comes from its parent and fires no UserPromptSubmit.",
      '- An interruption ends a running tool with PostToolUseFailure and fires no Stop, and no SubagentStop: the scopes of interrupted subagents end without one.',
      '- The calls of one model turn may run in parallel; PostToolBatch waits for all of them. An adapter waits two seconds at most for a call that its framework no longer waits for; that call then ends on its own.',
    ].join('\n'),
    '## What a hook can do there',
    table(
      ['Event', 'Kind', ...Object.keys(CAPABILITIES)],
      entries.map((spec) => [
        `[${spec.name}](events.md#${spec.name.toLowerCase()})`,
        spec.fold,
        ...Object.values(CAPABILITIES).map((say) => say(spec)),
      ]),
    ),
    [
      '- **Deny or block**: `deny` and `block` prevent the action. `feedback` tells the model, because the action has already happened. `decline` answers in place of the user. `fail` means that nothing is created.',
      "- **Suppress output**: what `suppressOutput` hides, if a hook from code says it. In Claude Code's files it hides nothing, as in the client.",
      '- **Inject context**: `additionalContext`, for the model. A hook can give a `systemMessage`, for the user, on every event.',
      '- **Modify input**, **modify output**: the field of the input that a hook may replace, or the value that it returns.',
      '- **Continue override**: the agent continues although it was about to stop.',
      "- **End the loop**: `continue: false` ends the agent's loop. On the other events it is recorded only.",
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

const code = (word: string): string => `\`${word}\``;
const count = (entries: readonly EventSpec[], fold: string): number => entries.filter((e) => e.fold === fold).length;
const except = ({ unblockable }: EventSpec): string =>
  unblockable ? `, but not ${unblockable.map(code).join(', ')}` : '';

function classes(entries: readonly EventSpec[]): string[] {
  return FOLDS.flatMap((fold) => [
    `  classDef ${fold} ${COLOURS[fold]}`,
    `  class ${entries
      .filter((e) => e.fold === fold)
      .map((e) => e.name)
      .join(',')} ${fold}`,
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
