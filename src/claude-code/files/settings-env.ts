import { isObject, isText } from '../../values/shape.js';
import { type SetHere, setsOf } from './shell-sets.js';

/** A variable in the `env` of a settings file. Claude Code passes it to hooks, hookscope does not: see docs/limitations.md. */
export interface SettingsVariable {
  readonly name: string;
  readonly value: string;
  readonly file: string;
}

/** The variables that one settings file sets. */
export function envOf(settings: unknown, file: string): SettingsVariable[] {
  const env = isObject(settings) ? settings['env'] : undefined;
  return isObject(env) ? Object.entries(env).map(([name, value]) => ({ name, value: String(value), file })) : [];
}

/** The texts of a hook that may use variables. */
export interface HookTexts {
  readonly texts: readonly string[];
  /** The shell that reads them; undefined: they are no command line. */
  readonly shell?: 'bash' | 'powershell' | undefined;
}

/** The texts at a key of a hook. */
export function hookTexts(hook: Readonly<Record<string, unknown>>, key: string): HookTexts {
  const value: unknown = Object.hasOwn(hook, key) ? hook[key] : undefined;
  const texts = (isText(value) ? [value] : Object.values((value ?? {}) as object)).filter(isText);
  const isLine = key === 'command' && hook['args'] === undefined;
  return { texts, shell: isLine ? (hook['shell'] === 'powershell' ? 'powershell' : 'bash') : undefined };
}

