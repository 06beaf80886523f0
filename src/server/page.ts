import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '../plugins/own-folder.js';

/** The live page: one file, and the policy under which browsers run it. */
export interface Page {
  readonly html: string;
  /** Content-Security-Policy: only the file's own scripts and styles, by hash; a served page may also send requests to its server. */
  readonly policy: string;
}

/** The page as a server sends it. */
export function servedPage(): Page {
  const html = readPage();
  return { html, policy: policyOf(html, ["connect-src 'self'", "frame-ancestors 'none'"]) };
}

/** The headers of the page's response. */
export const pageHead = (page: Page): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': page.policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});

/** The page's text before and after the embedded records. `name`: where they were read from. */
export function pageAround(name: string): readonly [before: string, after: string] {
  const html = readPage();
  const [head, tail] = html.replace(HEAD, (found) => `${found}\n${meta(policyOf(html, []))}`).split(PLACE) as [
    string,
    string,
  ];
  const before = `<script type="application/x-ndjson" id="records" data-name="${attribute(name)}">\n`;
  return [`${head}${before}`, `</script>${tail}`];
}

/** JSON in which no string can end the surrounding element: `<` is escaped, which is possible because JSON has it only in strings. */
export const inScript = (json: string): string => json.replaceAll('<', '\\u003c');

/** Whether a file that begins like this is one of our pages. */
export const isPage = (start: string): boolean => start.startsWith('<!doctype html>') && start.includes(TITLE);

const TITLE = '<title>hookscope</title>';
const HEAD = '<meta charset="utf-8">';
const PLACE = '<!-- records -->';

function readPage(): string {
  return readFileSync(join(ownFolder(), 'dist/page.html'), 'utf8');
}

function policyOf(html: string, more: readonly string[]): string {
  const hash = (tag: 'script' | 'style'): string => {
    const [, text = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(html) ?? [];
    return `${tag}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  return [
    "default-src 'none'",
    hash('script'),
    hash('style'),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    ...more,
  ].join('; ');
}

const meta = (policy: string): string => `<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">`;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };
const attribute = (text: string): string => text.replace(/[&"<>]/g, (one) => ESCAPES[one] as string);
