import { CLAUDE_EVENTS, specOf } from '../../events/catalogue.js';
import { EXTRAS } from '../../events/output/extras.js';
import type { EventSpec } from '../../events/spec.js';
import { type AgentTable, type EventRow, type Sayable, type Says, SILENT, specific, words } from '../table.js';

/** Claude Code accepts all parts in one answer. */
const BESIDE = { beside: '*' } as const;

/** Claude Code's answers have our own format, so the event's output schema says which parts it takes. */
function says(spec: EventSpec): Partial<Record<Sayable, Says>> {
  const keys = Object.keys(spec.output.shape);
  const out: Partial<Record<Sayable, Says>> = {
    message: words({ systemMessage: '$text' }, BESIDE),
    terminalSequence: words({ terminalSequence: '$text' }, BESIDE),
    suppress: { none: 'Claude Code hides only what the hook itself has printed' },
  };
  if (spec.endsLoop) out.stop = words({ continue: false, stopReason: '$reason?' }, BESIDE);
  if (spec.fold === 'gate') Object.assign(out, spec.nestedDecision ? nested() : flat(spec));
  if (spec.fold === 'block' || spec.fold === 'replace')
    out.block = words({ decision: 'block', reason: '$reason' }, BESIDE);
  if (spec.fold === 'stop') {
    out.continue = words({ decision: 'block', reason: '$reason' }, BESIDE);
  }
  if (spec.fold !== 'gate' && spec.rewrites)
    out.rewrite = spec.rewrites.unknownToClaude
      ? { none: 'Claude Code does not know such a rewrite' }
      : specific({ [spec.rewrites.keys[0] as string]: '$value' }, BESIDE);
  if (spec.value)
    out.value =
      spec.value.length === 1
        ? specific({ [spec.value[0] as string]: '$value' }, BESIDE)
        : words({ hookSpecificOutput: '$value' }, BESIDE);
  if (keys.includes('additionalContext')) out.context = specific({ additionalContext: '$text' }, BESIDE);
  else if (spec.plainStdout === 'context') out.context = { plain: true };
  for (const key of EXTRAS) if (keys.includes(key)) out[key] = specific({ [key]: '$value' }, BESIDE);
  return out;
}

function flat(spec: EventSpec): Partial<Record<Sayable, Says>> {
  const verdicts = ['allow', 'ask', 'deny', ...(spec.rewrites ? ['defer' as const] : [])] as const;
  const out: Partial<Record<Sayable, Says>> = {};
  for (const verdict of verdicts) {
    const permissionDecisionReason = verdict === 'deny' ? '$reason' : '$reason?';
    out[verdict] = specific({ permissionDecision: verdict, permissionDecisionReason }, BESIDE);
  }
  if (spec.rewrites) out.rewrite = specific({ [spec.rewrites.keys[0] as string]: '$value' }, BESIDE);
  return out;
}

function nested(): Partial<Record<Sayable, Says>> {
  return {
    deny: specific({ decision: { behavior: 'deny', message: '$reason' } }, BESIDE),
    allow: specific({ decision: { behavior: 'allow' } }, BESIDE),
    // The user is being asked already.
    ask: SILENT,
    interrupt: specific({ decision: { interrupt: true } }, { beside: '*', needs: 'deny' }),
    rewrite: specific({ decision: { updatedInput: '$value' } }, { beside: '*', needs: 'allow' }),
    permissions: specific({ decision: { updatedPermissions: '$value' } }, { beside: '*', needs: 'allow' }),
  };
}

let rows: readonly EventRow[] | undefined;

/** The rows, built from our own catalogue on first use. */
function events(): readonly EventRow[] {
  rows ??= CLAUDE_EVENTS.map((name): EventRow => {
    const spec = specOf(name);
    const { timeout } = spec;
    let said: EventRow['says'] | undefined;
    return {
      name,
      ours: name,
      // Reading it builds the event's schema; a process that fires one event should build only one.
      get says() {
        said ??= says(spec);
        return said;
      },
      ...(timeout && {
        timeout: { usual: timeout.claude, ...(timeout.max === undefined ? {} : { most: timeout.max }) },
      }),
    };
  });
  return rows;
}

export const claudeCode: AgentTable = {
  name: 'claude-code',
  title: 'Claude Code',
  source: 'seen',
  version: '2.1.330',
  eventFields: ['hook_event_name'],
  fields: [],
  fills: {},
  env: { cwd: 'CLAUDE_PROJECT_DIR' },
  quiet: '',
  tools: {},
  get events() {
    return events();
  },
  files: {
    places: [
      { path: '/etc/claude-code/managed-settings.json', for: 'policy' },
      { path: '$CLAUDE_CONFIG_DIR ~/.claude/settings.json', for: 'user' },
      { path: '.claude/settings.json', for: 'project' },
      { path: '.claude/settings.local.json', for: 'project' },
      { path: 'hooks/hooks.json', for: 'plugin' },
    ],
    shape: 'groups',
    root: { keys: ['description'], others: 'ignored' },
    handlers: ['command', 'http', 'mcp_tool', 'prompt', 'agent'],
    keys: ['type', 'command', 'args', 'shell', 'if', 'timeout', 'async', 'asyncRewake', 'once', 'statusMessage'],
    flags: ['async', 'asyncRewake', 'once'],
    timeout: { key: 'timeout', unit: 's', usual: 600 },
    matcher:
      'letters, digits, "_", "-", spaces, "," and "|": a list of exact names; else a regular expression, not anchored',
    order: 'all at the same time',
    trust: 'Claude Code asks once whether the folder is trusted, and reads its settings again when they change.',
  },
  connect: {
    user: { home: '~/.claude', variable: 'CLAUDE_CONFIG_DIR', path: 'settings.json' },
    sessions: 'projects',
    // The local file, because the command's absolute path is valid on this machine only.
    project: { path: '.claude/settings.local.json' },
    handler: { type: 'command' },
    guard: { on: ['deny'], keys: { onFailure: 'block' }, since: { program: 'claude', version: '2.1.296' } },
    reads: ['mark'],
    void: 'told',
    off: [{ key: 'disableAllHooks', is: true, in: ['user', 'project', '.claude/settings.json'] }],
  },
  limits: { timeout: 600 },
};
