/** What every kind of handler must do alike: one table of cases, run against each kind in handlers.test.ts. */

import type { Host } from '../../src/create-host.js';
import { command } from '../../src/handlers/command/spec.js';
import { anyHooks } from '../host/kit.js';

export type Json = Readonly<Record<string, unknown>>;

/** What a handler does when it is called. */
export type Behaviour =
  | { readonly does: 'answer'; readonly output: Json | null | undefined }
  /** Throws, or exits 1 with that on stderr. */
  | { readonly does: 'fail'; readonly message: string }
  /** Answers with what is no output at all. */
  | { readonly does: 'babble' }
  /** Never answers; `seconds` tells its process from others. */
  | { readonly does: 'hang'; readonly seconds: string; readonly called?: (signal: AbortSignal) => void };

/** One way to give a handler to a host. */
export interface Kind {
  readonly name: string;
  /** It runs outside of this process. */
  readonly outside: boolean;
  /** It can take its time. */
  readonly slow: boolean;
  readonly install: (host: Host, event: string, behaviour: Behaviour) => void;
}

type Called = { readonly signal: AbortSignal };

/** What a function in this process does, now. */
function act(behaviour: Behaviour, { signal }: Called): unknown {
  switch (behaviour.does) {
    case 'answer':
      return behaviour.output;
    case 'fail':
      throw new Error(behaviour.message);
    case 'babble':
      return 'no output';
    case 'hang':
      behaviour.called?.(signal);
      return new Promise(() => {});
  }
}

/** The same as a command line. */
function lineOf(behaviour: Behaviour): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  switch (behaviour.does) {
    case 'answer':
      return behaviour.output
        ? `cat >/dev/null; printf '%s' ${quoted(JSON.stringify(behaviour.output))}`
        : 'cat >/dev/null';
    case 'fail':
      return `echo ${quoted(behaviour.message)} >&2; exit 1`;
    case 'babble':
      return 'echo "{no output}"';
    case 'hang':
      return `sleep ${behaviour.seconds} | cat`;
  }
}

type AnyTap = (
  name: string,
  fn: (fire: { context: Called }, done: (error: unknown, result?: unknown) => void) => unknown,
) => void;
const taps = (host: Host, event: string) =>
  host.hooks[event as 'PreToolUse'] as unknown as { tap: AnyTap; tapAsync: AnyTap; tapPromise: AnyTap };

export const KINDS: readonly Kind[] = [
  {
    name: 'callback',
    outside: false,
    slow: false,
    install(host, event, behaviour) {
      host.register(anyHooks({ [event]: [{ hooks: [(_: unknown, __: unknown, c: Called) => act(behaviour, c)] }] }), {
        name: 'it',
      });
    },
  },
  {
    name: 'async callback',
    outside: false,
    slow: true,
    install(host, event, behaviour) {
      const hook = async (_: unknown, __: unknown, c: Called) => {
        await Promise.resolve();
        return act(behaviour, c);
      };
      host.register(anyHooks({ [event]: [{ hooks: [hook] }] }), { name: 'it' });
    },
  },
  {
    name: 'parallel callback',
    outside: false,
    slow: true,
    install(host, event, behaviour) {
      const hook = async (_: unknown, __: unknown, c: Called) => act(behaviour, c);
      host.register(anyHooks({ [event]: [{ mode: 'parallel', hooks: [hook] }] }), { name: 'it' });
    },
  },
  {
    name: 'command',
    outside: true,
    slow: true,
    install(host, event, behaviour) {
      host.register(anyHooks({ [event]: [{ hooks: [command(lineOf(behaviour))] }] }), { name: 'it' });
    },
  },
  {
    name: 'tap',
    outside: false,
    slow: false,
    install(host, event, behaviour) {
      taps(host, event).tap('it', ({ context }) => act(behaviour, context));
    },
  },
  {
    name: 'tapAsync',
    outside: false,
    slow: true,
    install(host, event, behaviour) {
      taps(host, event).tapAsync('it', ({ context }, done) => {
        setImmediate(() => {
          if (behaviour.does === 'fail') done(new Error(behaviour.message));
          else if (behaviour.does === 'hang') behaviour.called?.(context.signal);
          else done(undefined, act(behaviour, context));
        });
      });
    },
  },
  {
    name: 'tapPromise',
    outside: false,
    slow: true,
    install(host, event, behaviour) {
      taps(host, event).tapPromise('it', async ({ context }) => act(behaviour, context));
    },
  },
];

const specific = (event: string, keys: Json): Json => ({ hookSpecificOutput: { hookEventName: event, ...keys } });

