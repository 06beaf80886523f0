import type { Word } from 'unbash';
import { CLAUDE_EVENTS, specOf } from '../events/catalogue.js';
import { exit2Of } from '../events/failure.js';
import { atKey, type CheckFinding, type FileCheck, inText } from './checking.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { entryOf } from './files/tree.js';
import { bashismsOf } from './scripts/bashisms.js';
import { commandLine, shellOf } from './scripts/runs.js';
import type { ProgramText } from './scripts/scripts.js';
import { argsOf, expand, type Shell } from './scripts/shell.js';
import { rolesOf } from './scripts/start.js';

/** Checks how a shell parses commands and the shell scripts that they run. */
export const checkShell: FileCheck = function* (file, about) {
  for (const handler of file.handlers) {
    for (const text of about.texts(handler, file)) {
      const { shell } = text;
      if (!shell) continue;
      // After a syntax error, further findings would be guesswork.
      if (shell.errors.length > 0) yield* syntaxError(handler, text, shell);
      else if (text.plainSh) yield* bashisms(handler, text, shell);
      yield* unsetVariables(handler, text, shell, file);
    }
    yield* placeholders(handler, file);
  }
};

function* syntaxError(handler: HandlerNode, text: ProgramText, shell: Shell): Generator<CheckFinding> {
  const [first] = shell.errors;
  if (first === undefined) return;
  const near = excerpt(shell.source, first.pos);
  const message = `No shell can read it: ${lower(first.message)}${near === '' ? '' : `, near ${near}`}.`;
  yield { rule: 'shell-syntax', ...inText(handler, text, { start: first.pos, end: first.pos + 1 }), message };
}

function* bashisms(handler: HandlerNode, text: ProgramText, shell: Shell): Generator<CheckFinding> {
  // The text tests which shell runs it or starts the right one, so its bash constructs are deliberate.
  if (/BASH_VERSION|ZSH_VERSION|exec (\/\S+\/)?bash\b/.test(shell.source)) return;
  const all = bashismsOf(shell);
  for (const fatal of [true, false]) {
    const found = all.filter((one) => one.fatal === fatal);
    const [first] = found;
    if (first === undefined) continue;
    const whats = [...new Set(found.map(({ what }) => what))];
    const more = whats.length > 4 ? ` and ${whats.length - 4} more` : '';
    const what = `${whats.slice(0, 4).join('  ')}${more}`;
    const ends =
      handler.spec !== undefined && exit2Of(handler.spec) === 'block'
        ? `ends with 2, which blocks on ${handler.event}`
        : 'ends with 2';
    const message = fatal
      ? `Bash knows this and sh does not: ${what}. Where sh is dash the hook ${ends}.`
      : `Bash knows this and sh does not: ${what}.`;
    yield {
      rule: fatal ? 'sh-syntax' : 'sh-bashism',
      ...inText(handler, text, { start: first.pos, end: first.end }),
      message,
    };
  }
}

