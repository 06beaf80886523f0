import { plain, plainLines } from '../plain.js';

/** With more changed lines than this, the old text is shown, then the new one, because a minimal diff takes quadratic time. */
const MOST_EDITS = 1000;

/** A unified diff that is safe to print: characters that a terminal would interpret or hide are escaped. Empty if the texts are equal. */
export async function textDiff(name: string, before: string, after: string): Promise<string> {
  if (before === after) return '';
  const { createTwoFilesPatch } = await import('diff');
  const [title, old, now] = [plain(name), withEnd(before), withEnd(after)];
  const whole =
    createTwoFilesPatch(title, title, old, now, '', '', { maxEditLength: MOST_EDITS }) ??
    `--- ${title}\n+++ ${title}\n@@ all of it @@\n${lines('-', old)}${lines('+', now)}`;
  const patch = whole.replace(/^(?:Index: .*\n)?=+\n/, '');
  // A patch without hunks: the texts differ only in the newline at the end.
  return patch.includes('@@') ? plainLines(patch) : `${title}: its last line end\n`;
}

/** The replacements that turn one text into the other, in order; undefined if there are too many. */
export async function changesOf(before: string, after: string): Promise<TextChange[] | undefined> {
  const { diffLines } = await import('diff');
  const parts = diffLines(before, after, { maxEditLength: MOST_EDITS });
  return parts && changesIn(parts).map((change) => narrowed(before, change));
}

export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** Removes from a change the text that both sides have in common at the start and the end. */
function narrowed(before: string, { from, to, value }: TextChange): TextChange {
  const old = before.slice(from, to);
  const most = Math.min(old.length, value.length);
  let start = 0;
  while (start < most && old[start] === value[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === value[value.length - 1 - end]) end += 1;
  return { from: from + start, to: to - end, value: value.slice(start, value.length - end) };
}

function changesIn(
  parts: readonly { readonly added?: boolean; readonly removed?: boolean; readonly value: string }[],
): TextChange[] {
  const changes: TextChange[] = [];
  let at = 0;
  let open: TextChange | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      if (open) changes.push(open);
      open = undefined;
      at += value.length;
      continue;
    }
    open ??= { from: at, to: at, value: '' };
    if (added) open = { ...open, value: open.value + value };
    else {
      at += value.length;
      open = { ...open, to: at };
    }
  }
  return open ? [...changes, open] : changes;
}

function lines(mark: string, text: string): string {
  return text.replace(/^.*\n/gm, (line) => `${mark}${line}`);
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
