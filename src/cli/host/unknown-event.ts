import type { Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { otherName } from '../../events/other-names.js';
import { nearest } from '../../values/nearest.js';

/** Where users of the command line find events; the library's message does not mention that. */
const REMEDY =
  'docs/events.md has them all, and hookscope agents NAME those of an agent; one of your own is defined in a configuration (--config).';

/** The error for an event that this host does not have. */
export function unknownEvent(event: string, { hooks }: Pick<Host, 'hooks'>): HookscopeError {
  const theirs = otherName(event);
  return new HookscopeError('UNKNOWN_EVENT', {
    event,
    nearest: theirs === undefined ? nearest(event, Object.keys(hooks)) : undefined,
    remedy: theirs === undefined ? REMEDY : `It ${theirs}.`,
  });
}
