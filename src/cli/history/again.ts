import { plain } from '../../plain.js';

/** The options that a command which is given as advice needs to read the same records, with a blank before them; empty: it finds them by itself. */
export const sameStore = ({ store }: { readonly store?: string | undefined }): string => optionWith('store', store);

/** An option as a shell reads it, with a blank before it. */
export function optionWith(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  const shown = plain(value);
  return ` --${name} ${/^[\w./:@%+=,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`}`;
}
