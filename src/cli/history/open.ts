import { HookscopeError } from '../../errors.js';
import { foundPlaces, openStores } from '../../store/place.js';
import type { RecordStore } from '../../store/store.js';
import { stateFolder } from '../../values/user-folders.js';
import type { Flags } from '../options.js';
import type { Terminal } from '../terminal.js';

/** Where records are read. */
export type StoreFlags = Flags<'store'>;

/** Opens the named store, or those that are found, hands it to `use` and closes it afterwards. Rejects with FILE if there is nothing to read. */
export async function withStore<T>(
  { store: place }: StoreFlags,
  terminal: Terminal,
  use: (store: RecordStore) => Promise<T>,
): Promise<T> {
  const found = place === undefined ? await foundPlaces(terminal.tell) : [place];
  if (found.length === 0) throw nothingKept();
  const store = await openStores(found, { note: terminal.tell }, (_, error) =>
    terminal.tell(`${error.message} What is in the other file is shown.`),
  );
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export function nothingKept(): HookscopeError {
  return new HookscopeError('FILE', {
    file: stateFolder(),
    problem:
      'holds no records, and no server of yours runs. hookscope fire keeps none: use hookscope hook or hookscope serve, or ndjsonSink(file) in code. To read another file, add --store FILE',
  });
}
