import { nameKind } from '../names.js';
import { SHELL_RUN, type TextSpan, take, valueAt } from '../quoted.js';
import { isNoWord, isPlaceholder, isWord, looksRandom } from '../values.js';

/** Whether a value is a secret, judged by its name. */
function isNamed(name: string, value: string): boolean {
  const kind = nameKind(name);
  if (kind === undefined || isPlaceholder(value) || isWord(value)) return false;
  if (kind === 'weak') return looksRandom(value);
  return kind === 'short' ? isNoWord(value) : value.length >= 3;
}

const VARIABLE =
  /##(?:vso)?\[[\w.-]{1,40}[ \t][^\]\n]{0,200}?(?:variable|name)=([\w.-]{1,80})[^\]\n]{0,100}\]([^\s"'`\\]{3,512})/y;
const OUTPUT = /::(?:add-mask|(?:set-output|save-state|set-env)[ \t]+name=([\w.-]{1,80}))::([^\s"'`\\]{3,512})/y;

/** A CI job's command to its runner: `##vso[task.setvariable variable=TOKEN]X`, `::add-mask::X`. */
export function jobSecret(text: string, at: number): TextSpan | undefined {
  const pattern = text[at] === '#' ? VARIABLE : OUTPUT;
  const found = take(pattern, text, at);
  if (found === undefined) return undefined;
  const [, name, said] = found as unknown as readonly [string, string | undefined, string];
  if (isPlaceholder(said) || (name !== undefined && !isNamed(name, said))) return undefined;
  return [pattern.lastIndex - said.length, pattern.lastIndex];
}

const TAB = String.raw`(?:\t|\\+t| {2,8})`;
const JAR = new RegExp(
  String.raw`(?:TRUE|FALSE)${TAB}/\S{0,200}?${TAB}(?:TRUE|FALSE)${TAB}\d{1,16}${TAB}[^\s\\]{1,128}${TAB}([^\s"'\\]{3,4096})`,
  'y',
);

/** The value in a line of a cookie jar, as curl and browser exports write it. */
export function jarSecret(text: string, at: number): TextSpan | undefined {
  const value = take(JAR, text, at)?.[1];
  return value === undefined || !isNoWord(value) ? undefined : [JAR.lastIndex - value.length, JAR.lastIndex];
}

const FIELD =
  /form-data;[ \t]*name=\\*["']([\w.[\]-]{1,80})\\*["'][ \t\r]*\n(?:[ \t]*[\w-]{1,60}:[^\n]{0,200}\n){0,4}[ \t\r]*\n[ \t]*([^\r\n]{3,1024})/y;

/** A field of a multipart form: `form-data; name="password"`, an empty line and X. */
export function fieldSecret(text: string, at: number): TextSpan | undefined {
  const found = take(FIELD, text, at);
  if (found === undefined) return undefined;
  const [whole, name, line] = found as unknown as readonly [string, string, string];
  const value = line.trimEnd();
  const start = at + whole.length - line.length;
  return isNamed(name, value) ? [start, start + value.length] : undefined;
}

const DEFAULT = /default[ \t]{0,2}\(?[ \t]{0,2}(?=\\*["'])/y;
const TEMPLATE = /([\w.-]{0,80})\\*["']?[ \t]*[:=]?[ \t]*\\*["']?\{\{([^{}\n]{0,120})$/;

/** The default of a template's value: `password: {{ .Values.password | default "X" }}`. */
export function defaultSecret(text: string, at: number): TextSpan | undefined {
  if (take(DEFAULT, text, at) === undefined) return undefined;
  const { lastIndex } = DEFAULT;
  const found = TEMPLATE.exec(text.slice(Math.max(0, at - 220), at));
  if (found === null) return undefined;
  const names = [found[1] as string, ...((found[2] as string).match(/[\w.-]+/g) ?? [])];
  const value = valueAt(text, lastIndex, SHELL_RUN);
  if (value?.quote === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  return names.some((name) => isNamed(name, said)) ? value.span : undefined;
}
