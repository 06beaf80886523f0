import { isObject, isText } from '../../values/shape.js';

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
  return [...used].flatMap(([name, at]) => {
    const variable = byName.get(name);
    if (variable === undefined || GIVEN.test(name) || environment[name] === variable.value) return [];
    return sets(name, shell).test(whole.slice(0, at)) ? [] : variable;
  });
}

/** Matches a command that sets a variable. The value of `NAME=$NAME` is not set by it. */
const sets = (name: string, shell: HookTexts['shell']): RegExp =>
  shell === 'powershell'
    ? new RegExp(String.raw`\$\{?env:${name}\}?[ \t]*=`, 'i')
    : new RegExp(
        String.raw`(?<![\w$-])${name}=(?!["\\]?$)|\b(?:read|mapfile|readarray|getopts)\b[^\n;|&]*\s${name}\b|\b(?:for|select)\s+${name}\b`,
      );

/** A command that reads a text as a shell does, before a quoted text or a here-document. */
const READS = /(?:\s-[A-Za-z]*c|\b(?:eval|trap|envsubst)|\b(?:ssh|(?:ba|da|z|k)?sh)\b[^\n|;&]*)\s*$/;
const HEREDOC = /<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\(\w+))[^\n]*\n/y;

/** The parts of a command line in which a shell expands variables: no comment, and nothing that is quoted for good. */
function expandedBy(line: string): string {
  let kept = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    const heredoc = isQuoted || character !== '<' ? null : heredocAt(line, at);
    if (character === '\\') {
      kept += line.slice(at, at + 2);
      at++;
    } else if (character === '$' && line[at + 1] === '$') at++;
    else if (heredoc !== null) {
      if (READS.test(kept)) kept += heredoc;
      at += heredoc.length - 1;
    } else if (character === "'" && !isQuoted) {
      const end = line.indexOf("'", at + 1);
      const text = line.slice(at + 1, end < 0 ? undefined : end);
      kept += READS.test(kept) ? ` ${text} ` : "''";
      at += text.length + 1;
    } else if (character === '#' && !isQuoted && /(?:^|[\s;|&(])$/.test(line.slice(Math.max(0, at - 1), at))) {
      const end = line.indexOf('\n', at);
      at = (end < 0 ? line.length : end) - 1;
    } else {
      if (character === '"') isQuoted = !isQuoted;
      kept += character;
    }
  }
  return kept;
}

/** A here-document whose end is quoted, so that nothing in it is expanded. */
function heredocAt(line: string, at: number): string | null {
  HEREDOC.lastIndex = at;
  const begin = HEREDOC.exec(line);
  if (begin === null) return null;
  const word = begin[1] ?? begin[2] ?? begin[3];
  const rest = line.slice(HEREDOC.lastIndex).split('\n');
  const end = rest.findIndex((one) => one.trimStart() === word);
  return begin[0] + rest.slice(0, end < 0 ? undefined : end + 1).join('\n');
}

export const sayLacking = ({ name }: SettingsVariable, file: string): string =>
  `$${name} is set by env.${name} of ${file}, which hooks do not get here; set it where the host runs, or in the command`;
