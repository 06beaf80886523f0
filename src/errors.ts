import { types } from 'node:util';
import { ended, plain } from './plain.js';

/** The session or agent that an error is about, as the beginning of a sentence. */
const sessionOrAgent = ({ session, agent }: { session: string; agent?: string | undefined }): string =>
  agent === undefined ? `Session "${session}"` : `Agent "${agent}" of session "${session}"`;

/** The scope of an agent, as the calls that take one name it. */
const refOf = ({ scope, session }: { scope: string; session?: string }): string =>
  session === undefined ? `"${scope}"` : `{ session: "${session}", agent: "${scope}" }`;

/**
 * Every error hookscope throws, one entry per error. The code is public API; the message says what was wrong, which thing,
 * and what to do. A handler's own failure is never one of these: it is an outcome, named in the decision and the record.
 */
const MESSAGES = {
  UNKNOWN_EVENT: (d: {
    event: string;
    nearest?: string | undefined;
    agent?: string;
    known?: string;
    remedy?: string;
  }) =>
    `${ended(`Unknown event "${d.event}"${d.agent ? ` of ${d.agent}` : ''}`)}${d.nearest ? ` Did you mean "${d.nearest}"?` : ''} ${d.known ? ended(`Its events are ${d.known}`) : (d.remedy ?? 'Known events are in HOOK_EVENTS; add your own with createHost({ events }).')}`,
  INVALID_INPUT: (d: { event: string; field: string; expected: string }) =>
    `Invalid input for ${d.event}: ${d.field === '(the input)' ? d.field : `"${d.field}"`} ${ended(d.expected)}`,
  INVALID_HOOKS: (d: { where: string; expected: string; nearest?: string | undefined }) =>
    `Invalid hooks: ${d.where}: ${ended(d.expected)}${d.nearest ? ` Did you mean "${d.nearest}"?` : ''} Nothing was registered.`,
  INVALID_OPTIONS: (d: { where: string; expected: string; nearest?: string | undefined }) =>
    `Invalid option ${d.where}: ${ended(d.expected)}${d.nearest ? ` Did you mean "${d.nearest}"?` : ''}`,
  INVALID_CONFIG: (d: { file: string; where: string; expected: string; nearest?: string | undefined }) =>
    `Invalid configuration ${d.file}: ${d.where ? `${d.where}: ` : ''}${ended(d.expected)}${d.nearest ? ` Did you mean "${d.nearest}"?` : ''}`,
  UNTRUSTED: (d: { file: string; why: string; remedy?: string }) =>
    `${d.file} was found here but is not used: ${ended(d.why)} ${ended(d.remedy ?? 'Name it to use it all the same (--config), or go on without it (--no-config)')}`,
  INVALID_PLUGIN: (d: { plugin: string; expected: string }) => `Plugin "${d.plugin}": ${ended(d.expected)}`,
  PLUGIN_FAILED: (d: { plugin: string; message: string }) =>
    `Plugin "${d.plugin}" failed while it was applied: ${ended(d.message)} None of its hooks were registered.`,
  PLUGIN_ENDED: (d: { plugin: string; scope: string; call: string }) =>
    `Plugin "${d.plugin}" is no longer in use in scope "${d.scope}"; ${d.call}() did nothing. Stop its work when scope.signal aborts, or in scope.onClose(fn).`,
  PLUGIN_NOT_FOUND: (d: { plugin: string; from: string; nearest?: string | undefined; isPath?: boolean }) =>
    `Plugin "${d.plugin}" was not found from ${ended(d.from)} ${d.isPath === true ? 'There is no such file.' : d.nearest ? `Did you mean "${d.nearest}"?` : ended(`Install it there: npm install ${d.plugin}`)}`,
  UNKNOWN_SCOPE: (d: { scope: string; session?: string; kind?: 'agent' | 'session' }) =>
    d.kind === 'session'
      ? `No scope "${d.scope}" is open to be the parent. Leave the parent out: the agent's session is its parent.`
      : `No scope "${d.scope}"${d.session === undefined ? '' : ` of session "${d.session}"`} is open to be the parent. Open it first with registerScoped(${refOf(d)}, hooks).`,
  SCOPE_CONFLICT: (d: { scope: string; parent: string; asked: string; session?: string; kind?: 'agent' | 'session' }) =>
    `Scope "${d.scope}"${d.session === undefined ? '' : ` of session "${d.session}"`} is already open under "${d.parent}"; it cannot move to "${d.asked}". ${d.kind === 'session' ? `To move it, end it with unregisterScoped(${refOf(d)}) and register its hooks again without a parent.` : `Register its hooks only once "${d.asked}" is open, with registerScoped(${refOf(d)}, hooks, { parent: "${d.asked}" }). Those that it has now end with unregisterScoped(${refOf(d)}): register them again.`}`,
  ABORTED: (d: { event: string; unopened?: { readonly why: string } }) =>
    typeof d.unopened === 'object'
      ? `${d.event} was not fired, and nothing was opened: ${ended(d.unopened.why)}`
      : `Firing ${d.event} was aborted by the caller's signal. No decision was made; do not read this as permission.`,
  CLOSED: (d: { event?: string | undefined }) =>
    `The host is closed${d.event ? `; ${d.event} was not fired` : ''}. Create a new host.`,
  SESSION_OPEN: (d: { session: string; agent?: string | undefined }) =>
    `${sessionOrAgent(d)} is open already. Close it first, or choose another id.`,
  SESSION_CLOSED: (d: { session: string; agent?: string | undefined; call: string; ended?: 'scope' }) =>
    `${sessionOrAgent(d)} ${d.ended === 'scope' ? 'has no scope any more, since unregisterScoped has ended it' : 'is closed'}; ${d.call}() did nothing. ${d.agent === undefined ? 'Open' : 'Spawn'} a new one.`,
  READ_ONLY: (d: { what: string }) =>
    `A hook's input is read-only: ${ended(d.what)} Return updatedInput (or use rewrite()) to change what runs; snapshot(input) gives a copy.`,
  CONTROL_FAILED: (d: { peer: string; problem: string }) => `The connection to ${d.peer} failed: ${ended(d.problem)}`,
  CONTROL_REFUSED: (d: { peer: string; message: string }) => `${d.peer} refused the request: ${d.message}`,
  NOT_LISTENED: (d: { event: string; peer: string }) =>
    `Hooks for ${d.event} would never run in ${d.peer}: it was connected with listen: 'needed' when there were none, and does not ask about it. Register them before connectClaude, or connect with listen: 'all'. Nothing was registered.`,
  FLEET_FAILED: (d: { place: string; problem: string }) => `The fleet at ${d.place}: ${ended(d.problem)}`,
  BUNDLE_REFUSED: (d: { bundle: string; reason: string }) =>
    `The bundle ${d.bundle} is refused: ${ended(d.reason)} What was in force before stays.`,
  PEER: (d: { entry: string; peer: string; range: string; problem: string }) =>
    `${d.entry} needs ${d.peer} ${d.range}: ${ended(d.problem)} Install it: npm install "${d.peer}@${d.range}".`,
  PROBE_FAILED: (d: { agent: string; problem: string }) =>
    `${d.agent} could not be driven: ${ended(d.problem)} Nothing was seen of it.`,
  FILE: (d: { file: string; problem: string }) => `${d.file}: ${ended(d.problem)}`,
} as const;

