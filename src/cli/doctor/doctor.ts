import { sep } from 'node:path';
import type { FireRecord } from '../../emit/record.js';
import { isDamaged } from '../../emit/sinks/sqlite/driver.js';
import { type HookscopeError, isHookscopeError } from '../../errors.js';
import { ended, plainJson } from '../../plain.js';
import { defaultSocket, foundPlaces, keptPlaces, openStores, serverState } from '../../store/place.js';
import type { RecordStore } from '../../store/store.js';
import { wrongOption } from '../../values/options.js';
import { stateFolder } from '../../values/user-folders.js';
import { sameStore } from '../history/again.js';
import { type MaskFlags, maskOf } from '../history/masked.js';
import type { StoreFlags } from '../history/open.js';
import { latestOf, unclosedOf } from '../history/unclosed.js';
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
  const { fired, damage, unread } = await readAll(places, from, health, {
    terminal,
    isKept: flags.store === undefined && !isTaken,
  });
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

interface StoreFacts {
  /** The events that were fired in this folder. */
  readonly fired: ReadonlySet<string>;
  readonly damage: readonly DoctorFinding[];
  /** The places that could not be read. */
  readonly unread: ReadonlySet<string>;
}

/** Reads the records. A damaged store is a finding, so that the other checks still run. */
async function readAll(
  places: readonly string[],
  since: number,
  health: Health,
  { terminal, isKept }: { readonly terminal: Terminal; readonly isKept: boolean },
): Promise<StoreFacts> {
  const fired = new Set<string>();
  const damage: DoctorFinding[] = [];
  const unread = new Set<string>();
  if (places.length === 0) return { fired, damage, unread };
  let store: RecordStore | undefined;
  // It is read twice, and both tell of the same lines.
  const notes = new Set<string>();
  const note = (text: string): void => {
    if (!notes.has(text)) terminal.tell(text);
    notes.add(text);
  };
  try {
    store = await openStores(places, { note }, (place, error) => {
      unread.add(place);
      damage.push(unreadable(error));
    });
    health.latest = await latestOf(store);
    for await (const record of store.records({ since })) {
      if (terminal.signal.aborted) break;
      health.add(record);
      if (record.type === 'hook_fire' && isHere(record)) fired.add(record.event);
    }
    if (!isKept && notes.size > 0 && health.latest === undefined) damage.push(noRecord(store.place));
  } catch (error) {
    // A place that the user named is a mistake of theirs; what stands where records are kept is a finding.
    if (!isHookscopeError(error) || !(isDamaged(error.cause) || (isKept && error.code === 'FILE'))) throw error;
    for (const place of places) unread.add(place);
    damage.push(unreadable(error));
  } finally {
    await store?.close();
  }
  return { fired, damage, unread };
}

const noRecord = (place: string): DoctorFinding => ({
  level: 'problem',
  about: 'records',
  text: `Nothing in ${place} can be read as a record.`,
  fix: 'Name a file that a sink has written (--store), or move this one away.',
});

function unreadable(error: HookscopeError): DoctorFinding {
  const [text, advice] = splitAdvice(error.message);
  // What failed while it was read says nothing about its records; what is no file of records has no cause.
  const fix =
    error.cause === undefined
      ? 'Move it away; a new one is begun.'
      : 'See that it can be read; its records may be whole.';
  return { level: 'problem', about: 'records', text, fix: advice === '' ? fix : advice };
}

/** The message about a damaged store gives its advice after the first semicolon. */
function splitAdvice(message: string): [text: string, fix: string] {
  const [text = '', ...advice] = message.split('; ');
  const fix = advice.join('; ');
  return [text, fix.charAt(0).toUpperCase() + fix.slice(1)];
}

function isHere({ input: { cwd } }: FireRecord): boolean {
  const here = process.cwd();
  return typeof cwd === 'string' && (cwd === here || cwd.startsWith(here + sep));
}

function placeWords(places: readonly string[], unread: ReadonlySet<string>, { fires }: Health, since: string): string {
  if (places.length === 0)
    return 'No records are kept, so it is not known what hooks did. Agents that are connected and hookscope serve keep them; in code, ndjsonSink does.';
  const read = places.filter((place) => !unread.has(place));
  if (read.length === 0) return `${places.join(' and ')} could not be read, so it is not known what hooks did.`;
  return `${fires} ${fires === 1 ? 'fire' : 'fires'} in ${read.join(' and ')} ${/^\d+\w+$/.test(since) ? `within ${since}` : `since ${since}`}.`;
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
