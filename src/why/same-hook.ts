import type { HandlerRecord } from '../emit/record.js';

/** A key for a hook of a fire, which it has in other fires too: its name and where it comes from. */
export const hookKey = ({ name, plugin, source: { kind, name: of, file } }: HandlerRecord): string =>
  JSON.stringify([name, file ?? [kind, of, plugin]]);
