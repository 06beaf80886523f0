import { plain } from '../../plain.js';

/** The options that a command which is given as advice needs to read the same records, with a blank before them; empty: it finds them by itself. */
export const sameStore = ({ store }: { readonly store?: string | undefined }): string => optionWith('store', store);

/** An option as a shell reads it, with a blank before it. */
export function optionWith(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  return ` --${name} ${pasted(value)}`;
}

/** A word as a shell reads it when it is pasted. What a terminal would not show as itself is written out within `$'…'`, byte by byte, for any locale. */
export function pasted(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  if (plain(word) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const shown = Array.from(word, (character) => {
    if (plain(character) === character) return character.replace(/[\\']/, String.raw`\$&`);
    const bytes = [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
    return { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character] ?? bytes.join('');
  });
  return `$'${shown.join('')}'`;
}
