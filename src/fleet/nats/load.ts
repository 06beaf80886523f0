import { HookscopeError } from '../../errors.js';

/** Streams, for whoever asks a server about one. */
export const jetstreamLibrary = () => loaded(() => import('@nats-io/jetstream'), '@nats-io/jetstream');

/** A package that only fleets need. Rejects with FLEET_FAILED and what to do where it is not installed. */
export async function loaded<T>(load: () => Promise<T>, name: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    const problem = `the package ${name} is not installed; run: npm i @nats-io/transport-node @nats-io/jetstream @nats-io/kv`;
    throw new HookscopeError('FLEET_FAILED', { place: 'NATS', problem }, { cause: error });
  }
}