/** Placeholders for paths. Their values may contain spaces. */
const PLACEHOLDER = /^\$\{?(CLAUDE_(?:PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA|SKILL_DIR))\b/;

/** Commands whose arguments are files. Others may give theirs to a shell, or read variables in them. */
const TAKING_FILES = /^(?:cat|cd|chmod|cp|head|ls|mkdir|mv|rm|tail|touch)$/;

/** The options of `test` and `[` whose operand is a file; others compare texts. */
const ASKS_FILE = /^-[a-hkprstuwxGLNOS]$/;

/** Whether a command takes the word behind another for a file. */
function isFile(name: string, before: Word | undefined): boolean {
  return name === '[' || name === 'test' ? ASKS_FILE.test(before?.text ?? '') : TAKING_FILES.test(name);
}

function* placeholders(handler: HandlerNode, { dialect, plugin }: SourceFile): Generator<CheckFinding> {
  const shell = shellOf(handler);
  if (!shell || commandLine(handler) === undefined) return;
  const at = atKey(handler, 'command');
  const told = new Set<string>();
  for (const command of shell.commands) {
    const words = [...(command.node.name ? [command.node.name] : []), ...argsOf(command)];
    const roles = rolesOf(words.map((word) => expand(word, {})));
    for (const [i, word] of words.entries()) {
      for (const part of word.parts ?? []) {
        const bare =
          part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion'
            ? PLACEHOLDER.exec(part.text)?.[0]
            : undefined;
        if (bare === undefined || told.has(part.text)) continue;
        told.add(part.text);
        yield {
          rule: 'unquoted-placeholder',
          ...at,
          message: `${part.text} is not in quotes.`,
          fix: `Write "${part.text}"${restOf(word, part.text)}.`,
        };
      }
      const literal = literalIn(word);
      const config = /\$\{user_config\.\w+\}/.exec(word.text)?.[0];
      if (config !== undefined) {
        const message = `${config} is filled in only where "args" is given, without a shell.`;
        yield {
          rule: 'placeholder-literal',
          ...at,
          message,
          fix: 'Give "args", or read the variable CLAUDE_PLUGIN_OPTION_….',
        };
      }
      const isPath = roles[i] === 'path' || isFile(command.name, words[i - 1]);
      if (literal !== undefined && dialect === 'claude' && isPath)
        yield { ...at, ...quotedPlaceholder(literal, word, plugin) };
    }
  }
}

/** The rest of a word after a placeholder, if it is a plain path. */
function restOf(word: Word, part: string): string {
  return word.text.startsWith(part) && /^[\w./-]*$/.test(word.text.slice(part.length))
    ? word.text.slice(part.length)
    : '…';
}

/** The placeholder in a path that the shell does not expand: `'$CLAUDE_PROJECT_DIR/x.sh'`, `'${CLAUDE_PLUGIN_ROOT}'/x.sh`, `"~/x.sh"`. */
function literalIn(word: Word): string | undefined {
  const parts = word.parts ?? [];
  const [first] = parts;
  if (
    first?.type === 'SingleQuoted' &&
    (expand(word, {}) ?? '').startsWith(first.value) &&
    PATH.test(expand(word, {}) ?? '')
  )
    return PLACEHOLDER.exec(first.value) ? /^\$(?:\{\w+\}|\w+)/.exec(first.value)?.[0] : undefined;
  if (parts.length !== 1) return undefined;
  return first?.type === 'DoubleQuoted' && /^~\/[\w./-]+$/.test(expand(word, {}) ?? '') ? '~' : undefined;
}

/** Matches a path that begins with a placeholder. */
const PATH = /^\$(?:\{\w+\}|\w+)\/[\w./-]+$/;

/** Reports a placeholder in single quotes, which is not expanded or only by Claude Code. */
function quotedPlaceholder(
  literal: string,
  word: Word,
  plugin: string | undefined,
): Pick<CheckFinding, 'rule' | 'message' | 'fix'> {
  const path = expand(word, {}) ?? '';
  const ofPlugin = /^\$\{?CLAUDE_PLUGIN_/.test(literal);
  if (literal === '~')
    return {
      rule: 'placeholder-literal',
      message: '~ is not filled in between these quotes.',
      fix: `Write ${path}, without quotes, or "$HOME${path.slice(1)}".`,
    };
  if (ofPlugin && plugin === undefined) {
    const fix = `Write "$CLAUDE_PROJECT_DIR${path.slice(literal.length)}".`;
    return {
      rule: 'placeholder-literal',
      message: `${literal} is a plugin's, and not filled in between these quotes.`,
      fix,
    };
  }
  const fix = `Write "${path}".`;
  if (ofPlugin && literal.startsWith('${'))
    return {
      rule: 'single-quoted-placeholder',
      message: `${literal} stands between single quotes: Claude Code fills it in, a shell would not.`,
      fix,
    };
  return { rule: 'placeholder-literal', message: `${literal} is not filled in between these quotes.`, fix };
}

/** Variables in which people wrongly expect parts of the input. */
const EXPECTED =
  /^(CLAUDE_(TOOL|FILE|HOOK|EVENT|PROMPT|SESSION|COMMAND|MESSAGE|NOTIFICATION|USER|TRANSCRIPT|CWD|EDITED|CHANGED|MODIFIED|MATCHED|EXIT|INPUT|OUTPUT|RESPONSE|RESULT|ARG|WORKING)\w*|TOOL_(NAME|INPUT|OUTPUT|ARGS|RESPONSE|RESULT)\w*|STDIN_JSON|HOOK_(INPUT|EVENT)\w*|FILE_PATH|USER_PROMPT)$/;
const ENV_FILE_EVENTS: readonly string[] = CLAUDE_EVENTS.filter((name) => specOf(name).claude?.envFile);

function* unsetVariables(
  handler: HandlerNode,
  text: ProgramText,
  shell: Shell,
  file: SourceFile,
): Generator<CheckFinding> {
  const told = new Set<string>();
  for (const { node } of shell.nodes) {
    const name =
      node.type === 'SimpleExpansion' ? node.text.slice(1) : node.type === 'ParameterExpansion' ? node.parameter : '';
    if (told.has(name) || shell.assigned.has(name) || shell.defaulted.has(name) || isGiven(name, file)) continue;
    const why = whyUnset(name, handler, file, text);
    if (why === undefined) continue;
    told.add(name);
    yield {
      rule: 'variable-not-set',
      ...inText(handler, text, { start: node.pos, end: node.end }),
      message: `$${name} ${why}`,
      ...fixFor(name),
    };
  }
}

function whyUnset(
  name: string,
  { event }: HandlerNode,
  { kind, plugin, dialect }: SourceFile,
  { file }: ProgramText,
): string | undefined {
  if (EXPECTED.test(name)) return 'is not set: the event comes on standard input.';
  if (dialect === 'code') return undefined;
  if (name === 'CLAUDE_ENV_FILE' && file === undefined && !ENV_FILE_EVENTS.includes(event))
    return `is not set on ${event}, only on ${ENV_FILE_EVENTS.join(', ')}.`;
  const isSettings = kind === 'project' || kind === 'local' || kind === 'user' || kind === 'managed';
  if (/^CLAUDE_PLUGIN_(ROOT|DATA)$/.test(name) && plugin === undefined && isSettings && file === undefined)
    return 'is set for plugins only, and this is a settings file.';
  return undefined;
}

function fixFor(name: string): { fix?: string } {
  if (name === 'CLAUDE_ENV_FILE') return { fix: 'Keep what it should hold in a file of your own.' };
  return name.startsWith('CLAUDE_PLUGIN_') ? { fix: 'Use "$CLAUDE_PROJECT_DIR".' } : {};
}

/** Whether the file's own settings set a variable. */
function isGiven(name: string, { parsed: { root } }: SourceFile): boolean {
  return entryOf(entryOf(root, 'env')?.value, name) !== undefined;
}

const lower = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;

function excerpt(source: string, pos: number): string {
  const text =
    source
      .slice(pos, pos + 24)
      .split('\n', 1)[0]
      ?.trim() ?? '';
  return text === '' ? '' : JSON.stringify(text);
}
