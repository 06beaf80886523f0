import { ended, plainJson } from '../../plain.js';
import { defaultSocket, foundPlaces, keptPlaces, serverState } from '../../store/place.js';
import { wrongOption } from '../../values/options.js';
import { stateFolder } from '../../values/user-folders.js';
import { sameStore } from '../history/again.js';
import { type MaskFlags, maskOf } from '../history/masked.js';
import type { StoreFlags } from '../history/open.js';
import { unclosedOf } from '../history/unclosed.js';
import { readMoment } from '../option-values.js';
import { type Flags, spelled } from '../options.js';
import { createPaint, type Paint } from '../run/view.js';
import type { Terminal } from '../terminal.js';
import { acceptedFindings } from './accepted.js';
import { agentFindings } from './agents.js';
import { connected } from './connections.js';
import { fileFindings, unlistedFindings } from './files.js';
import type { DoctorFinding } from './finding.js';
import { Health } from './health.js';
import { keepingFindings } from './keeping.js';
import type { ProbeFlags } from './probe.js';
import { readRecords } from './records.js';
import { serverFindings } from './server.js';
import { unboundFindings } from './unbound.js';
import { knownConnections } from './unlisted.js';

type DoctorFlags = StoreFlags & MaskFlags & ProbeFlags & Flags<'sinceSaid' | 'slow' | 'hooks' | 'codex'>;

/** `HOW`: flags for `--probe` alone. `LOOK`: flags for doctor without it. */
const HOW: readonly (keyof ProbeFlags)[] = ['agentPath', 'everything', 'patience', 'openNetwork', 'markdown'];
const LOOK = ['store', 'since', 'slow', 'hooks', 'codex'];

/** A flag without effect is a mistake of the user. Throws INVALID_OPTIONS. */
function checkProbeFlags(flags: ProbeFlags): void {
  const stray = Object.keys(flags).find((key) => (flags.probe === undefined ? HOW : LOOK).includes(key as never));
  if (stray === undefined) return;
  const where = spelled(stray);
  const expected = flags.probe === undefined ? 'expected together with --probe' : 'is not for --probe';
  throw wrongOption(where, expected);
}

/** The default of `--slow`: from this 95th percentile on, in milliseconds, a hook is slow. */
const SLOW = 1000;

/** Exits with 1 if a finding is a problem. */
export async function doctorCommand(_args: readonly string[], flags: DoctorFlags, terminal: Terminal): Promise<number> {
  checkProbeFlags(flags);
  if (flags.probe !== undefined) return (await import('./probe.js')).probeCommand(flags.probe, flags, terminal);
  const { since = '7d', slow: limit = SLOW } = flags;
  const from = readMoment(since, '--since');
  const connections = await knownConnections(process.cwd());
  const { handlers, hooksFiles: theirs } = connected(connections.all);
  const hooks = [...new Set([...(flags.hooks ?? []), ...theirs])];
  const mask = maskOf(flags);
  const health = new Health(mask.record, sameStore(flags));
  const isTaken = (await serverState(defaultSocket())) === 'stranger';
  const found = isTaken ? keptPlaces(stateFolder()) : await foundPlaces();
  const places = flags.store === undefined ? found : [flags.store];
  const isNamed = flags.store !== undefined;
  const { fired, damage, unread } = await readRecords(places, { since: from, isNamed, health, terminal });
  if (terminal.signal.aborted) return 1;
  const findings = [
    ...(await serverFindings(connections.all, flags.store === undefined ? health : {})),
    ...(await unboundFindings(connections.all)),
    ...connections.findings,
    ...(await agentFindings(connections.all, {
      fired: health.agents,
      since: from,
      codex: flags.codex,
    })),
    ...damage,
    ...(flags.store === undefined ? [...keepingFindings(health.latest), ...acceptedFindings(from)] : []),
    ...health.findings(limit),
    ...unclosedOf(flags.store).flatMap((one) => health.unclosed(one, flags.store)),
    ...(await fileFindings(hooks, handlers)),
    ...(await unlistedFindings(health, fired, { hooksFiles: hooks, handlers })),
  ]
    .sort((a, b) => Number(a.level === 'remark') - Number(b.level === 'remark'))
    .map((finding) => ({ ...finding, text: ended(mask.text(finding.text)), fix: ended(mask.text(finding.fix)) }));
  if (flags.json) for (const finding of findings) await terminal.print(plainJson(finding));
  else await terminal.print(report(findings, placeWords(places, unread, health, since), createPaint(terminal.color)));
  return findings.some(({ level }) => level === 'problem') ? 1 : 0;
}

function placeWords(places: readonly string[], unread: ReadonlySet<string>, { fires }: Health, since: string): string {
  if (places.length === 0)
    return 'No records are kept, so it is not known what hooks did. Agents that are connected and hookscope serve keep them; in code, ndjsonSink does.';
  const read = places.filter((place) => !unread.has(place));
  if (read.length === 0) return `${places.join(' and ')} could not be read, so it is not known what hooks did.`;
  return `${fires} ${fires === 1 ? 'fire' : 'fires'} in ${read.join(' and ')} ${since.includes('-') ? 'since' : 'within'} ${since}.`;
}

function report(findings: readonly DoctorFinding[], about: string, paint: Paint): string {
  const lines = findings.map(
    ({ level, text, fix }) =>
      `${paint(level === 'problem' ? 'red' : 'yellow', level)}  ${text}\n  ${paint('dim', fix)}`,
  );
  const problems = findings.filter(({ level }) => level === 'problem').length;
  const remarks = findings.length - problems;
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  const sum =
    findings.length === 0 ? 'Nothing is wrong.' : `${count(problems, 'problem')}, ${count(remarks, 'remark')}.`;
  return [...lines, ...(lines.length > 0 ? [''] : []), about, sum].join('\n');
}
