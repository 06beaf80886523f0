import { HookscopeError } from '../../errors.js';
import { messageOf } from './promises.js';

/** A package that users install for one of our entries, such as an adapter's framework, and the versions that the entry was tested with. */
export interface PeerPackage {
  /** The entry that was imported: `hookscope/adapters/…`, `hookscope/sinks/otel`. */
  readonly entry: string;
  readonly peer: string;
  readonly range: string;
}

/** The package's exports. Throws PEER if it is not installed, or is not a version that the entry supports. */
export async function loadPeer<T>(
  of: PeerPackage,
  load: () => Promise<T>,
  isKnown: (loaded: T) => boolean,
): Promise<T> {
  let loaded: T;
  try {
    loaded = await load();
  } catch (cause) {
    const missing =
      (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND' && messageOf(cause).includes(`'${of.peer}'`);
    const problem = missing ? 'it is not installed' : `it could not be loaded: ${messageOf(cause)}`;
    throw new HookscopeError('PEER', { ...of, problem }, { cause });
  }
  if (!isKnown(loaded)) throw new HookscopeError('PEER', { ...of, problem: 'what is installed is of another version' });
  return loaded;
}
