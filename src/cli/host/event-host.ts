import { eventName } from '../../events/catalogue.js';
import type { Json } from '../../values/shape.js';
import { type Terminal, unlessInterrupted } from '../terminal.js';
import { happeningOf } from './claude-flags.js';
import { errorWithNamed } from './named-problems.js';
import { type HostFlags, type OpenedHost, type OpenHostOptions, openHost } from './open-host.js';
import { unknownEvent } from './unknown-event.js';

/** A host for a command that was given an event and its input. */
export interface EventHost extends OpenedHost {
  readonly event: string;
  readonly input: Json;
}

/**
 * Reads the input and opens the host. An unknown event is reported before any problem with the input. Only the host knows whether a
 * name that is not built in is an event of the configuration.
 */
export async function openForEvent(
  spelling: string,
  readInput: () => Promise<Json>,
  flags: HostFlags,
  options: Omit<OpenHostOptions, 'happening'>,
  terminal: Terminal,
): Promise<EventHost> {
  const reading = await unlessInterrupted(terminal, attempt(readInput));
  if ('error' in reading && eventName(spelling) !== undefined) throw await errorWithNamed(flags, reading.error);
  const input = 'input' in reading ? reading.input : {};
  const opened = await unlessInterrupted(terminal, openHost(flags, { ...options, happening: happeningOf(input) }));
  const event = eventName(spelling, Object.keys(opened.host.hooks));
  if (event !== undefined && 'input' in reading) return { ...opened, event, input };
  await opened.host.close();
  throw event !== undefined && 'error' in reading ? reading.error : unknownEvent(spelling, opened.host);
}

async function attempt(
  readInput: () => Promise<Json>,
): Promise<{ readonly input: Json } | { readonly error: unknown }> {
  try {
    return { input: await readInput() };
  } catch (error) {
    return { error };
  }
}
