import type { EventSpec } from '../../events/spec.js';
import { subjectIn } from '../../events/subject.js';
import { clip } from '../../plain.js';
import type { ReplayedHook } from '../../replay/changes/behind.js';
import type { ReplayChange, Replayed } from '../../replay/replay.js';

/** The most groups that are distinguished; later ones are counted with the others of their kind. */
const MOST = 500;
/** Characters of an input in an example. */
const SHOWN = 100;

/** In the order in which they are shown. */
export const CHANGES: readonly ReplayChange[] = ['denied', 'asked', 'allowed', 'rewritten', 'said', 'unknown'];

/** Fires that change in one way, by one hook. */
export interface ChangeGroup {
  readonly changed: ReplayChange;
  readonly by: ReplayedHook | undefined;
  /** Why it could not be decided at all. */
  readonly problem: string | undefined;
  count: number;
  /** The first fire of the group. */
  readonly example: { readonly event: string; readonly what: string; readonly place: string; readonly id: string };
}

/** Counts what a replay finds. Its memory is bounded, however long the replay is. */
export class ReplaySummary {
  fires = 0;
  /** How many fires changed, by kind of change. */
  readonly counts = new Map<ReplayChange, number>();
  readonly #groups = new Map<string, ChangeGroup>();
  readonly #specOf: (event: string) => EventSpec | undefined;

  constructor(specOf: (event: string) => EventSpec | undefined) {
    this.#specOf = specOf;
  }

  add({ fire, now, then, changed, by }: Replayed): void {
    this.fires += 1;
    if (changed === undefined) return;
    this.counts.set(changed, (this.counts.get(changed) ?? 0) + 1);
    const problem = now.problem ?? then?.problem;
    const key = JSON.stringify([changed, by?.kind, by?.name, by?.asked, by?.source?.file, by?.why, problem]);
    const known = this.#groups.get(key) ?? (this.#groups.size < MOST ? undefined : this.#groups.get(changed));
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const isFull = this.#groups.size >= MOST;
    const { event, input, place, id } = fire;
    const what = `${subjectIn(this.#specOf(event), input) ?? ''} ${shownInput(input)}`.trim();
    // Copied, since a slice would keep the whole text in memory.
    const example = { event, what: Buffer.from(clip(what, SHOWN)).toString(), place, id };
    const group = { changed, by: isFull ? undefined : by, problem, count: 1, example };
    this.#groups.set(isFull ? changed : key, group);
  }

  get changed(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The groups of one kind, the largest first. */
  groups(changed: ReplayChange): ChangeGroup[] {
    return [...this.#groups.values()].filter((group) => group.changed === changed).sort((a, b) => b.count - a.count);
  }

  /** 3 if anything is unknown, whatever else changes; 1 if anything changes. */
  get exitCode(): 0 | 1 | 3 {
    return this.counts.has('unknown') ? 3 : this.counts.size > 0 ? 1 : 0;
  }
}

/** The part of an input by which people recognise a call. */
function shownInput(input: Readonly<Record<string, unknown>>): string {
  const { tool_input: tool = {}, prompt, message } = input as Record<string, Record<string, unknown> | undefined>;
  const { command, file_path: file, url, path, pattern } = (tool ?? {}) as Record<string, unknown>;
  const found = [command, file, url, path, pattern, prompt, message].find((each) => typeof each === 'string');
  return found === undefined ? '' : String(found);
}
