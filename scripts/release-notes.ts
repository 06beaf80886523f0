import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The changelog's text of a version, `1.2.3` or `v1.2.3`. Throws where there is none, or it is not released. */
export function releaseNotes(changelog: string, tag: string): string {
  const version = tag.replace(/^v/, '');
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => /^\[?([^\s\]]+)/.exec(text)?.[1] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}".`);
  const [heading = '', ...lines] = section.split('\n');
  if (/unreleased/i.test(heading))
    throw new Error(`CHANGELOG.md says that ${version} is unreleased: give it its date.`);
  const text = lines.join('\n').trim();
  if (text === '') throw new Error(`CHANGELOG.md says nothing of ${version}.`);
  return `${text}\n`;
}

const [tag] = process.argv.slice(2);
if (tag !== undefined && process.argv[1] === import.meta.filename) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and package.json has version ${version}.`);
  process.stdout.write(releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), tag));
}
