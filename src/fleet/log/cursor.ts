import { readRegularFile } from '../../files/regular-file.js';
import { isObject } from '../../values/shape.js';

/** The position at which reading continues. */
export interface LogPlace {
  readonly segment: number;
  readonly offset: number;
}

/** Reads a log's cursor, with the numbers of dropped and sent records; an unreadable cursor means the beginning. */
export function readCursor(file: string): LogPlace & { readonly dropped: number; readonly sent: number } {
  try {
    const kept: unknown = JSON.parse(readRegularFile(file).toString('utf8'));
    const number = (key: string): number => {
      const value = isObject(kept) ? kept[key] : 0;
      return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : 0;
    };
    return { segment: number('segment'), offset: number('offset'), dropped: number('dropped'), sent: number('sent') };
  } catch {
    // All is sent again, and known by its ids.
    return { segment: 0, offset: 0, dropped: 0, sent: 0 };
  }
}
