import { setMaxListeners } from 'node:events';
import { linkAbort } from '../values/waiting/link-abort.js';

/** The controller of a turn, whose signal any number of calls listen to. */
export function turnController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  // With this permanent link, the fires of the turn share one listener.
  linkAbort(controller.signal, { end: () => undefined });
  return controller;
}
