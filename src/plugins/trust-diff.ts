import type { Consent, TrustRequest } from './consent.js';
import { hasStopped } from './trust.js';

/** What has changed since consent was given, as a unified diff; without earlier consent all of it is new. Empty: nothing has. */
export async function trustDiff(
  previous: Consent | undefined,
  { file, definition, files }: TrustRequest,
): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const parts: string[] = [];
  const compare = (name: string, before: string, after: string): void => {
    if (before !== after)
      parts.push(createTwoFilesPatch(name, name, withEnd(before), withEnd(after)).replace(/^(?:Index: .*\n)?=+\n/, ''));
  };
  compare(file, previous?.definition ?? '', definition);
  for (const name of new Set([...Object.keys(previous?.files ?? {}), ...Object.keys(files)])) {
    const before = previous?.files[name];
    const after = files[name];
    if (hasStopped(before, after?.executable === true)) parts.push(`${name}: executable -> not executable\n`);
    if (before?.data || (before?.sha256 ?? null) === (after?.sha256 ?? null)) continue;
    if (shown(before) && shown(after)) compare(name, before?.text ?? '', after?.text ?? '');
    else parts.push(`${name}: ${before?.sha256 ?? 'no file'} -> ${after?.sha256 ?? 'no file'}\n`);
  }
  return parts.join('');
}

/** Its bytes are a text that was kept, or there are none. */
function shown(file: Consent['files'][string] | undefined): boolean {
  return file === undefined || file.sha256 === null || file.text !== undefined;
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
