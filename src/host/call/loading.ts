import type { Handler } from '../../handlers/handler.js';

const LOADED = new WeakSet<Handler>();

/** Loads what the handler's first run needs; undefined: nothing is needed any more. */
export function loading(handler: Handler): Promise<void> | undefined {
  if (handler.load === undefined || LOADED.has(handler)) return undefined;
  return handler.load().then(() => void LOADED.add(handler));
}
