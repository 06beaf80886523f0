import { type CallInfo, type FireRecord, fireRecord, type HookRecord } from '../../src/emit/record.js';
import { hookResponse, hookStarted } from '../../src/emit/run-records.js';

export const RUN: CallInfo = {
  hookId: 'run-1',
  hookName: 'PreToolUse:Bash',
  event: 'PreToolUse',
  sessionId: 'session-1',
  fireId: 'fire-1',
  scope: 'agent-1',
  agentId: 'agent-1',
  toolUseId: 'toolu_1',
  plugin: 'guards',
  handler: 'command',
  handlerId: 'guards#1',
  name: './guard.sh',
  source: { kind: 'project', file: '.claude/settings.json' },
};

type FireFields = Parameters<typeof fireRecord>[0];

export const FIRE: FireFields = {
  fire_id: 'fire-1',
  event: 'PreToolUse',
  scope: 'agent-1',
  scope_known: true,
  session_id: 'session-1',
  agent_id: 'agent-1',
  tool_use_id: 'toolu_1',
  input: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'rm -rf build' } },
  decision: {
    event: 'PreToolUse',
    fold: 'gate',
    continue: true,
    verdict: 'deny',
    reason: 'not here',
    decidedBy: 'guards#1',
    overruled: ['code#1'],
    failures: [{ id: 'code#2', name: 'audit', cause: 'timeout', message: 'no answer after 5 s', blocked: false }],
    conflicts: [],
  },
  handlers: [
    handler({
      id: 'guards#1',
      name: './guard.sh',
      handler: 'command',
      status: 'ran',
      verdict: 'deny',
      duration_ms: 12,
    }),
    handler({ id: 'code#1', name: 'allowBash', status: 'ran', verdict: 'allow', duration_ms: 0.4, reasked: 1 }),
    handler({
      id: 'code#2',
      name: 'audit',
      status: 'failed',
      failure: { cause: 'timeout', message: 'no answer after 5 s' },
      duration_ms: 5000,
    }),
    handler({ id: 'code#3', name: 'format', wave: null, status: 'skipped', reason: 'matcher' }),
  ],
  conflicts: [],
  out_of_scope: 2,
};

function handler(fields: Partial<FireRecord['handlers'][number]> & { id: string; name: string }) {
  const defaults = {
    handler: 'callback',
    source: { kind: 'code' },
    scope: 'host',
    stage: 0,
    wave: 0,
    status: 'ran',
  } as const;
  return { ...defaults, ...fields };
}

/** Records as a bus would send them. */
export function stamped(seq: number): HookRecord {
  return { seq, time: '2025-01-31T09:15:00.000Z', ...hookResponse(RUN, { exitCode: 0, durationMs: seq }) };
}

export function fire(seq = 1, fields: Partial<FireFields> = {}): FireRecord {
  return { seq, time: '2025-01-31T09:15:01.500Z', ...fireRecord({ ...FIRE, ...fields }) };
}

export const started = () => hookStarted(RUN);

/** A logger that keeps what it is told. */
export function listen() {
  const told: { message: string; detail: unknown }[] = [];
  return { told, logger: (message: string, detail?: unknown) => void told.push({ message, detail }) };
}
