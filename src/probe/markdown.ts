import type { CallFate } from './before-tool.js';
import { CASES, type ProbeCase, stepsOf } from './cases.js';
import type { AnswerReception } from './other-events.js';
import { type ProbeReport, wordsOf } from './report.js';
import { MODES, type ProbeMode } from './through.js';

/** The stored results for one agent. An outcome is followed by `, told` if the model received the reason. */
export interface Results {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly date: string;
  readonly before_tool: Readonly<Partial<Record<ProbeMode, Readonly<Record<string, string>>>>>;
  readonly other_events: Readonly<Partial<Record<ProbeMode, Readonly<Record<string, AnswerReception>>>>>;
}

/** Converts a report to the stored form. */
export function resultsOf({ agent: name, title, version, date, cases, sums, other_events }: ProbeReport): Results {
  const short = (mode: ProbeMode): Record<string, string> =>
    Object.fromEntries(
      cases.flatMap((one) => {
        const { did, told } = one[mode] ?? { did: 'not called', told: false };
        return [[one.name, told ? `${did}, told` : did]];
      }),
    );
  const modes = MODES.filter((mode) => sums[mode] !== undefined);
  return {
    name,
    title,
    version,
    date,
    before_tool: Object.fromEntries(modes.map((mode) => [mode, short(mode)])),
    other_events,
  };
}

const WORDS: Readonly<Record<CallFate, string>> = {
  ran: '**runs**',
  blocked: 'stopped',
  rewritten: 'the other runs',
  hung: '**hangs**',
  'not called': '?',
  unasked: '**not asked**',
  refused: 'refused unasked',
};

const HEARD: Readonly<Record<string, string>> = {
  heard: 'yes',
  'no word': '–',
  'not asked': 'not asked',
  lost: '**lost**',
};

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

const didOf = (outcome = 'not called'): CallFate => outcome.replace(/, told$/, '') as CallFate;
const headOf = (all: readonly Results[]): string[] => [
  '',
  ...all.flatMap(({ title, version }) => [`${title} ${version}`, 'through hookscope']),
];

/** Two cells for each agent: alone and with hookscope. Equal results with and without a server are given once. */
function cellsOf(all: readonly Results[], of: (one: Results, mode: ProbeMode) => string | undefined): string[] {
  return all.flatMap((one) => {
    const [alone, server] = [of(one, 'stateless'), of(one, 'server')];
    const through = alone === server || server === undefined ? alone : `${alone}; with a server ${server}`;
    return [of(one, 'direct') ?? '?', through ?? '?'];
  });
}

/** The outcome of the call, for each hook. */
export function casesTable(all: readonly Results[]): string {
  const of =
    (name: string, ran = WORDS.ran) =>
    ({ before_tool }: Results, mode: ProbeMode): string | undefined => {
      const seen = before_tool[mode];
      if (seen === undefined) return undefined;
      const did = didOf(seen[name]);
      return did === 'ran' ? ran : WORDS[did];
    };
  const row = ({ name, what, kind }: ProbeCase): string[] => [
    what,
    ...cellsOf(all, of(name, kind === 'other' && name !== 'ask' ? 'runs' : WORDS.ran)),
  ];
  const kinds = (kind: ProbeCase['kind']): readonly ProbeCase[] => CASES.filter((one) => one.kind === kind);
  const sum = (kind: ProbeCase['kind'], words: string): string[] => {
    const names = kinds(kind).map(({ name }) => name);
    const stopped = ({ before_tool }: Results, mode: ProbeMode): string | undefined => {
      const made = names.map((one) => didOf(before_tool[mode]?.[one])).filter((did) => did !== 'not called');
      return before_tool[mode] && `${made.filter((did) => did === 'blocked').length} of ${made.length}`;
    };
    return [words, ...cellsOf(all, stopped)];
  };
  const told = cellsOf(all, ({ before_tool }, mode) => {
    const seen = before_tool[mode];
    return seen && String(kinds('no').filter(({ name }) => seen[name]?.endsWith(', told')).length);
  });
  const scenes = stepsOf(true).filter(({ scene }) => scene !== 'alone');
  const sceneOf =
    ({ name, of: { kind } }: (typeof scenes)[number]) =>
    (one: Results, mode: ProbeMode): string | undefined =>
      one.before_tool[mode] && one.before_tool[mode][name] === undefined
        ? 'not asked'
        : of(name, kind === 'other' ? 'runs' : WORDS.ran)(one, mode);
  return table(headOf(all), [
    ...kinds('no').map(row),
    ...kinds('broken').map(row),
    sum('no', 'noes heard'),
    ['noes of which the model was told why', ...told],
    sum('broken', 'broken guards stopped'),
    ...kinds('other').map(row),
    ...scenes.map((step) => [wordsOf(step), ...cellsOf(all, sceneOf(step))]),
  ]);
}

/** Whether answers of hooks on other events have an effect. */
export function eventsTable(all: readonly Results[]): string {
  const names = [...new Set(all.flatMap(({ other_events }) => Object.keys(other_events.direct ?? {})))];
  const said = (heard: AnswerReception | undefined): string => (heard === undefined ? '?' : (HEARD[heard] ?? heard));
  return table(
    headOf(all),
    names.map((name) => [
      name,
      ...cellsOf(all, ({ other_events }, mode) => other_events[mode] && said(other_events[mode][name])),
    ]),
  );
}
