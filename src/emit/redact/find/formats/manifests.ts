import { append } from '../../../../values/append.js';
import { reachOf, wasRead } from '../effort.js';
import type { TextSpan } from '../quoted.js';

const HEAD = /(?:^|[\n"'`])([ \t]*)(- )?(?:apiVersion:[ \t]*v1|kind:[ \t]*Secret)[ \t]*(?=\r?\n)/g;
/** The most characters between a manifest's values and its `kind`. */
const FAR = 2048;
const KEY = /^([ \t]*)(?:- )?([\w-]+):[ \t]*(.*?)\r?$/;
const ENTRY = /^([ \t]+["']?[\w.-]{1,100}["']?:[ \t]*)(\S.*)$/;

/** The values of a Kubernetes Secret. `data` may precede the line that gives the kind. */
export function manifestSecrets(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (const head of text.matchAll(HEAD)) {
    if (head.index < (spans.at(-1)?.[1] ?? 0)) continue;
    const indent = (head[1] as string).length + (head[2]?.length ?? 0);
    append(spans, valuesOf(text, head.index + (/^[\n"'`]/.test(head[0]) ? 1 : 0), indent));
  }
  return spans.length > 0 ? spans : written(text);
}

function valuesOf(text: string, from: number, indent: number): TextSpan[] {
  const found: TextSpan[] = [];
  const seen = new Set<string>();
  let isSecret: boolean | undefined;
  let inData = false;
  let begins = -1;
  let isWhole = false;
  const most = reachOf(text, from);
  let next = from;
  while (next <= most) {
    const end = text.indexOf('\n', next);
    const line = text.slice(next, end < 0 ? text.length : end);
    const at = next;
    next += line.length + 1;
    const key = KEY.exec(at === from ? line.replace('- ', '  ') : line);
    if (/^-{3}/.test(line) || (key !== null && (key[1] as string).length < indent)) isWhole = true;
    if (isWhole) break;
    if (key !== null && (key[1] as string).length === indent) {
      // A repeated key: the next manifest begins.
      if (seen.has(key[2] as string)) isWhole = true;
      if (isWhole) break;
      seen.add(key[2] as string);
      inData = /^(?:data|stringData)$/.test(key[2] as string);
      if (inData && begins < 0) begins = at;
      if (key[2] === 'kind') isSecret = saysSecret((key[3] as string).trim(), end < 0);
      if (isSecret === false) return [];
    } else if (inData) {
      const entry = ENTRY.exec(line);
      if (entry !== null && !/^[|>]/.test(entry[2] as string)) {
        const start = at + (entry[1] as string).length;
        found.push([start, start + (entry[2] as string).trimEnd().length]);
      } else if (entry === null && line.trim() !== '') found.push([at + line.search(/\S/), at + line.trimEnd().length]);
    }
  }
  wasRead(from, next);
  if (isSecret) return found;
  // The line that gives the kind has not come yet.
  return isSecret === undefined && begins >= 0 && !isWhole ? [[begins, text.length, true]] : [];
}

/** Whether the kind is Secret; undefined: the text ends within the word. */
function saysSecret(kind: string, isCut: boolean): boolean | undefined {
  return kind === 'Secret' || (isCut && 'Secret'.startsWith(kind) ? undefined : false);
}

const KIND = /kind\\*"\s*:\s*\\*"(\w*)(\\*")?/;
const NAMED = /kind\\*"\s*:\s*\\*"Secret\\*"/;
const DATA = /\\*"(?:data|stringData)\\*"\s*:\s*\{/g;
const VALUE = /\\*"[\w.-]{1,100}\\*"\s*:\s*\\*"([^"\\]+)/g;

/** The values of a Kubernetes Secret in JSON. */
function written(text: string): readonly TextSpan[] {
  if (!text.includes('apiVersion') || !/"data|stringData/.test(text)) return [];
  const spans: TextSpan[] = [];
  let end = 0;
  let read = 0;
  for (const data of text.matchAll(DATA)) {
    const from = data.index + data[0].length;
    if (from < read) continue;
    const before = text.slice(Math.max(0, data.index - 1024), data.index);
    if (end < from) end = (text.indexOf('}', from) + 1 || text.length + 1) - 1;
    const after = text.slice(end, end + FAR);
    if (NAMED.test(before) || NAMED.test(after)) {
      for (const value of text.slice(from, end).matchAll(VALUE)) {
        const start = from + value.index + value[0].length - (value[1] as string).length;
        spans.push([start, start + (value[1] as string).length]);
      }
      read = end;
    } else if (
      end + FAR >= text.length &&
      /apiVersion\\*"\s*:\s*\\*"v1\\*"\s*,\s*(?:\\n\s*)?$/.test(before) &&
      isUnsaid(after)
    )
      spans.push([from, text.length, true]);
  }
  return spans;
}

/** Whether the manifest's `kind` may still come. */
function isUnsaid(after: string): boolean {
  const kind = KIND.exec(after);
  return kind === null ? after.length < FAR : kind[2] === undefined && 'Secret'.startsWith(kind[1] as string);
}
