import { plain } from '../../plain.js';
import type { ReplayedHook } from '../../replay/changes/behind.js';
import type { ReplayChange } from '../../replay/replay.js';
import { greatest } from '../../values/append.js';
import { CHANGES, type ChangeGroup, type ReplaySummary } from './summary.js';

const TITLES: Readonly<Record<ReplayChange, string>> = {
  denied: 'newly denied',
  asked: 'newly asked',
  allowed: 'newly allowed',
  rewritten: 'rewritten otherwise',
  said: 'said otherwise',
  unknown: 'unknown',
};

const number = (count: number): string => count.toLocaleString('en-US');

/** The result in one line. */
export function headline(summary: ReplaySummary): string {
  const { fires, changed, counts } = summary;
  const parts = CHANGES.flatMap((change) => {
    const count = counts.get(change);
    return count === undefined ? [] : [`${number(count)} ${TITLES[change]}`];
  });
  const same = number(fires - changed);
  return `${number(fires)} ${fires === 1 ? 'fire' : 'fires'} replayed: ${[`${same} as they were`, ...parts].join(', ')}`;
}

export function textReport(summary: ReplaySummary): string[] {
  const lines = [headline(summary)];
  for (const change of CHANGES) {
    const groups = summary.groups(change);
    if (groups.length === 0) continue;
    lines.push('', `${TITLES[change]} (${number(summary.counts.get(change) ?? 0)})`);
    for (const group of groups) {
      lines.push(`  ${number(group.count).padStart(6)}  ${plain(behind(group))}`);
      lines.push(`          ${plain(exampleOf(group))}`);
    }
  }
  return lines;
}

export function markdownReport(summary: ReplaySummary): string[] {
  const lines = [`**${headline(summary)}**`];
  for (const change of CHANGES) {
    const groups = summary.groups(change);
    if (groups.length === 0) continue;
    lines.push('', `### ${TITLES[change]} (${number(summary.counts.get(change) ?? 0)})`, '');
    lines.push('| Fires | By | For example |', '| ---: | --- | --- |');
    for (const group of groups)
      lines.push(`| ${number(group.count)} | ${cell(behind(group))} | ${cell(exampleOf(group))} |`);
  }
  return lines;
}

/** The hook that a change is due to. */
function behind({ by, problem }: ChangeGroup): string {
  if (by === undefined) return problem ?? 'a hook that the recording does not name';
  return `${hookWords(by)}${by.why === undefined ? '' : `: ${by.why}`}`;
}

function hookWords({ name, kind, asked, source }: ReplayedHook): string {
  const from = source?.file ?? source?.name;
  const what = asked === undefined ? '' : kind === 'rule' ? ` (${asked})` : ` on ${asked}`;
  return `${name.startsWith(`${kind} `) ? '' : `${kind} `}${name}${what}${from === undefined ? '' : ` [${from}]`}`;
}

const exampleOf = ({ example: { event, what, place, id } }: ChangeGroup): string =>
  `${event}${what === '' ? '' : ` ${what}`}  (${place}, ${id})`;

/** Text in a table, as code: no foreign text can end it, link anywhere or mention a user. */
function cell(text: string): string {
  const shown = plain(text).replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('\\\\|', '\\ \\|');
  const longest = greatest(
    0,
    (shown.match(/`+/g) ?? []).map(({ length }) => length),
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${shown} ${fence}`;
}
