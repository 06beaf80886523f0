import { textDiff } from '../files/text-diff.js';
import { plain } from '../plain.js';
import { checkOption } from '../values/options.js';
import { hasStoppedSince, MEND_BIT } from './changes.js';
import { type Consent, REQUEST, type TrustRequest } from './consent.js';

/**
 * The changes since consent was given, as a unified diff. Without earlier consent, everything is new. Empty if nothing has changed. It is
 * safe to print: characters that a terminal would interpret or hide are escaped (`\\u{1b}`), and names contain no line ends.
 */
export async function trustDiff(previous: Consent | undefined, request: TrustRequest): Promise<string> {
  if (previous !== undefined) checkOption('trustDiff(previous)', previous, REQUEST);
  checkOption('trustDiff(…, request)', request, REQUEST);
  const { file, files } = request;
  const parts: string[] = [];
  const compare = async (name: string, before: string, after: string): Promise<void> => {
    parts.push(await textDiff(name, before, after));
  };
  if (previous?.source) await compare(`${file} (whom it is for)`, whomFor(previous), whomFor(request));
  await compare(file, shownDefinition(previous), shownDefinition(request));
  for (const name of new Set([...Object.keys(previous?.files ?? {}), ...Object.keys(files)])) {
    const before = previous?.files[name];
    const after = files[name];
    if (previous && hasStoppedSince(previous, request, name))
      parts.push(`${plain(name)}: executable -> not executable: ${MEND_BIT}\n`);
    if (before?.data || (before?.sha256 ?? null) === (after?.sha256 ?? null)) continue;
    // For bytes that are not text the hashes are shown, so that a change is always visible.
    const differs = (before?.text ?? '') !== (after?.text ?? '');
    if (differs && shown(before) && shown(after)) await compare(name, before?.text ?? '', after?.text ?? '');
    else parts.push(`${plain(name)}: ${before?.sha256 ?? 'no file'} -> ${after?.sha256 ?? 'no file'}\n`);
  }
  return parts.join('');
}

/** The facts besides the text that consent is bound to, as JSON. */
function whomFor({ file, source }: Pick<Consent, 'file' | 'source'>): string {
  if (!source) return '';
  const { place, names, plugin } = source;
  return JSON.stringify({ file, place, names, plugin }, undefined, 2);
}

/** A configuration is bound by its bytes, so its definition is empty and shows nothing. */
function shownDefinition(of: Pick<Consent, 'definition'> | undefined): string {
  return of === undefined || of.definition === '{}' ? '' : of.definition;
}

/** Whether the content can be shown: its text is stored, or there is no file. */
function shown(file: Consent['files'][string] | undefined): boolean {
  return file === undefined || file.sha256 === null || file.text !== undefined;
}
