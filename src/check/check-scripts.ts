import { existsSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative as relativeTo, resolve } from 'node:path';
import { isClosed } from '../files/regular-file.js';
import { atKey, type CheckContext, type CheckFinding, commandSpan, type FileCheck } from './checking.js';
import type { FileKind } from './files/kinds.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { entryOf, spanAt, textOf } from './files/tree.js';
import { firstLine, passesOver } from './scripts/first-line.js';
import { knownPrograms } from './scripts/known-programs.js';
import { execWords, filledWords, type Invocation, isFilledIn, shellOf } from './scripts/runs.js';
import { isOnPath, type ScriptFile } from './scripts/scripts.js';
import { rolesOf } from './scripts/start.js';

/** Checks that what a command runs exists and can be executed. */
export const checkScripts: FileCheck = function* (file, about) {
  for (const handler of file.handlers) {
    const at = { at: commandSpan(handler), where: [...handler.path, 'command'] };
    const known = knownPrograms(handler, about.machine.path);
    const [program] = execWords(handler) ?? [];
    const moves = shellOf(handler)?.commands.some(({ name }) => /^(?:cd|pushd)$/.test(name)) === true;
    for (const run of about.runs(handler, file)) {
      if (!run.certain || run.inline !== undefined) continue;
      for (const found of judge({ ...run, program, moves }, known, file, about)) yield { ...at, ...found };
    }
    yield* checkExecForm(handler, file, about);
  }
};

const SHELL = /^(?:(?:b?a|da|z|m?k|t?c)?sh|\.|source)$/;

interface ScriptRun extends Invocation {
  /** The program that starts without a shell; undefined if a shell reads the line. */
  readonly program: string | undefined;
  /** The line may change to another folder before it runs. */
  readonly moves: boolean;
}

type ScriptFinding = Pick<CheckFinding, 'rule' | 'message' | 'fix' | 'subject'>;

function* judge(
  run: ScriptRun,
  known: (name: string) => boolean,
  file: SourceFile,
  about: CheckContext,
): Generator<ScriptFinding> {
  const { path, written, interpreter } = run;
  if (path === undefined) {
    if (run.relative) yield relative(run, file);
    else if (interpreter === undefined && !known(written)) {
      yield {
        rule: 'program-missing',
        message: `There is no program "${written}" on this machine's PATH.`,
        subject: written,
      };
    }
    return;
  }
  const kept = boundPath(run, file, about);
  const script = about.script(kept ?? path);
  if (!script) {
    if (!isSought(run, known, about)) yield* missing(run, path, file, about);
  } else {
    if (kept !== undefined) yield bound(run, kept, file, about);
    else if (run.relative && file.dialect === 'claude') yield relative(run, file);
    yield* lineEnds(run, script, about);
    if (interpreter === undefined) yield* runItself(run, script, about);
  }
}

/** Whether a shell finds a script that is not in its folder on PATH, by its name alone. */
function isSought(
  { written, path = '', interpreter = '' }: ScriptRun,
  known: (name: string) => boolean,
  { machine }: CheckContext,
): boolean {
  if (!SHELL.test(interpreter) || written.includes('/')) return false;
  return (
    known(basename(path)) || machine.path.split(delimiter).some((folder) => existsSync(join(folder, basename(path))))
  );
}

/** Reports carriage returns at the ends of lines, where they are not passed over: by what looks for the interpreter, and by shells. */
function* lineEnds(
  { interpreter }: ScriptRun,
  { path, text = '', shebang }: ScriptFile,
  { name }: CheckContext,
): Generator<ScriptFinding> {
  const first = shebang?.endsWith('\r') ? firstLine(shebang) : undefined;
  const isShell = SHELL.test(basename(interpreter ?? first?.sought ?? ''));
  const isRead = isShell && /\r\n/.test(text) && !/(?:^|[^\r])\n/.test(text);
  if (!isRead && (interpreter !== undefined || first === undefined || passesOver(first))) return;
  const file = quoted(name(path));
  yield {
    rule: 'script-line-ends',
    message: `The lines of ${name(path)} end in carriage returns, which are taken for part of their last words.`,
    fix: `Convert the whole file: dos2unix ${file}, or sed -i 's/\\r$//' ${file}.`,
  };
}

/** Our own files, whose relative paths are bound to the scripts of their folder (`trust/bound-script.ts`). */
const KEPT: readonly string[] = ['hooks-file', 'config'] satisfies readonly FileKind[];

