import { deepEqual } from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkHostOptions, type HostOptions } from '../host/options.js';
import type { PluginUse } from '../session/options.js';
import { describeError } from '../values/message.js';
import { checkKeys, type Keys, wrongOption } from '../values/options.js';
import { checks, isObject, isText, type OptionCheck, SECONDS } from '../values/shape.js';
import { ANSWER_CASES } from './contract-answers.js';
import { LIFE_CASES } from './contract-life.js';
import type { ContractInput, PluginUnderTest } from './contract-run.js';
import { Leftovers } from './left-behind.js';
import { SAMPLES } from './samples.js';
import { OWN_LISTENERS } from './surroundings.js';

/** Options of `contract`. */
export interface ContractOptions {
  /** Calls that the plugin must deny or block under all circumstances: `['PreToolUse', payload.preToolUse.bash('rm -rf /')]`. */
  readonly denies?: readonly ContractInput[];
  /** Calls that the plugin must let through without any answer. */
  readonly passes?: readonly ContractInput[];
  /** Seconds that a hook may take to answer, or to end after its signal aborts. Default 2. */
  readonly patience?: number;
  /**
   * Options of the hosts for the cases, such as the `model`, `callTool` or `mcpServers` that the plugin's hooks need. `timeout` and
   * `closeTimeout` are derived from `patience`.
   */
  readonly host?: Omit<HostOptions, 'timeout' | 'closeTimeout'>;
}

const CALLS: OptionCheck = {
  expected: "a list in which each is an event and its input: [['PreToolUse', payload.preToolUse.bash('ls')]]",
  accepts: (given) => Array.isArray(given) && given.every(isCall),
};
const isCall = (given: unknown): boolean =>
  Array.isArray(given) &&
  isText(given[0]) &&
  Object.hasOwn(SAMPLES, given[0]) &&
  (given[1] === undefined || isObject(given[1]));

const OPTIONS: Keys<ContractOptions> = { denies: CALLS, passes: CALLS, patience: SECONDS, host: checks.object };

/** Host options that are derived from `patience`. */
const BY_PATIENCE = ['timeout', 'closeTimeout'] as const;

function checkHost(host: HostOptions): void {
  checkHostOptions(host);
  const given = BY_PATIENCE.find((key) => host[key] !== undefined);
  if (given !== undefined)
    throw wrongOption(`contract: host.${given}`, 'is set by the contract; say how long a hook may take with patience');
}

/** One test that every plugin should pass. */
export interface ContractCase {
  /** What the plugin must do; used as a test's title. */
  readonly name: string;
  /** Rejects with an AssertionError that says what the plugin does wrong, and with which input. */
  run(): Promise<void>;
}

const LOST = ['unhandledRejection', 'uncaughtException'] as const;

/** Collectors of unhandled errors, one for each running case. Every error goes to all of them, because its origin is unknown. */
const hearing = new Set<(error: unknown) => void>();
const hear = (error: unknown): void => {
  for (const note of hearing) note(error);
};
OWN_LISTENERS.add(hear);
let others: readonly (readonly unknown[])[] = [];

/** Unhandled errors during a case are taken for the plugin's: they fail the case and do not end the process. */
async function whole(run: () => Promise<void>): Promise<void> {
  const lost: unknown[] = [];
  const note = (error: unknown): void => void lost.push(error);
  if (hearing.size === 0) {
    others = LOST.map((name) => process.rawListeners(name));
    for (const name of LOST) process.removeAllListeners(name).on(name, hear);
  }
  hearing.add(note);
  try {
    await run();
    await nextTurn();
  } finally {
    hearing.delete(note);
    if (hearing.size === 0)
      for (const [i, name] of LOST.entries()) {
        process.off(name, hear);
        for (const other of others[i] as (() => void)[]) process.on(name, other);
      }
  }
  deepEqual(lost.map(describeError), [], 'errors that nobody handles');
}

/**
 * Tests that every plugin should pass, for any test runner: odd inputs, an aborted signal, repeated calls, unregistering. Each ends
 * within seconds, even if a hook never settles.
 *
 * ```ts
 * for (const { name, run } of contract(plugin, { denies: [['PreToolUse', payload.preToolUse.bash('rm -rf /')]] })) test(name, run);
 * ```
 * @throws HookscopeError INVALID_OPTIONS
 */
export function contract(plugin: PluginUse, options: ContractOptions = {}): readonly ContractCase[] {
  checkKeys(options, OPTIONS, 'contract: ');
  checkHost(options.host ?? {});
  const under: PluginUnderTest = {
    plugin,
    denies: options.denies ?? [],
    passes: options.passes ?? [],
    patience: options.patience ?? 2,
    host: options.host ?? {},
    left: new Leftovers(),
  };
  // Without the calls that it needs, a case would always pass.
  const told = [...ANSWER_CASES, ...LIFE_CASES].filter(({ about = [] }) =>
    about.every((calls) => under[calls].length > 0),
  );
  return told.map(({ name, run }) => ({ name, run: () => whole(() => under.left.during(() => run(under))) }));
}
