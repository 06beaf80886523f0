import type { Path } from '../files/json-file.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { entryOf, type NodeSpan, textAt } from './files/tree.js';
import type { RuleId } from './rules/rules.js';
import { commandLine, execWords, type Invocation, type PathBases, runsOf } from './scripts/runs.js';
import { languageOf, type ProgramText, programText, readScript, type ScriptFile } from './scripts/scripts.js';

/** A finding of a check. */
export interface CheckFinding {
  readonly rule: RuleId;
  /** The position in the hook file or, with `script`, in the script. */
  readonly at: NodeSpan;
  readonly where: Path;
  /** What is wrong, as a full sentence. */
  readonly message: string;
  /** Replaces the fix in the rule's texts. */
  readonly fix?: string | undefined;
  readonly script?: { readonly file: string; readonly source: string } | undefined;
  /** The part of this machine that the finding is about. Findings with the same subject are reported once, with a count. */
  readonly subject?: string | undefined;
}

/** Checks one file for a few rules. */
export type FileCheck = (file: SourceFile, about: CheckContext) => Iterable<CheckFinding>;

/** The machine that hooks would run on. */
export interface CheckMachine extends PathBases {
  /** The value of PATH. */
  readonly path: string;
  /** The folder of managed settings. */
  readonly managed: string;
  /** The environment that hooks would get. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a check can use besides its file: the other files and the machine. */
export interface CheckContext {
  readonly files: readonly SourceFile[];
  readonly machine: CheckMachine;
  runs(handler: HandlerNode, file: SourceFile): readonly Invocation[];
  script(path: string): ScriptFile | undefined;
  /** A path as it is shown in findings. */
  name(path: string): string;
  /** Every readable piece of code that the handler runs. */
  texts(handler: HandlerNode, file: SourceFile): readonly ProgramText[];
  /** The events that a script serves in all files. */
  eventsOf(script: string): ReadonlySet<string>;
}

export function createChecking(
  files: readonly SourceFile[],
  machine: CheckMachine,
  name: CheckContext['name'],
): CheckContext {
  const runs = remember((handler: HandlerNode, file: SourceFile) => runsOf(handler, file, machine));
  const scripts = new Map<string, ScriptFile | undefined>();
  const script = (path: string): ScriptFile | undefined => {
    if (!scripts.has(path)) scripts.set(path, readScript(path));
    return scripts.get(path);
  };
  const texts = remember((handler: HandlerNode, file: SourceFile) => textsOf(handler, runs(handler, file), script));
  let served: Map<string, Set<string>> | undefined;
  return {
    files,
    machine,
    runs,
    script,
    name,
    texts,
    eventsOf(path) {
      served ??= servedBy(files, runs);
      return served.get(path) ?? new Set();
    },
  };
}

function remember<T>(
  make: (handler: HandlerNode, file: SourceFile) => T,
): (handler: HandlerNode, file: SourceFile) => T {
  const made = new WeakMap<HandlerNode, T>();
  return (handler, file) => {
    const known = made.get(handler);
    if (known !== undefined) return known;
    const fresh = make(handler, file);
    made.set(handler, fresh);
    return fresh;
  };
}

function servedBy(files: readonly SourceFile[], runs: CheckContext['runs']): Map<string, Set<string>> {
  const served = new Map<string, Set<string>>();
  for (const file of files) {
    for (const handler of file.handlers) {
      for (const { path } of runs(handler, file)) {
        if (path !== undefined) served.set(path, (served.get(path) ?? new Set()).add(handler.event));
      }
    }
  }
  return served;
}

function textsOf(handler: HandlerNode, runs: readonly Invocation[], script: CheckContext['script']): ProgramText[] {
  const texts: ProgramText[] = [];
  const line = commandLine(handler);
  const shell = textAt(handler.node, 'shell');
  if (line !== undefined && shell !== 'powershell') {
    texts.push(programText('shell', line, { plainSh: shell === undefined }));
  }
  for (const { path, inline, interpreter } of runs) {
    if (inline !== undefined) {
      texts.push(programText(languageOf(interpreter), inline, { plainSh: isPlain(interpreter) }));
      continue;
    }
    const file = path === undefined ? undefined : script(path);
    if (file?.text === undefined) continue;
    const plainSh =
      interpreter === undefined
        ? /^\s*(\/usr)?\/bin\/(env\s+)?(da)?sh\b/.test(file.shebang ?? '')
        : isPlain(interpreter);
    texts.push(programText(languageOf(interpreter, file), file.text, { file: file.path, plainSh }));
  }
  return texts;
}

const isPlain = (interpreter: string | undefined): boolean => interpreter === 'sh' || interpreter === 'dash';

/** The position of a handler's command. */
export function commandSpan(handler: HandlerNode): NodeSpan {
  return entryOf(handler.node, 'command')?.value ?? handler.node;
}

/** The position of a key of a handler or, if the key is missing, of the handler. */
export function atKey(handler: Pick<HandlerNode, 'node' | 'path'>, key: string): { at: NodeSpan; where: Path } {
  const value = entryOf(handler.node, key)?.value;
  return value ? { at: value, where: [...handler.path, key] } : { at: handler.node, where: handler.path };
}

/** The position of a finding in a text that a handler runs. */
export function inText(
  handler: HandlerNode,
  text: ProgramText,
  span: NodeSpan,
): Pick<CheckFinding, 'at' | 'where' | 'script'> {
  if (text.file === undefined)
    return atKey(handler, execWords(handler) && entryOf(handler.node, 'args') ? 'args' : 'command');
  return { at: span, where: handler.path, script: { file: text.file, source: text.source } };
}
