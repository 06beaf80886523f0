import { plain, plainLines } from '../plain.js';

/** With more changed lines than this, the texts are shown one after the other: a minimal diff takes quadratic time. */
const MOST_EDITS = 1000;

/** What differs, as a unified diff that can be shown as it is: what a terminal would obey or hide is written out. Empty: nothing does. */
export async function textDiff(name: string, before: string, after: string): Promise<string> {
  if (before === after) return '';
  const { createTwoFilesPatch } = await import('diff');
  const [title, old, now] = [plain(name), withEnd(before), withEnd(after)];
  const whole =
    createTwoFilesPatch(title, title, old, now, '', '', { maxEditLength: MOST_EDITS }) ??
    `--- ${title}\n+++ ${title}\n@@ all of it @@\n${lines('-', old)}${lines('+', now)}`;
  const patch = whole.replace(/^(?:Index: .*\n)?=+\n/, '');
  // A patch does not show this.
  return patch.includes('@@') ? plainLines(patch) : `${title}: its last line end\n`;
}

function lines(mark: string, text: string): string {
  return text.replace(/^.*\n/gm, (line) => `${mark}${line}`);
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
