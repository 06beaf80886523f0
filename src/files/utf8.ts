import { isUtf8 } from 'node:buffer';
import { UnreadFileError } from './regular-file.js';

/** The text of a file and, if it is not valid UTF-8, why hooks are not read from it. */
export interface DecodedText {
  /** Invalid UTF-8 is replaced with U+FFFD. UTF-16 is decoded. */
  readonly text: string;
  readonly wrong?: {
    /** The offset of the first error in the text. */
    readonly at: number;
    readonly message: string;
  };
}

/** Decodes a file. UTF-16 is decoded too, so that the file's kind can still be recognised. */
export function decodeText(bytes: Buffer): DecodedText {
  const utf16 = isUtf16(bytes);
  if (utf16 !== undefined)
    return { text: new TextDecoder(utf16).decode(bytes), wrong: { at: 0, message: 'is UTF-16; save it as UTF-8' } };
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  const { at, byte } = firstWrong(bytes, text);
  const lines = text.slice(0, at).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  const message = `${place}: a byte (0x${byte.toString(16)}) that is not UTF-8; save the file as UTF-8`;
  return { text, wrong: { at, message } };
}

/** Decodes a file that contains hooks. Throws UnreadFileError for invalid UTF-8, because a matcher or rule with a replaced character would mean something else. */
export function strictText(bytes: Buffer): string {
  const { text, wrong } = decodeText(bytes);
  if (wrong !== undefined) throw new UnreadFileError(wrong.message);
  return text;
}

/** Recognises UTF-16 by its byte order mark, or by a zero byte among the first two, as in any ASCII character. */
function isUtf16([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined)) return 'utf-16be';
  return undefined;
}

/** Finds the first U+FFFD in the text that the file itself does not contain. */
function firstWrong(bytes: Buffer, text: string): { readonly at: number; readonly byte: number } {
  let offset = 0;
  for (let [from, at] = [0, text.indexOf('\uFFFD')]; at >= 0; at = text.indexOf('\uFFFD', from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (!bytes.subarray(offset, offset + 3).equals(REPLACEMENT)) return { at, byte: bytes[offset] as number };
    offset += REPLACEMENT.length;
    from = at + 1;
  }
  return { at: 0, byte: bytes[0] as number };
}

const REPLACEMENT = Buffer.from('\uFFFD');