/** The script in the file's folder to which the path is bound; undefined if there is none. */
function boundPath(
  { path, relative: isRelative }: Invocation,
  { path: file, project, kind }: SourceFile,
  about: CheckContext,
): string | undefined {
  if (path === undefined || !isRelative || !KEPT.includes(kind)) return undefined;
  const kept = resolve(dirname(file), relativeTo(project ?? about.machine.cwd, path));
  return about.script(kept) && kept;
}

function bound(run: ScriptRun, kept: string, { path: file }: SourceFile, { name }: CheckContext): ScriptFinding {
  const message = `${run.written} is bound to ${name(kept)}: from a folder that has none it is not found, and from one that has another the hook fails as untrusted.`;
  // Our own files have no placeholders that are filled in without a shell. A path that leads out of its folder may lead out of the project.
  const hasOwn = run.program === undefined && !run.within && !run.written.includes('..');
  const own = hasOwn ? `, or ${behind('"$CLAUDE_PROJECT_DIR"', run)} if each project has its own` : '';
  const fix = run.moves && !run.within ? begin(quoted(dirname(file))) : `Write its absolute path${own}.`;
  return { rule: 'script-relative', message, fix };
}

function* missing(run: ScriptRun, path: string, file: SourceFile, { name }: CheckContext): Generator<ScriptFinding> {
  const inPlugin = run.relative && file.plugin !== undefined && existsSync(resolve(file.plugin, run.written));
  if (inPlugin) {
    yield relative(run, file);
    return;
  }
  const isThere = existsSync(path);
  if (isClosed(path) || (isThere && statSync(path).isFile())) {
    yield {
      rule: 'script-missing',
      message: `${name(path)} cannot be read by this user.`,
      fix: 'Let this user read it and enter its folders.',
    };
    return;
  }
  const folder = isThere ? ' is a folder' : ' is not there';
  yield { rule: 'script-missing', message: `${name(path)}${folder}.` };
}

function relative(run: ScriptRun, { plugin }: SourceFile): ScriptFinding {
  const name = plugin === undefined ? 'CLAUDE_PROJECT_DIR' : 'CLAUDE_PLUGIN_ROOT';
  const braced = `\${${name}}`;
  const folder = run.program === undefined ? `"${plugin === undefined ? `$${name}` : braced}"` : braced;
  const message = `${run.written} is looked for in the directory the session is in at that moment.`;
  // How to quote in a text within a text depends on the quotes around it.
  if (run.within)
    return {
      rule: 'script-relative',
      message,
      fix: `Let its path, or the cd before it, begin with $${name}, quoted for the inner shell.`,
    };
  return { rule: 'script-relative', message, fix: run.moves ? begin(folder) : `Write ${behind(folder, run)}.` };
}

const behind = (folder: string, { written }: ScriptRun): string => `${folder}/${written.replace(/^\.\//, '')}`;

/** Advice for a line that changes the folder: only before that is known which one its paths begin at. */
const begin = (folder: string): string => `Begin the line with cd ${folder} &&.`;

/** A first line after which `NAME script` does the same: no option, and a program that is found by its name. */
const READER = /^[ \t]*\/(?:usr\/(?:local\/)?)?bin\/(?:env[ \t]+)?((?:ba|da|z)?sh|python3?|node|perl|ruby)[ \t]*$/;

