import { createHost } from '../create-host.js';
import { HookscopeError, isHookscopeError } from '../errors.js';
import { type CustomEvents, eventName, HOOK_EVENTS, type NoEvents, specOf } from '../events/catalogue.js';
import { withName } from '../events/define.js';
import { whyBad } from '../events/output/check.js';
import { helperToOutput } from '../events/output/helper-words.js';
import { type ReadOutput, readOutput } from '../events/output/outcome.js';
import { printed } from '../events/output/printed.js';
import { idleStop } from '../events/output/warnings.js';
import type { EventSpec } from '../events/spec.js';
import type { Hooks } from '../host/types.js';
import { nearest } from '../values/nearest.js';
import { checkKeys, type Keys } from '../values/options.js';
import { asName, checks, isObject, itemsOf } from '../values/shape.js';

/** One reason for which registering would fail. */
export interface HooksProblem {
  /** The place, such as `PreToolUse[0].hooks[1].timeout`. */
  readonly where: string;
  /** What was expected, with the nearest valid name. */
  readonly message: string;
}

/** Options of `validateHooks` and `validateOutput`. */
export interface ValidateOptions<C extends CustomEvents = NoEvents> {
  /** Custom events, as for `createHost`. */
  readonly events?: C;
}

const VALIDATE: Keys<ValidateOptions> = { events: checks.object };

/**
 * Returns every problem that registering these hooks would cause, for tests of a plugin or a configuration. An empty array means that
 * they can be registered. None of the hooks runs.
 *
 * ```ts
 * validateHooks({ PreToolUse: [{ matcher: 'Bash', timeout: -1, hooks: [] }] });
 * // [{ where: 'PreToolUse[0].timeout', message: 'expected seconds, a number of 0 or more (0 is none), got -1' }]
 * ```
 */
export function validateHooks<C extends CustomEvents = NoEvents>(
  hooks: unknown,
  options: ValidateOptions<C> = {},
): HooksProblem[] {
  checkKeys(options, VALIDATE, 'validateHooks: ');
  const { events } = options;
  const host = createHost({ ...(events && { events }), logger: () => undefined });
  const check = (piece: unknown): HooksProblem | undefined => problemOf(() => host.register(piece as Hooks<C>));
  const problems = isObject(hooks)
    ? Object.entries(hooks).flatMap(([event, groups]) => checkEvent(event, groups, check))
    : [];
  // Some errors only appear between hooks (`before`), or when all are registered together.
  const whole = problems.length === 0 ? check(hooks) : undefined;
  return whole ? [whole] : problems;
}

type PieceCheck = (piece: unknown) => HooksProblem | undefined;

function checkEvent(event: string, groups: unknown, check: PieceCheck): HooksProblem[] {
  const unknown = check({ [event]: [] });
  if (unknown) return [unknown];
  if (!Array.isArray(groups)) return listOf(check({ [event]: groups }));
  return itemsOf(groups).flatMap((group: unknown, i) =>
    checkGroup(event, group, check).map((p) => placed(p, `${event}[0]`, `${event}[${i}]`)),
  );
}

function checkGroup(event: string, group: unknown, check: PieceCheck): HooksProblem[] {
  if (!isObject(group) || !Array.isArray(group['hooks'])) return listOf(check({ [event]: [group] }));
  const { hooks, ...options } = group as { hooks: unknown[] };
  const right: Record<string, unknown> = {};
  const problems: HooksProblem[] = [];
  for (const [key, value] of Object.entries(options)) {
    // A problem with the group's `if` is reported for a handler, so its place is corrected.
    const problem = check({ [event]: [{ [key]: value, hooks: [() => undefined] }] });
    if (problem) problems.push(placed(problem, `${event}[0].hooks[0]`, `${event}[0]`));
    // `before` is left out below, because it may name hooks that are not registered with this one.
    else if (key !== 'before') right[key] = value;
  }
  const at = `${event}[0].hooks`;
  for (const [i, hook] of itemsOf(hooks).entries()) {
    const problem = check({ [event]: [{ ...right, hooks: [hook] }] });
    if (problem) problems.push(placed(problem, `${at}[0]`, `${at}[${i}]`));
  }
  return problems;
}

const listOf = (problem: HooksProblem | undefined): HooksProblem[] => (problem ? [problem] : []);

function placed({ where, message }: HooksProblem, from: string, to: string): HooksProblem {
  return { where: where.startsWith(from) ? to + where.slice(from.length) : where, message };
}

function problemOf(step: () => () => void): HooksProblem | undefined {
  try {
    step()();
    return undefined;
  } catch (error) {
    if (!isHookscopeError(error)) throw error;
    const {
      where = '',
      expected = error.message,
      nearest: near,
    } = error.details as { where?: string; expected?: string; nearest?: string };
    return { where, message: near === undefined ? expected : `${expected}. Did you mean "${near}"?` };
  }
}

/** How hookscope would read an output. */
export interface ValidatedOutput {
  /** Whether there are no problems. Warnings do not count. */
  readonly ok: boolean;
  /** Why the handler would count as failed. */
  readonly problems: readonly string[];
  /** Parts without effect: unknown keys with the nearest name, keys in the wrong place. */
  readonly warnings: readonly string[];
}

/**
 * Checks whether a callback may answer the event with this output, for tests of a plugin. Accepts everything that a callback may
 * return: an object in the wire format, the result of an output helper, or nothing.
 *
 * ```ts
 * validateOutput('PreToolUse', deny('not here')).ok; // true
 * validateOutput('PreToolUse', { hookSpecificOutput: { permissionDecision: 'no' } }).problems;
 * // ['hookSpecificOutput.permissionDecision: expected …, got "no"']
 * ```
 * @throws HookscopeError UNKNOWN_EVENT
 */
export function validateOutput<C extends CustomEvents = NoEvents>(
  event: string,
  output: unknown,
  options: ValidateOptions<C> = {},
): ValidatedOutput {
  checkKeys(options, VALIDATE, 'validateOutput: ');
  const { events } = options;
  const spec = knownSpec(event, events ?? {});
  if (output === undefined || output === null) return { ok: true, problems: [], warnings: [] };
  const read = readAnswer(spec, output);
  if ('bad' in read) return { ok: false, problems: [read.bad], warnings: [] };
  return { ok: true, problems: [], warnings: [...read.warnings, ...idleStop(spec, read.outcome)] };
}

function readAnswer(spec: EventSpec, output: unknown): ReadOutput {
  try {
    const said = helperToOutput(spec, printed(output));
    return readOutput(spec, said, { eventName: spec.name, nameRequired: false });
  } catch (error) {
    return { bad: whyBad(error) };
  }
}

function knownSpec(event: string, events: CustomEvents): EventSpec {
  const names = [...HOOK_EVENTS, ...Object.keys(events)];
  const name = eventName(event, names);
  if (name === undefined)
    throw new HookscopeError('UNKNOWN_EVENT', { event: asName(event), nearest: nearest(event, names) });
  return specOf(name) ?? withName(name, events[name] as CustomEvents[string]);
}
