import { HookscopeError } from '../errors.js';
import { nearest } from '../values/nearest.js';
import { kindOf } from '../values/problem.js';
import { isObject, show } from '../values/shape.js';
import { linkAbort } from '../values/waiting/link-abort.js';
import { messageOf, resultOf, tell } from '../values/waiting/promises.js';
import { type Core, wasCut } from './core.js';
import type { PermissionCall, SessionSettings } from './options.js';
import type { CheckedCall } from './tool/call.js';
import { copyInput, describeCall } from './tool/call.js';
import { isMode } from './tool/modes.js';
import { passedThrough } from './tool/pass-through.js';

/** What the harness's callbacks are given besides the call itself. */
export type QuestionContext = Pick<PermissionCall, 'verdict' | 'reason' | 'suggestions'>;
/** What the user has granted with the call so far. */
export type UserGrants = Pick<PermissionCall, 'granted' | 'permission_mode'>;
/** The callback threw or returned an invalid answer, which is never permission. */
export interface FailedQuestion {
  readonly failed: string;
}

/** The behaviors each callback may answer. */
const KNOWN = {
  permission: ['allow', 'deny', 'ask', 'none'],
  ask: ['allow', 'deny'],
  classify: ['allow', 'deny', 'ask'],
} as const;

/** The fields that an answer may have. */
const FIELDS = ['behavior', 'message', 'updatedInput', 'updatedPermissions', 'interrupt', 'suggestions'] as const;

/** Further fields of the answers that Claude's SDK takes from `canUseTool`. */
const THEIRS = ['toolUseID', 'decisionClassification'] as const;

type QuestionKind = keyof typeof KNOWN;
type QuestionAnswer<Q extends QuestionKind> = NonNullable<Awaited<ReturnType<NonNullable<SessionSettings[Q]>>>>;

/** Asks a callback of the harness about a copy of the input. `undefined` if there is no callback or no answer. Rejects with ABORTED when the turn ends. */
export async function question<Q extends QuestionKind>(
  core: Core,
  call: CheckedCall,
  what: Q,
  about: { readonly input: unknown; readonly told: QuestionContext & UserGrants; readonly asker?: string | undefined },
): Promise<QuestionAnswer<Q> | FailedQuestion | undefined> {
  const callback = call[what];
  if (!callback) return undefined;
  try {
    const asked = resultOf(() => callback(copyInput(about.input), describeCall(core, call, about.told)));
    const answer = await orAborted(asked, call.signal, 'PermissionRequest');
    if (answer === undefined || answer === null) return undefined;
    for (const key of unknownKeys(answer)) core.deps.report(`${about.asker ?? what}(): ${key}`);
    return checkAnswer<Q>(what, answer);
  } catch (error) {
    if (wasCut(error)) throw error;
    const passed = passedThrough(core, call, error);
    if (passed) throw passed;
    const why = messageOf(error);
    core.deps.report(`${about.asker ?? what}() failed for ${call.name}, so the call is denied: ${why}`, error);
    return { failed: `Permission to use ${call.name} could not be decided: ${why}` };
  }
}

/** A warning for each key that does nothing, as for the answer of a hook. */
function unknownKeys(answer: unknown): string[] {
  if (!isObject(answer)) return [];
  const known: readonly string[] = [...FIELDS, ...THEIRS];
  return Object.keys(answer).flatMap((key) => {
    if (known.includes(key)) return [];
    const near = nearest(key, FIELDS);
    return [`unknown key "${key}" in the answer${near === undefined ? '' : `; did you mean "${near}"?`}`];
  });
}

function checkAnswer<Q extends QuestionKind>(what: Q, answer: unknown): QuestionAnswer<Q> {
  const known: readonly unknown[] = KNOWN[what];
  // Each field is read once, because an answer may have getters that return something else the next time.
  const read: Record<string, unknown> = {};
  if (isObject(answer))
    for (const field of FIELDS) {
      // null counts as absent, as everywhere.
      const value = answer[field] ?? undefined;
      if (value !== undefined) read[field] = value;
    }
  if (!known.includes(read['behavior']))
    throw new TypeError(`${what}() must answer { behavior: ${KNOWN[what].join(' | ')} }`);
  const { updatedInput } = read;
  if (updatedInput !== undefined && !isObject(updatedInput))
    throw new TypeError(`${what}(): updatedInput must be an object, got ${kindOf(updatedInput)}`);
  if (updatedInput !== undefined) read['updatedInput'] = copyInput(updatedInput);
  const { updatedPermissions } = read;
  if (updatedPermissions !== undefined && !Array.isArray(updatedPermissions))
    throw new TypeError(`${what}(): updatedPermissions must be an array, got ${kindOf(updatedPermissions)}`);
  return read as QuestionAnswer<Q>;
}

/** Waits for the work, but rejects with ABORTED when the signal fires; a later result is dropped. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal, event: string): Promise<T> {
  return new Promise((resolve, reject) => {
    let forget: (() => void) | undefined;
    const end = (): void => {
      forget?.();
      const aborted = new HookscopeError('ABORTED', { event }, { cause: signal.reason });
      // Later than the result of work that has already ended.
      queueMicrotask(() => reject(aborted));
    };
    work.then(
      (value) => {
        forget?.();
        resolve(value);
      },
      (error: unknown) => {
        forget?.();
        reject(error);
      },
    );
    if (signal.aborted) end();
    else forget = linkAbort(signal, { end });
  });
}

/** The mode that granted permissions set, if they set one. */
export function newMode(updates: readonly unknown[]): string | undefined {
  return updates
    .flatMap((one) => (isObject(one) && one['type'] === 'setMode' && isMode(one['mode']) ? one['mode'] : []))
    .at(-1);
}

/** Applies granted permissions: the session sets a new mode itself, and the harness is told of all updates. */
export function applyPermissions(core: Core, updates: readonly unknown[], call: PermissionCall): void {
  for (const update of updates) {
    if (!isObject(update) || update['type'] !== 'setMode') continue;
    if (isMode(update['mode'])) core.changeMode(update['mode']);
    else
      core.deps.report(
        `A permission update of session ${core.who.session_id} sets the mode ${show(update['mode'])}, which does not exist; the mode stays ${core.mode}`,
      );
  }
  tell(
    () => core.settings.onPermissionUpdate?.(updates, call),
    (error) =>
      core.deps.report(`onPermissionUpdate of session ${core.who.session_id} threw: ${messageOf(error)}`, error),
  );
}