/** Writes a path so that it can be pasted into a shell. */
function quoted(path: string): string {
  const name = path.startsWith('-') ? `./${path}` : path;
  return /^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/** How to run a script by naming what reads it. The path stays as it is written: the hook may run in another folder than the check. */
function readBy(reader: string, { written, program, within }: ScriptRun): string {
  if (within) return `write ${reader} before its path`;
  if (program === undefined) return `name what reads it: ${reader} ${/^["']?-/.test(written) ? './' : ''}${written}`;
  const word = JSON.stringify(written);
  return program === written
    ? `make "${reader}" the program and ${word} its first argument`
    : `put "${reader}" as an argument before ${word}`;
}

function* runItself(
  run: ScriptRun,
  script: ScriptFile,
  { machine, name: nameOf }: CheckContext,
): Generator<ScriptFinding> {
  const { path, executable, text, shebang } = script;
  const reader = READER.exec(shebang ?? '')?.[1];
  const advice = reader && readBy(reader, run);
  if (!executable)
    yield {
      rule: 'script-not-executable',
      message: `${nameOf(path)} has no permission to be run.`,
      fix: script.chmodHelps
        ? `chmod +x ${quoted(nameOf(path))}${advice ? `, or ${advice}` : ''}.`
        : `${advice ? `${advice.charAt(0).toUpperCase()}${advice.slice(1)}. ` : ''}This user may not execute it: its owner must allow it, or its file system is mounted noexec.`,
    };
  if (text === undefined) return;
  const { program, argument, sought } = firstLine(shebang ?? '');
  if (program === '') {
    if (!/\.(exe|cmd|bat|ps1)$/i.test(path)) {
      yield {
        rule: 'script-no-interpreter',
        message: `${basename(path)} ${shebang === undefined ? 'does not begin with' : 'names no program behind'} #!, so sh reads it, whatever it is written in.`,
      };
    }
    return;
  }
  const asks = `${basename(path)} asks for`;
  const missing = existsSync(program) ? sought : program;
  const isUnsplit = sought === argument && /[ \t]/.test(argument);
  const isFound = sought?.includes('/')
    ? !isUnsplit && (!isAbsolute(sought) || existsSync(sought))
    : isOnPath(sought ?? '', machine.path);
  if (missing === undefined || (missing === sought && isFound)) return;
  if (missing === sought && isUnsplit)
    yield {
      rule: 'program-missing',
      message: `${asks} a program "${missing}": without -S, env takes all of it for one name.`,
      fix: `Write #!${program} -S ${argument}.`,
    };
  else
    yield {
      rule: 'program-missing',
      message: `${asks} ${missing}, which this machine does not have.`,
      subject: missing,
    };
}

const unread = (names: string): RegExp =>
  new RegExp(`^(?:(~)(?=/)|["']?[^\\s"'{}()$]*(\\$(?:(?:${names})|\\{(?:${names})[^}]*\\}?)))`);
/** What a shell would fill in. Of other names nobody knows whether a program is meant to read them in its arguments, nor within what may be code. */
const UNREAD = unread('CLAUDE_\\w+|HOME\\b|user_config\\.\\w+');
/** The same in the path of a program or script, where nothing reads any variable. */
const UNREAD_PATH = unread('[A-Za-z_][\\w.]*');

/** Whether a path that no shell reads is that of a script, whatever is in its name. */
const isThere = (path: string, { path: file, project }: SourceFile, { script, machine }: CheckContext): boolean =>
  [project ?? machine.cwd, dirname(file)].some((folder) => script(resolve(folder, path)) !== undefined);

/** Checks a command that no shell reads. */
function* checkExecForm(handler: HandlerNode, file: SourceFile, about: CheckContext): Generator<CheckFinding> {
  const words = execWords(handler) ?? [];
  const [command = ''] = words;
  const [program = ''] = filledWords([command], file, about.machine);
  if (/[|;&<>"']|\s-|\s\S*[./]/.test(command) && !isThere(program, file, about)) {
    const message = `Without a shell the program is called "${command}", all of it.`;
    yield { rule: 'exec-form-shell', ...atKey(handler, 'command'), message };
  }
  const roles = rolesOf(words);
  const filled = filledWords(words, file, about.machine);
  for (const [i, word] of words.entries()) {
    if (roles[i] === 'code') continue;
    const rest = word.replace(/\$\{([^}]*)\}/g, (all, name: string) => (isFilledIn(name, file) ? '' : all));
    const [, home, variable] = (roles[i] === 'path' ? UNREAD_PATH : UNREAD).exec(rest) ?? [];
    const found = home ?? variable;
    if (found === undefined || (roles[i] === 'path' && isThere(filled[i] as string, file, about))) continue;
    const where = [...handler.path, ...(i === 0 ? ['command'] : ['args', i - 1])];
    yield {
      rule: 'placeholder-literal',
      at: spanAt(handler.node, where.slice(handler.path.length)),
      where,
      message: `No shell reads this, so ${found} stays as it is.`,
      fix: isFilledIn(found.slice(1), file) ? `Write \${${found.slice(1)}}.` : WHOLE,
    };
  }
}

const WHOLE = 'Write the whole path, or one line for a shell in "command", without "args".';

/** Checks the hook files that a plugin's manifest names. */
export const checkManifestHooks: FileCheck = function* ({ kind, plugin, parsed: { root } }) {
  const hooks = entryOf(root, 'hooks')?.value;
  if (kind !== 'manifest' || plugin === undefined || hooks === undefined) return;
  for (const node of hooks.kind === 'array' ? hooks.items : [hooks]) {
    const named = textOf(node);
    if (named === undefined || existsSync(join(plugin, named))) continue;
    const besides = existsSync(join(plugin, '.claude-plugin', named));
    const fix = besides ? 'Paths begin at the folder of the plugin, not at the manifest.' : undefined;
    yield { rule: 'manifest-path', at: node, where: ['hooks'], message: `${named} is not in the plugin.`, fix };
  }
};
