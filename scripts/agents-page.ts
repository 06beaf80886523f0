import { AGENT_NAMES, agentCodec } from '../src/agents/agents.js';
import type { Codec } from '../src/agents/codec.js';
import { type AgentSupport, supportOf } from '../src/agents/supports.js';
import type { EventRow, Sayable } from '../src/agents/table.js';
import { HOOK_EVENTS } from '../src/events/catalogue.js';
import { agentRuns } from './agents-runs.js';

const MARKERS = [
  '<!-- generated from src/agents by npm run generate -->',
  '<!-- end of what is generated -->',
] as const;

/** What people ask first, and the events on which it can be asked. */
const QUESTIONS: readonly (readonly [question: string, event: string, what: Sayable])[] = [
  ['deny a tool', 'PreToolUse', 'deny'],
  ['ask the user about a tool', 'PreToolUse', 'ask'],
  ['allow a tool', 'PreToolUse', 'allow'],
  ["rewrite a tool's input", 'PreToolUse', 'rewrite'],
  ['context before a tool', 'PreToolUse', 'context'],
  ['end the loop before a tool', 'PreToolUse', 'stop'],
  ['deny a permission request', 'PermissionRequest', 'deny'],
  ['allow a permission request', 'PermissionRequest', 'allow'],
  ['feedback after a tool', 'PostToolUse', 'block'],
  ['context after a tool', 'PostToolUse', 'context'],
  ["rewrite a tool's output", 'PostToolUse', 'rewrite'],
  ['end the loop after a tool', 'PostToolUse', 'stop'],
  ['context after a failure', 'PostToolUseFailure', 'context'],
  ['block a prompt', 'UserPromptSubmit', 'block'],
  ['context with a prompt', 'UserPromptSubmit', 'context'],
  ['context at the start', 'SessionStart', 'context'],
  ['go on instead of stopping', 'Stop', 'continue'],
  ['context for a subagent', 'SubagentStart', 'context'],
  ['a subagent goes on', 'SubagentStop', 'continue'],
  ['block a compaction', 'PreCompact', 'block'],
];

/** docs/agents.md with its tables made anew; what is written by hand around them stays. */
export function agentsPage(now: string): string {
  const [start, end] = MARKERS;
  const [before, after] = [now.indexOf(start), now.indexOf(end)];
  if (before === -1 || after < before) throw new Error(`docs/agents.md: expected the lines ${MARKERS.join(' and ')}`);
  return `${now.slice(0, before + start.length)}\n\n${tables()}\n\n${now.slice(after)}`;
}

function tables(): string {
  const codecs = AGENT_NAMES.map(agentCodec);
  const losses = new Map<string, number>();
  const note = (why: string): string => {
    if (!losses.has(why)) losses.set(why, losses.size + 1);
    return `[${losses.get(why)}](#what-is-lost)`;
  };
  const rows = QUESTIONS.map(([question, event, what]) => [
    question,
    ...codecs.map((codec) => answerOf(codec, event, what, note)),
  ]);
  return [
    table(
      ['', ...codecs.map(({ title }) => title)],
      [
        ['name', ...codecs.map(({ name }) => `\`${name}\``)],
        [
          'known from',
          ...codecs.map(({ source, version }) => (source === 'seen' ? `seen: ${version}` : '**documents only**')),
        ],
        ['seconds a hook has', ...codecs.map(({ limits }) => String(limits.timeout))],
        ...rows,
      ],
    ),
    '"yes": it is said in a form that this agent was seen to honour (for an agent known from documents only: that its documents describe). "as …": it is said as something else. "silence": the agent takes no answer to mean it. "–": it cannot be said, or the agent has no such event.',
    '### What is lost',
    [...losses].map(([why, number]) => `${number}. ${why}`).join('\n'),
    agentRuns(),
    '### Events',
    'The first column has the names of hookscope, the others what the agents call the event; several names in a cell become the same event here. "?": the agent also fires it when nothing of the kind happens. *(documents)*: this event was not seen, although others of the agent were.',
    table(
      ['hookscope', ...codecs.filter(({ name }) => name !== 'claude-code').map(({ title }) => title)],
      eventRows(codecs.filter(({ name }) => name !== 'claude-code')),
    ),
  ].join('\n\n');
}

function answerOf(codec: Codec, event: string, what: Sayable, note: (why: string) => string): string {
  const row = codec.events.find(({ ours }) => ours === event);
  if (row === undefined) return '–';
  const { carried, as, why, attended } = supportOf(row, what, codec.source, codec.title) satisfies AgentSupport;
  const said = { yes: 'yes', as: `as ${as}`, silent: 'silence', no: '–' }[carried];
  const hasReason = why !== undefined && !(carried === 'no' && row.says[what] === undefined);
  return `${said}${attended ? ' (its own word with `--attended`)' : ''}${hasReason ? ` ${note(why)}` : ''}`;
}

function eventRows(codecs: readonly Codec[]): string[][] {
  const known = HOOK_EVENTS.filter((event) => codecs.some(({ events }) => events.some((row) => row.ours === event)));
  const named = (codec: Codec, rows: readonly EventRow[]): string =>
    [
      ...new Set(
        rows.map(
          ({ name, maybe, source }) =>
            `\`${name}\`${maybe ? ' ?' : ''}${source && codec.source === 'seen' ? ' *(documents)*' : ''}`,
        ),
      ),
    ].join(', ') || '–';
  const of = (codec: Codec, event: string): string =>
    named(
      codec,
      codec.events.filter(({ ours }) => ours === event),
    );
  const own = codecs.map((codec) =>
    named(
      codec,
      codec.events.filter((row) => row.own !== undefined),
    ),
  );
  const none = HOOK_EVENTS.filter((event) => !known.includes(event));
  return [
    ...known.map((event) => [event, ...codecs.map((codec) => of(codec, event))]),
    ['of their own', ...own],
    [`none has ${none.join(', ')}`, ...codecs.map(() => '–')],
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
