import { CATALOGUE, type HookEvent } from '../../src/events/catalogue.js';
import type { Failure } from '../../src/events/failure.js';
import { readOutput } from '../../src/events/output/outcome.js';
import type { EventSpec } from '../../src/events/spec.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { type FoldContext, fold } from '../../src/host/decide/fold.js';
import type { HandlerResult } from '../../src/host/decide/fold-common.js';
import { compileMatcher } from '../../src/matching/matcher.js';
import type { Registration, ScopeKind } from '../../src/scopes/registration.js';
import { Scope } from '../../src/scopes/scope.js';

export const entryOf = (name: HookEvent): EventSpec => CATALOGUE[name];

const MANAGED = new Scope({ id: 'managed', kind: 'managed' });
const HOST = new Scope({ id: 'host', kind: 'host', parent: MANAGED });
const SESSION = new Scope({ id: 'session', kind: 'session', parent: HOST });
export const SCOPES: Readonly<Record<ScopeKind, Scope>> = {
  managed: MANAGED,
  host: HOST,
  session: SESSION,
  agent: new Scope({ id: 'agent-1', kind: 'agent', parent: SESSION }),
};

/** A registration of no interest but for what is said of it. */
export function registration(spec: EventSpec, id: string, over: Partial<Registration> = {}): Registration {
  return {
    id,
    name: id,
    kind: 'callback',
    work: { callback: () => undefined },
    spec,
    eventName: spec.name,
    scope: HOST,
    matcher: compileMatcher(undefined, { dialect: 'code', event: spec, where: id }).matcher,
    stage: 0,
    before: [],
    after: [],
    groups: [],
    mode: 'series',
    timeout: 60,
    onFailure: 'continue',
    phase: 'decide',
    once: false,
    async: false,
    asyncTimeout: 30,
    dialect: 'code',
    source: { kind: 'code' },
    ownStop: false,
    isNamed: true,
    ...over,
  };
}

export interface Voice extends Pick<Partial<Registration>, 'onFailure' | 'phase' | 'dialect'> {
  readonly in?: ScopeKind;
  readonly failure?: Failure;
  readonly allowLapsed?: boolean;
}

/** What a handler came to that printed this output (`undefined`: nothing), read as the host reads it. */
export function said(event: HookEvent | EventSpec, id: string, output: unknown, voice: Voice = {}): HandlerResult {
  const spec = typeof event === 'string' ? entryOf(event) : event;
  const { in: where, failure, allowLapsed, ...over } = voice;
  const made = registration(spec, id, { ...over, scope: SCOPES[where ?? 'host'] });
  const result =
    output === undefined ? undefined : readOutput(spec, output, { eventName: spec.name, nameRequired: false });
  if (result && 'bad' in result) throw new Error(result.bad);
  return {
    registration: made,
    outcome: result?.outcome,
    ...(failure ? { failure } : {}),
    ...(allowLapsed === undefined ? {} : { allowLapsed }),
  };
}

export function folded(
  event: HookEvent | EventSpec,
  voices: readonly HandlerResult[],
  context: Partial<FoldContext> = {},
): AnyDecision {
  return fold(typeof event === 'string' ? entryOf(event) : event, voices, { decisions: 'strictest', ...context });
}

/** Every order of a short list. */
export function permutations<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((first, i) => permutations(list.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

/** Every sublist, in the list's order. */
export function subsets<T>(list: readonly T[]): T[][] {
  const all: T[][] = [[]];
  for (const item of list) all.push(...all.map((some) => [...some, item]));
  return all;
}

export const specific = (keys: Record<string, unknown>): Record<string, unknown> => ({ hookSpecificOutput: keys });
export const verdict = (word: string, why?: string): Record<string, unknown> =>
  specific({ permissionDecision: word, ...(why === undefined ? {} : { permissionDecisionReason: why }) });
