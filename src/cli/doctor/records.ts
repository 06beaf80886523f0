import { sep } from 'node:path';
import type { FireRecord } from '../../emit/record.js';
import { isDamaged } from '../../emit/sinks/sqlite/driver.js';
import { type HookscopeError, isHookscopeError } from '../../errors.js';
import { openStore, openStores } from '../../store/place.js';
import type { RecordStore } from '../../store/store.js';
import { latestOf } from '../history/unclosed.js';
import type { Terminal } from '../terminal.js';
import type { DoctorFinding } from './finding.js';
import type { Health } from './health.js';
import { isNoDatabase } from './keeping.js';

interface ReadOptions {
  /** In milliseconds since 1970. */
  readonly since: number;
  /** Whether the user named the place. */
  readonly isNamed: boolean;
  readonly health: Health;
  readonly terminal: Terminal;
}

interface StoreFacts {
  /** The events that were fired in this folder. */
  readonly fired: ReadonlySet<string>;
  readonly damage: readonly DoctorFinding[];
  /** The places that could not be read. */
  readonly unread: ReadonlySet<string>;
}

/** Reads the records. A damaged store is a finding, so that the other checks still run. */
export async function readRecords(
  places: readonly string[],
  { since, isNamed, health, terminal }: ReadOptions,
): Promise<StoreFacts> {
  const fired = new Set<string>();
  const damage: DoctorFinding[] = [];
  const unread = new Set<string>();
  const lost = (place: string, error: unknown): void => {
    // A place that the user named is a mistake of theirs; what stands where records are kept is a finding.
    if (!isHookscopeError(error) || !(isDamaged(error.cause) || (!isNamed && error.code === 'FILE'))) throw error;
    unread.add(place);
    damage.push(unreadable(error));
  };
  const readable = (): string[] => places.filter((place) => !unread.has(place));
  for (const place of places)
    try {
      const { latest, holds } = await lookAt(place);
      if (latest !== undefined && !(health.latest !== undefined && health.latest > latest)) health.latest = latest;
      damage.push(...emptyFindings(place, holds, isNamed));
    } catch (error) {
      lost(place, error);
    }
  if (readable().length === 0) return { fired, damage, unread };
  let store: RecordStore | undefined;
  try {
    store = await openStores(readable(), { note: terminal.tell }, lost);
    for await (const record of store.records({ since })) {
      if (terminal.signal.aborted) break;
      health.add(record);
      if (record.type === 'hook_fire' && isHere(record)) fired.add(record.event);
    }
  } catch (error) {
    for (const place of readable()) lost(place, error);
  } finally {
    await store?.close();
  }
  return { fired, damage, unread };
}

/** What a place holds: records, only what is no record (`others`), or neither. */
type Holding = 'records' | 'others' | 'nothing';

/** Looks from the end; what is no record is told where all is read. */
async function lookAt(place: string): Promise<{ readonly latest?: string | undefined; readonly holds: Holding }> {
  let holds: Holding = 'nothing';
  const note = (_: string, isNoRecord = false): void => {
    if (isNoRecord) holds = 'others';
  };
  const store = await openStore(place, { note });
  try {
    const latest = await latestOf(store);
    if (latest !== undefined) return { latest, holds: 'records' };
    // One from the future is a record, too.
    for await (const _ of store.records({ newest: true, limit: 1 })) return { holds: 'records' };
    return { holds };
  } finally {
    await store.close();
  }
}

function emptyFindings(place: string, holds: Holding, isNamed: boolean): DoctorFinding[] {
  const about = 'records';
  if (holds === 'others' && !(!isNamed && isNoDatabase(place))) {
    const fix = isNamed ? 'Name a file that a sink has written (--store).' : 'Move it away; a new one is begun.';
    return [{ level: 'problem', about, text: `Nothing in ${place} can be read as a record.`, fix }];
  }
  if (holds !== 'nothing' || !isNamed) return [];
  const fix = 'Wait until a sink has written to it, or name another (--store).';
  return [{ level: 'remark', about, text: `${place} holds no record that can be read.`, fix }];
}

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
