import { without } from './cuts.js';
import type { TextSpan } from './quoted.js';

const NOTHING: readonly TextSpan[] = [];
/** Prefixes that tools add to each line. */
const PREFIXES = [
  // A log line's time, level and source; the name of a container or stream.
  String.raw`(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:Z+-]{0,20}\]?[ \t]|[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8} [\w.-]{1,100} [\w./-]{1,100}(?:\[\d{1,9}\])?: |[\w.-]{1,60} {1,30}\| ?|\[(?![\w.-]*(?:passwords|secrets|credentials|tokens|keys)\])[\w.:-]{1,40}\][ \t])(?:\[(?![\w.-]*(?:passwords|secrets|credentials|tokens|keys)\])[\w.:-]{1,40}\][ \t]|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b:?[ \t]{1,2}){0,4}`,
  // A line number; `file:12:`, `file-12-` and `file:`, as grep prints them.
  String.raw`[ \t]*\d{1,6}(?:→|\t| {2}|:)`,
  String.raw`[\w./@-]{1,200}?\.\w{1,8}(?::\d{1,6}:|-\d{1,6}-)`,
  String.raw`[\w./@-]{1,200}(?::\d{1,6}:|-\d{1,6}-)`,
  String.raw`[\w./@-]{0,100}[./][\w./@-]{1,100}:(?![:/])`,
  // The signs of a diff; a quoted mail; a comment.
  String.raw`\+(?!\+\+)`,
  '-(?!--)',
  String.raw`>[ \t]?`,
  String.raw`[ \t]*(?:#|//|\*)[ \t]`,
];
const BEFORE_LINE = new RegExp(String.raw`(?<=^|[\n"])(?:${PREFIXES.join('|')})`, 'g');
/** The header of a diff's hunk. */
const HUNK = /(?:^|[\n"])@@ -\d/;

/**
 * Runs `look` on the lines without their prefixes, if they have any. A single `-` or `+` may be a list item, so it does not count alone.
 */
export function withoutPrefixes(text: string, look: (lines: string) => readonly TextSpan[]): readonly TextSpan[] {
  let count = HUNK.test(text) ? 1 : 0;
  const bare = without(text, BEFORE_LINE, (before) => {
    count += /^[+-]/.test(before) ? 1 : 2;
  });
  return count < 2 ? NOTHING : look(bare.text).map(bare.back);
}
