import { ended, plain } from '../../plain.js';
import type { CallFate, CallOutcome } from '../../probe/before-tool.js';
import { casesTable, eventsTable, resultsOf } from '../../probe/markdown.js';
import type { ProbedCase, ProbeReport } from '../../probe/report.js';
import { MODES, type ProbeMode } from '../../probe/through.js';
import type { Paint } from '../run/view.js';

const DID: Readonly<Record<CallFate, string>> = {
  ran: 'runs',
  blocked: 'stopped',
  rewritten: 'the other runs',
  hung: 'hangs',
  'not called': '?',
  unasked: 'not asked',
  refused: 'refused unasked',
};
const TITLES: Readonly<Record<ProbeMode, string>> = {
  direct: 'by itself',
  stateless: 'hookscope',
  server: 'its server',
};

/** For a terminal: one line per hook, then the conclusion. */
export function textOf(report: ProbeReport, paint: Paint): string {
  const modes = MODES.filter((mode) => report.sums[mode] !== undefined);
  const width = Math.max(...report.cases.map(({ what }) => what.length)) + 2;
  const row = (first: string, cells: readonly string[]): string =>
    `${first.padEnd(width)}${cells.map((cell) => cell.padEnd(16)).join('')}`.trimEnd();
  const cell = (one: ProbedCase, mode: ProbeMode): string => DID[one[mode]?.did ?? 'not called'].padEnd(16);
  const colored = (one: ProbedCase, mode: ProbeMode): string =>
    isLost(one, one[mode]) ? paint('red', cell(one, mode)) : cell(one, mode);
  const sum = (of: 'noes' | 'broken'): string[] =>
    modes.map((mode) => `${report.sums[mode]?.[of]} of ${report.sums[mode]?.of[of]}`);
  const lines = report.cases.map((one) =>
    `${one.what.replaceAll('`', '').padEnd(width)}${modes.map((mode) => colored(one, mode)).join('')}`.trimEnd(),
  );
  return [
    row(
      '',
      modes.map((mode) => TITLES[mode]),
    ),
    ...lines,
    '',
    row('noes heard', sum('noes')),
    row('broken guards stopped', sum('broken')),
    ...eventLines(report, modes, row),
    '',
    ...remarks(report).map((text) => ended(plain(text))),
    ...report.problems.map((text) => `${paint('red', 'problem')}  ${plain(text)}`),
  ].join('\n');
}

/** Whether a call was not blocked although a hook denied it or was broken. */
const isLost = ({ kind }: ProbedCase, outcome: CallOutcome | undefined): boolean =>
  kind !== 'other' && outcome !== undefined && outcome.did !== 'not called' && outcome.did !== 'blocked';

function eventLines(
  { other_events }: ProbeReport,
  modes: readonly ProbeMode[],
  row: (first: string, cells: readonly string[]) => string,
): string[] {
  const names = Object.keys(other_events.direct ?? {});
  if (names.length === 0) return [];
  return [
    '',
    ...names.map((name) =>
      row(
        name,
        modes.map((mode) => other_events[mode]?.[name] ?? '?'),
      ),
    ),
  ];
}

/** What was seen, where, and how it is known, in sentences. */
export function remarks({ title, version, date, program, network, policies, runs, ...report }: ProbeReport): string[] {
  const { recorded, hears_more: more, hears_less: less } = report;
  const { seen, unseen } = report.compared;
  const compared = (): string[] => {
    if (recorded === undefined) return ['No version of it was recorded, so nothing is compared'];
    const other = `${recorded.version}, which was recorded on ${recorded.date}`;
    const same = recorded.version === version;
    if (seen === 0)
      return [
        `Nothing of it could be compared with ${same ? `this version as it was recorded on ${recorded.date}` : other}`,
      ];
    if (more.length === 0 && less.length === 0)
      return [
        `${unseen === 0 ? 'It' : 'As far as could be seen, it'} obeys the same answers as ${same ? `this version did when it was recorded on ${recorded.date}` : `version ${other}`}`,
      ];
    return [
      ...(more.length === 0 ? [] : [`This version hears more than recorded (${other}): ${more.join('; ')}`]),
      ...(less.length === 0 ? [] : [`This version hears less than recorded (${other}): ${less.join('; ')}`]),
    ];
  };
  const known = policies.map(
    ({ file, readable, named }) =>
      `${file} (${named ? 'which it has named' : readable ? 'known by its place alone' : 'known by its place alone; not yours to read'})`,
  );
  return [
    `${title} ${version} (${program}), started ${runs} times on ${date}, with a home, a folder and an environment of its own, ${network.blocked ? `and no network but loopback (${network.how})` : 'and THE NETWORK OPEN'}`,
    ...compared(),
    known.length === 0
      ? 'None of the system-wide files exists that, by its documents, it reads'
      : `System-wide files that, by its documents, it reads, and that may have changed the result: ${known.join(', ')}`,
  ];
}

/** The tables of docs/agents.md, for one agent. */
export function markdownOf(report: ProbeReport): string {
  const results = resultsOf(report);
  const events = Object.keys(report.other_events).length === 0 ? [] : [eventsTable([results])];
  const all = [...remarks(report), ...report.problems].map((text) => `- ${ended(plain(text))}`).join('\n');
  return [`## ${report.title} ${plain(report.version)}`, casesTable([results]), ...events, all].join('\n\n');
}
