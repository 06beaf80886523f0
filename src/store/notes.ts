import { clip } from '../plain.js';

/** Reports what could not be read, in few lines however much it is. */
export interface StoreNotes {
  /** A line that is not a record, and why. */
  foreign(place: () => Promise<string>, why: string): Promise<void>;
  /** The last line, which is still written or was cut short by a crash. */
  torn(place: () => Promise<string>): Promise<void>;
  /** A record of a later version, by its type. */
  unknown(type: string): void;
  /** Tells what was only counted. */
  end(): void;
}

/** At most this many places are named. */
const NAMED = 3;

export function createNotes(tell: (text: string) => void = () => undefined): StoreNotes {
  let foreign = 0;
  const unknown = new Map<string, number>();
  return {
    async foreign(place, why) {
      foreign += 1;
      if (foreign <= NAMED) tell(`${await place()}: this line ${why}, and is left out`);
    },
    async torn(place) {
      tell(`${await place()}: its last line is not complete, and is left out`);
    },
    unknown(type) {
      // A file of anything has any number of types.
      const name = unknown.size < 10 || unknown.has(type) ? type : 'others';
      unknown.set(name, (unknown.get(name) ?? 0) + 1);
    },
    end() {
      if (foreign > NAMED) tell(`${foreign - NAMED} more lines are no records, and are left out`);
      const types = [...unknown].map(([type, count]) => `${clip(type, 40)} (${count})`);
      if (types.length > 0) tell(`records of types that this version does not know are left out: ${types.join(', ')}`);
      foreign = 0;
      unknown.clear();
    },
  };
}
