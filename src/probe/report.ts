import { probedAgent } from './agents/agents.js';
import type { CallFate, CallOutcome, CallOutcomes } from './before-tool.js';
import { type ProbeCase, type ProbeStep, stepsOf } from './cases.js';
import type { ProbeObservations } from './inside.js';
import type { AnswerReception } from './other-events.js';
import type { SystemFile } from './policies.js';
import { RECORDED } from './recorded.js';
import { MODES, type ProbeMode } from './through.js';

/** One tested call, with its hook. */
export interface ProbedCase {
  readonly name: string;
  readonly kind: ProbeCase['kind'];
  readonly scene: ProbeStep['scene'];
  readonly what: string;
  /** The outcome for the agent alone, with hookscope, and with a hookscope server; absent if not tested. */
  readonly direct?: CallOutcome;
  readonly stateless?: CallOutcome;
  readonly server?: CallOutcome;
  /** What the recorded version did without hookscope. */
  readonly recorded?: string;
}

/** Numbers of denials and of broken guards. */
export interface CaseCounts {
  readonly noes: number;
  readonly broken: number;
}

/** How many of them stopped the tool; `of`: how many were tested by a call. */
export interface SumOf extends CaseCounts {
  readonly of: CaseCounts;
}

/** The result of `hookscope doctor --probe` for one agent. */
export interface ProbeReport {
  readonly agent: string;
  readonly title: string;
  /** The version that it reports; `unknown` if it reports none. */
  readonly version: string;
  readonly date: string;
  readonly program: string;
  readonly network: { readonly blocked: boolean; readonly how: string };
  /** System-wide files that exist here and that the agent reads according to its documentation; `named`: its output mentions the file. */
  readonly policies: readonly (SystemFile & { readonly named: boolean })[];
  /** How often the agent was started. */
  readonly runs: number;
  readonly sums: Readonly<Partial<Record<ProbeMode, SumOf>>>;
  readonly cases: readonly ProbedCase[];
  readonly other_events: ProbeObservations['other_events'];
  /** The recorded version to compare with; absent if none was recorded. */
  readonly recorded?: { readonly version: string; readonly date: string };
  /** How many denials and broken guards were compared with it, and how many could not be, because the call was not made or shows nothing about the hook. */
  readonly compared: { readonly seen: number; readonly unseen: number };
  /** Denials and broken guards that stop a call in this version but not in the recorded one; `hears_less`: the reverse. */
  readonly hears_more: readonly string[];
  readonly hears_less: readonly string[];
  /** Why results are missing, and what was lost with hookscope in between. */
  readonly problems: readonly string[];
}

interface ReportParts {
  readonly agent: string;
  readonly program: string;
  readonly network: ProbeReport['network'];
  readonly policies: readonly SystemFile[];
  readonly seen: ProbeObservations;
  readonly date: string;
}

export function reportOf({ agent: name, program, network, policies, seen, date }: ReportParts): ProbeReport {
  const agent = probedAgent(name);
  const steps = stepsOf(agent.subagent !== undefined);
  const recorded = RECORDED[name];
  const cases = steps.map((step): ProbedCase => {
    const found = MODES.flatMap((mode) => {
      const outcome = seen.before_tool[mode]?.[step.name];
      return outcome === undefined ? [] : [[mode, outcome] as const];
    });
    const before = recordedDid(name, step.name);
    return {
      name: step.name,
      kind: step.of.kind,
      scene: step.scene,
      what: wordsOf(step),
      ...Object.fromEntries(found),
      ...(before === undefined ? {} : { recorded: before }),
    };
  });
  const isVoid = seen.before_tool.direct === undefined || voidBecause(seen.before_tool.direct) !== undefined;
  const known = cases.filter(({ kind, recorded: before }) => kind !== 'other' && SAYING.has(before));
  const compared = isVoid ? [] : known.filter(({ direct }) => SAYING.has(direct?.did));
  const changed = (from: boolean): string[] =>
    compared
      .filter(({ direct, recorded: before }) => (before === 'blocked') === from && (direct?.did === 'blocked') !== from)
      .map(({ what }) => what);
  return {
    agent: name,
    title: agent.title,
    version: seen.version,
    date,
    program,
    network,
    policies: policies.map((one) => ({ ...one, named: seen.named.includes(one.file) })),
    runs: seen.runs,
    sums: Object.fromEntries(
      MODES.flatMap((mode) => (seen.before_tool[mode] ? [[mode, sumOf(steps, seen.before_tool[mode])]] : [])),
    ),
    cases,
    other_events: seen.other_events,
    ...(recorded === undefined ? {} : { recorded: { version: recorded.version, date: recorded.date } }),
    compared: { seen: compared.length, unseen: known.length - compared.length },
    hears_more: changed(false),
    hears_less: changed(true),
    problems: [
      ...seen.problems,
      ...MODES.flatMap((mode) => problemsOf(steps, mode, seen.before_tool[mode], seen.other_events[mode])),
    ],
  };
}

