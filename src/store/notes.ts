import { clip } from '../plain.js';
import type { StoreOptions } from './store.js';

/** Reports lines and records that could not be read, in a few messages however many there are. */
export interface StoreNotes {
  /** Reports a line that is not a record, and why. */
  foreign(place: () => Promise<string>, why: string): Promise<void>;
  /** Reports an incomplete last line: still being written, or cut short by a crash. */
  torn(place: () => Promise<string>): Promise<void>;
  /** Counts a record of a type that this version does not know. */
  unknown(type: string): void;
  /** Reports what was only counted. */
  end(): void;
}

/** The most lines that are reported one by one. */
const NAMED = 3;

/** `all`: the place of everything that is read. */
export function createNotes(tell: NonNullable<StoreOptions['note']> = () => undefined, all = ''): StoreNotes {
  let foreign = 0;
  const unknown = new Map<string, number>();
  return {
    async foreign(place, why) {
      foreign += 1;
      if (foreign <= NAMED) tell(`${await place()}: this line ${why}, and is left out`, true);
    },
    async torn(place) {
      tell(`${await place()}: its last line is not complete, and is left out`);
    },
    unknown(type) {
      // A file of something else may have any number of types.
      const name = unknown.size < 10 || unknown.has(type) ? type : 'others';
      unknown.set(name, (unknown.get(name) ?? 0) + 1);
    },
    end() {
      if (foreign > NAMED) tell(`${all}: ${foreign - NAMED} more lines are no records, and are left out`);
      const types = [...unknown].map(([type, count]) => `${clip(type, 40)} (${count})`);
      if (types.length > 0)
        tell(`${all}: records of types that this version does not know are left out: ${types.join(', ')}`);
      foreign = 0;
      unknown.clear();
    },
  };
}