/** The `code` of a HookscopeError; docs/errors.md lists their messages. */
export type ErrorCode = keyof typeof MESSAGES;
type ErrorDetails<C extends ErrorCode> = Parameters<(typeof MESSAGES)[C]>[0];

/** An error of hookscope's own API. `code` is stable; `details` holds what the message was made of. */
export class HookscopeError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'HookscopeError';
  readonly code: C;
  readonly details: ErrorDetails<C>;

  constructor(code: C, details: ErrorDetails<C>, options?: { cause?: unknown }) {
    super(plain((MESSAGES[code] as (d: ErrorDetails<C>) => string)(details)), options);
    this.code = code;
    this.details = details;
  }
}

/**
 * `instanceof` for what was thrown, which may be anything. Neither a proxy nor an object that inherits from one is asked what it is: it may throw,
 * and what it throws too.
 */
export function isErrorOf<T extends Error>(error: unknown, kind: abstract new (...given: never) => T): error is T {
  let one = error;
  while (typeof one === 'object' && one !== null && !types.isProxy(one)) {
    if (one === kind.prototype) return true;
    one = Object.getPrototypeOf(one);
  }
  return false;
}

/** Whether it is one of ours. */
export const isHookscopeError = (error: unknown): error is HookscopeError => isErrorOf(error, HookscopeError);

/** The codes in the order of the catalogue; docs/errors.md is generated from it. */
export const ERROR_CODES = Object.keys(MESSAGES) as ErrorCode[];