const SCENES: Readonly<Record<ProbeStep['scene'], string>> = {
  alone: '',
  parallel: 'of two calls at once: ',
  subagent: 'in a subagent: ',
};

export const wordsOf = ({ scene, of }: ProbeStep): string => `${SCENES[scene]}${of.what}`;

/** Outcomes that show what a hook can do. A call that was not made, hung, or was refused by something else shows nothing. */
const SAYING: ReadonlySet<string | undefined> = new Set<CallFate>(['ran', 'blocked', 'rewritten', 'unasked']);

/** How many calls that were made alone were stopped, and of how many. */
function sumOf(steps: readonly ProbeStep[], outcomes: CallOutcomes): SumOf {
  const count = (kind: ProbeCase['kind'], does: (did: CallFate) => boolean): number =>
    steps.filter(
      ({ scene, of, name }) => scene === 'alone' && of.kind === kind && does(outcomes[name]?.did ?? 'not called'),
    ).length;
  const sum = (does: (did: CallFate) => boolean): CaseCounts => ({
    noes: count('no', does),
    broken: count('broken', does),
  });
  return { ...sum((did) => did === 'blocked'), of: sum((did) => did !== 'not called') };
}

/** Why the outcomes mean nothing: even with a silent hook, something else decided. Undefined if they count. */
function voidBecause({ silent0 }: CallOutcomes): string | undefined {
  const words: Readonly<Partial<Record<CallFate, string>>> = {
    unasked:
      'it never asked its hook: this version may not read the file that was written for it, or runs no hooks there',
    refused: 'it refused a call without asking its hook: something else does not allow its shell tool',
    blocked: 'it did not run a call about which its hook said nothing',
    hung: 'it hung at a call about which its hook said nothing',
    'not called': 'it did not make the call that it was told to',
  };
  return words[silent0?.did ?? 'not called'];
}

const NAMES: Readonly<Record<ProbeMode, string>> = {
  direct: 'By itself',
  stateless: 'With hookscope',
  server: 'With a hookscope server',
};

function problemsOf(
  steps: readonly ProbeStep[],
  mode: ProbeMode,
  outcomes: CallOutcomes | undefined,
  events: Readonly<Record<string, AnswerReception>> | undefined,
): string[] {
  if (outcomes === undefined) return [];
  const nothing = voidBecause(outcomes);
  if (nothing !== undefined) return [`${NAMES[mode]}: nothing can be said, since ${nothing}.`];
  const unmade = steps.filter(({ name }) => outcomes[name]?.did === 'not called').map(wordsOf);
  const problems =
    unmade.length === 0 ? [] : [`${NAMES[mode]}: not seen, since the call was never made: ${unmade.join('; ')}.`];
  if (mode === 'direct') return problems;
  for (const step of steps) {
    const did = outcomes[step.name]?.did;
    const wanted = wantedOf(step.of);
    if (did !== undefined && did !== 'not called' && did !== wanted)
      problems.push(`${NAMES[mode]}: ${wordsOf(step)}: ${did}, not ${wanted}.`);
  }
  for (const [name, heard] of Object.entries(events ?? {}))
    if (heard === 'lost') problems.push(`${NAMES[mode]}: ${name}: not heard.`);
  return problems;
}

/** The expected outcome of a call with hookscope in between. */
export const wantedOf = ({ name, kind }: ProbeCase): CallFate =>
  kind === 'other' && name !== 'ask' ? (name === 'rewrite' ? 'rewritten' : 'ran') : 'blocked';

/** What the recorded version of an agent did after a hook; undefined if it was not tested. */
function recordedDid(agent: string, name: string): string | undefined {
  const all = Object.entries(RECORDED[agent]?.did ?? {});
  return all.find(([, names]) => names.split(' ').includes(name))?.[0];
}
