import { plain, plainLines } from '../plain.js';
import { hasStopped } from './changes.js';
import type { Consent, TrustRequest } from './consent.js';

/** With more changed lines than this, the texts are shown one after the other: a minimal diff takes quadratic time. */
const MOST_EDITS = 1000;

/**
 * What has changed since consent was given, as a unified diff; without earlier consent all of it is new. Empty: nothing has. It can be
 * shown as it is: what a terminal would obey or hide is written out (`\\u{1b}`), and names hold no line ends.
 */
export async function trustDiff(previous: Consent | undefined, request: TrustRequest): Promise<string> {
  const { file, definition, files } = request;
  const { createTwoFilesPatch } = await import('diff');
  const parts: string[] = [];
  const compare = (name: string, before: string, after: string): void => {
    if (before === after) return;
    const [title, old, now] = [plain(name), withEnd(before), withEnd(after)];
    const patchOf = (one: string, other: string): string | undefined =>
      createTwoFilesPatch(title, title, one, other, '', '', { maxEditLength: MOST_EDITS });
    const whole =
      patchOf(old, now) ?? `--- ${title}\n+++ ${title}\n@@ all of it @@\n${lines('-', old)}${lines('+', now)}`;
    const patch = whole.replace(/^(?:Index: .*\n)?=+\n/, '');
    // A patch does not show this.
    parts.push(patch.includes('@@') ? plainLines(patch) : `${title}: its last line end\n`);
  };
  if (previous?.source) compare(`${file} (whom it is for)`, whomFor(previous), whomFor(request));
  compare(file, previous?.definition ?? '', definition);
  for (const name of new Set([...Object.keys(previous?.files ?? {}), ...Object.keys(files)])) {
    const before = previous?.files[name];
    const after = files[name];
    if (hasStopped(before, after?.executable === true)) parts.push(`${plain(name)}: executable -> not executable\n`);
    if (before?.data || (before?.sha256 ?? null) === (after?.sha256 ?? null)) continue;
    // A change of bytes that are not text must not look like no change.
    const differs = (before?.text ?? '') !== (after?.text ?? '');
    if (differs && shown(before) && shown(after)) compare(name, before?.text ?? '', after?.text ?? '');
    else parts.push(`${plain(name)}: ${before?.sha256 ?? 'no file'} -> ${after?.sha256 ?? 'no file'}\n`);
  }
  return parts.join('');
}

/** What its consent binds beside its text. */
function whomFor({ file, source }: Pick<Consent, 'file' | 'source'>): string {
  if (!source) return '';
  const { place, names, plugin } = source;
  return JSON.stringify({ file, place, names, plugin }, undefined, 2);
}

/** Its bytes are a text that was kept, or there are none. */
function shown(file: Consent['files'][string] | undefined): boolean {
  return file === undefined || file.sha256 === null || file.text !== undefined;
}

function lines(mark: string, text: string): string {
  return text.replace(/^.*\n/gm, (line) => `${mark}${line}`);
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