export interface Case {
  readonly name: string;
  readonly event: string;
  readonly behaviour: Behaviour;
  /** Of the decision. */
  readonly is: Json;
  readonly cause?: { readonly inside: string; readonly outside: string; readonly message: RegExp };
  /** What the host's logger is told. */
  readonly warning?: RegExp;
}

const answer = (output: Json | null | undefined): Behaviour => ({ does: 'answer', output });

export const CASES: readonly Case[] = [
  ...(['allow', 'ask', 'defer', 'deny'] as const).map(
    (word): Case => ({
      name: word,
      event: 'PreToolUse',
      behaviour: answer(specific('PreToolUse', { permissionDecision: word, permissionDecisionReason: 'because' })),
      is: { verdict: word, reason: 'because', continue: true, failures: [] },
    }),
  ),
  {
    name: 'a rewrite and context',
    event: 'PreToolUse',
    behaviour: answer(specific('PreToolUse', { updatedInput: { command: 'pwd' }, additionalContext: 'seen' })),
    is: { verdict: 'none', updatedInput: { command: 'pwd' }, additionalContext: ['seen'] },
  },
  {
    name: 'a block',
    event: 'PostToolUse',
    behaviour: answer({ decision: 'block', reason: 'look again' }),
    is: { blocked: true, reason: 'look again' },
  },
  {
    name: 'a stop',
    event: 'PreToolUse',
    behaviour: answer({ continue: false, stopReason: 'enough' }),
    is: { verdict: 'deny', continue: false, stopReason: 'enough' },
  },
  {
    name: 'one more turn',
    event: 'Stop',
    behaviour: answer({ continue: true, reason: 'go on' }),
    is: { continues: true, reason: 'go on' },
  },
  {
    name: 'a message',
    event: 'SessionEnd',
    behaviour: answer({ systemMessage: 'bye', suppressOutput: true }),
    is: { systemMessages: ['bye'], suppressOutput: true },
  },
  ...([undefined, null, {}] as const).map(
    (output): Case => ({
      name: `nothing (${JSON.stringify(output)})`,
      event: 'PreToolUse',
      behaviour: answer(output),
      is: { verdict: 'none', failures: [], outcomes: [expect1()] },
    }),
  ),
  {
    name: 'context of 10,001 characters',
    event: 'PreToolUse',
    behaviour: answer(specific('PreToolUse', { additionalContext: 'x'.repeat(10_001) })),
    is: {
      verdict: 'none',
      failures: [],
      additionalContext: [/^Output too large \(10001 characters\)\. Full output saved to: /],
    },
  },
  {
    name: 'a wrong type',
    event: 'PreToolUse',
    behaviour: answer({ systemMessage: 7 }),
    is: { verdict: 'none', systemMessages: [] },
    cause: { inside: 'bad_schema', outside: 'bad_schema', message: /systemMessage.*expected string, got number/ },
  },
  {
    name: 'a wrong type far inside',
    event: 'PermissionRequest',
    behaviour: answer(specific('PermissionRequest', { decision: { behavior: 'deny', interrupt: 'yes' } })),
    is: { verdict: 'deny' },
    cause: { inside: 'bad_schema', outside: 'bad_schema', message: /decision\.interrupt/ },
  },
  {
    name: 'another event’s name',
    event: 'PreToolUse',
    behaviour: answer(specific('PostToolUse', { permissionDecision: 'allow' })),
    is: { verdict: 'none' },
    cause: { inside: 'bad_schema', outside: 'bad_schema', message: /hookEventName.*PreToolUse/ },
  },
  {
    name: 'an unknown key',
    event: 'PreToolUse',
    behaviour: answer({ sytemMessage: 'typo', ...specific('PreToolUse', { permissionDecision: 'allow' }) }),
    is: { verdict: 'allow', failures: [] },
    warning: /sytemMessage.*systemMessage/,
  },
  {
    name: 'a failure',
    event: 'PreToolUse',
    behaviour: { does: 'fail', message: 'disk full' },
    is: { verdict: 'none', continue: true },
    cause: { inside: 'threw', outside: 'exit_code', message: /disk full/ },
  },
  {
    name: 'no output at all',
    event: 'PreToolUse',
    behaviour: { does: 'babble' },
    is: { verdict: 'none' },
    cause: { inside: 'bad_schema', outside: 'bad_json', message: /.+/ },
  },
  {
    name: 'go on without me',
    event: 'PreToolUse',
    behaviour: answer({ async: true }),
    is: { verdict: 'none', failures: [] },
  },
  {
    name: 'go on without me, with a wrong time',
    event: 'PreToolUse',
    behaviour: answer({ async: 'yes' }),
    is: { verdict: 'none' },
    cause: { inside: 'bad_schema', outside: 'bad_schema', message: /async.*boolean/ },
  },
];

/** One outcome that says nothing. */
function expect1(): Json {
  return { name: 'it' };
}
