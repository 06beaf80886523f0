import { textDiff } from '../files/text-diff.js';
import { plain } from '../plain.js';
import { checkOption } from '../values/options.js';
import { hasStopped } from './changes.js';
import { type Consent, REQUEST, type TrustRequest } from './consent.js';

/**
 * What has changed since consent was given, as a unified diff; without earlier consent all of it is new. Empty: nothing has. It can be
 * shown as it is: what a terminal would obey or hide is written out (`\\u{1b}`), and names hold no line ends.
 */
export async function trustDiff(previous: Consent | undefined, request: TrustRequest): Promise<string> {
  if (previous !== undefined) checkOption('trustDiff(previous)', previous, REQUEST);
  checkOption('trustDiff(…, request)', request, REQUEST);
  const { file, definition, files } = request;
  const parts: string[] = [];
  const compare = async (name: string, before: string, after: string): Promise<void> => {
    parts.push(await textDiff(name, before, after));
  };
  if (previous?.source) await compare(`${file} (whom it is for)`, whomFor(previous), whomFor(request));
  await compare(file, previous?.definition ?? '', definition);
  for (const name of new Set([...Object.keys(previous?.files ?? {}), ...Object.keys(files)])) {
    const before = previous?.files[name];
    const after = files[name];
    if (hasStopped(before, after?.executable === true)) parts.push(`${plain(name)}: executable -> not executable\n`);
    if (before?.data || (before?.sha256 ?? null) === (after?.sha256 ?? null)) continue;
    // A change of bytes that are not text must not look like no change.
    const differs = (before?.text ?? '') !== (after?.text ?? '');
    if (differs && shown(before) && shown(after)) await compare(name, before?.text ?? '', after?.text ?? '');
    else parts.push(`${plain(name)}: ${before?.sha256 ?? 'no file'} -> ${after?.sha256 ?? 'no file'}\n`);
  }
  return parts.join('');
}

/** What consent is bound to besides the text. */
function whomFor({ file, source }: Pick<Consent, 'file' | 'source'>): string {
  if (!source) return '';
  const { place, names, plugin } = source;
  return JSON.stringify({ file, place, names, plugin }, undefined, 2);
}

/** Its content is a text that was stored, or it has none. */
function shown(file: Consent['files'][string] | undefined): boolean {
  return file === undefined || file.sha256 === null || file.text !== undefined;
}