const USES = /(\\*)\$(?:\{[!#]?)?([A-Za-z_]\w*)/g;
const POWERSHELL_USES = /(`*)\$\{?env:([A-Za-z_]\w*)\b(?!\}?[ \t]*=)/gi;

/** What hookscope gives to hooks itself. */
const GIVEN = /^CLAUDE(?:CODE|_PROJECT_DIR|_PLUGIN_ROOT|_PLUGIN_DATA|_ENV_FILE)$/;

/**
 * The variables that a hook's texts use but that the hook does not get with this value, because the environment has another value or none
 * and the text does not set the variable before. If several files set a variable, the last one counts.
 */
export function lackingIn(
  { texts, shell }: HookTexts,
  variables: readonly SettingsVariable[],
  environment: Readonly<Record<string, string | undefined>>,
): SettingsVariable[] {
  if (variables.length === 0) return [];
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const whole = (shell === 'bash' ? texts.map(expandedBy) : texts).join('\n');
  const used = new Map<string, number>();
  for (const { 1: escapes = '', 2: name = '', index } of whole.matchAll(
    shell === 'powershell' ? POWERSHELL_USES : USES,
  ))
    if (escapes.length % 2 === 0 && !used.has(name)) used.set(name, index);
  let parsed: SetHere[] | undefined;
  const isSetBefore = (name: string, at: number): boolean => {
    if (sets(name, shell).test(whole.slice(0, at))) return true;
    if (shell !== 'bash' || whole.length > LONGEST) return false;
    parsed ??= setsOf(texts.join('\n'));
    return parsed.some((set) => set.name === name && set.end <= at);
  };
  return [...used].flatMap(([name, at]) => {
    const variable = byName.get(name);
    if (variable === undefined || GIVEN.test(name) || environment[name] === variable.value) return [];
    return isSetBefore(name, at) ? [] : variable;
  });
}

/** The value of an assignment, up to what ends its word. */
const VALUE = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|\$\((?:[^()]|\([^()]*\))*\)|\\.|\$(?!\()|[^\s;|&"'()\\$])*[\s;|&)]`;

/** Matches a command that sets a variable, also in a text that a shell of its own reads. The value of `NAME=$NAME` is not set by it. */
const sets = (name: string, shell: HookTexts['shell']): RegExp =>
  shell === 'powershell'
    ? new RegExp(String.raw`\$\{?env:${name}\}?[ \t]*=`, 'i')
    : new RegExp(
        String.raw`(?<![\w$-])${name}=${VALUE}|\b(?:read|mapfile|readarray|getopts)\b[^\n;|&]*\s${name}\b|\b(?:for|select)\s+${name}\b`,
      );

/** A command that reads a text as a shell does, before a quoted text or a here-document. */
const READS = /(?:\s-[A-Za-z]*c|\b(?:eval|trap|envsubst)|\b(?:ssh|(?:ba|da|z|k)?sh)\b[^\n|;&]*)\s*$/;
/** A shell behind a pipe, which reads what a command prints. */
const PIPED = /\|\s*(?:\w+\s+)*(?:ssh|(?:ba|da|z|k)?sh)\b/;
const HEREDOC = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([\w.-]+))/y;
const ANSI_QUOTED = /\$'((?:[^'\\]|\\[\s\S])*)(?:'|$)/y;

/** How far a shell is looked for, in characters, so that a long line costs no more than its length. */
const NEAR = 300;
const reads = (before: string): boolean => READS.test(before.slice(-NEAR));
/** A longer line is not read as a shell does. */
const LONGEST = 20_000;

/** A here-document that begins on the line being read. */
interface HereDocument {
  readonly end: string;
  /** Whether tabs before its lines do not count. */
  readonly tabs: boolean;
  readonly isExpanded: boolean;
}

/**
 * The parts of a command line in which a shell expands variables: no comment, and nothing that is quoted for good. Each stands where it stood,
 * with blanks in place of the others.
 */
function expandedBy(line: string): string {
  if (line.length > LONGEST) return line;
  let kept = '';
  /** What is open: a quotation, `${` or a parenthesis. */
  const open: string[] = [];
  const isQuoted = (): boolean => open.findLast((one) => one !== '{') === '"';
  let documents: HereDocument[] = [];
  let at = 0;
  const keep = (length: number): void => {
    kept += line.slice(at, at + length);
    at += length;
  };
  const drop = (length: number, instead = ''): void => {
    kept += instead.padEnd(Math.min(length, line.length - at));
    at += length;
  };
  while (at < line.length) {
    const character = line[at] as string;
    const next = line[at + 1];
    const begin = isQuoted() ? undefined : matchAt(HEREDOC, line, at);
    const ansi = isQuoted() ? undefined : matchAt(ANSI_QUOTED, line, at);
    if (character === '\\') keep(2);
    else if (character === '$' && next === '$') drop(2);
    else if (line.startsWith('<<<', at)) keep(3);
    else if (begin !== undefined) {
      const [whole, dash, single, double, bare = ''] = begin as unknown as readonly string[];
      const isExpanded =
        !/['"\\]/.test(whole as string) || reads(kept) || PIPED.test(restOfLine(line, at).slice(0, NEAR));
      documents.push({ end: single ?? double ?? bare, tabs: dash === '-', isExpanded });
      drop((whole as string).length);
    } else if (ansi !== undefined) {
      drop(ansi[0].length, reads(kept) ? `  ${ansi[1]}` : "''");
    } else if (character === "'" && !isQuoted()) {
      const end = line.indexOf("'", at + 1);
      const text = line.slice(at + 1, end < 0 ? undefined : end);
      drop(text.length + 2, reads(kept) ? ` ${text}` : "''");
    } else if (
      character === '#' &&
      open.at(-1) !== '"' &&
      open.at(-1) !== '{' &&
      /^$|[\s;|&(]/.test(line.charAt(at - 1))
    )
      drop(restOfLine(line, at).length);
    else if (character === '\n' && documents.length > 0) {
      keep(1);
      for (const document of documents) {
        const text = textOf(document, line.slice(at));
        drop(text.length, document.isExpanded ? text : '');
      }
      documents = [];
    } else {
      if (character === '$' && (next === '(' || next === '{')) {
        open.push(next);
        keep(2);
        continue;
      }
      if (character === '"' && open.at(-1) !== '"') open.push('"');
      else if (character === '(' && open.at(-1) !== '"' && open.at(-1) !== '{') open.push('(');
      else if (character === { '"': '"', '(': ')', '{': '}' }[open.at(-1) ?? '']) open.pop();
      keep(1);
    }
  }
  return kept;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function restOfLine(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(at, end < 0 ? undefined : end);
}

/** The text of a here-document, with the line that ends it; nothing if no line does. */
function textOf({ end, tabs }: HereDocument, text: string): string {
  const lines = text.split('\n');
  const last = lines.findIndex((one) => (tabs ? one.replace(/^\t+/, '') : one) === end);
  return last < 0 ? '' : lines.slice(0, last + 1).join('\n');
}

export const sayLacking = ({ name }: SettingsVariable, file: string): string =>
  `$${name} is set by env.${name} of ${file}, which hooks do not get here; set it where the host runs, or in the command`;
