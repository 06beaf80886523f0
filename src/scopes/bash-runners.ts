import type { KnownWord } from './bash-words.js';

/** What the words from some place on do with the words after them. */
export interface Use {
  /** Where the command they run begins. */
  readonly runs?: number;
  /** They run some of the words after them, and perhaps more than are written; which is not to be told for sure. */
  readonly mayRun?: true;
  /** Each is a command line that they read. */
  readonly reads?: readonly (readonly KnownWord[])[];
  /** They run commands that are not to be seen here. */
  readonly hidden?: true;
}

/** Commands that run their arguments: how many operands come first, which options take a value. */
const WRAPPERS = new Map<string, { readonly operands: number; readonly values: readonly string[] }>([
  ['timeout', { operands: 1, values: ['-s', '--signal', '-k', '--kill-after'] }],
  ['time', { operands: 0, values: ['-f', '--format', '-o', '--output'] }],
  ['nice', { operands: 0, values: ['-n', '--adjustment'] }],
  ['nohup', { operands: 0, values: [] }],
  ['stdbuf', { operands: 0, values: ['-i', '--input', '-o', '--output', '-e', '--error'] }],
  ['command', { operands: 0, values: [] }],
  ['builtin', { operands: 0, values: [] }],
  ['noglob', { operands: 0, values: [] }],
]);

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
/** Commands that run some of their arguments; where these begin hangs on options of which there are many. */
const RUNNERS = set(
  'sudo doas su runuser env exec xargs parallel find fd setsid ionice chrt taskset flock watch strace ltrace unshare ' +
    'nsenter chroot busybox nocorrect systemd-run caffeinate unbuffer script entr proxychains proxychains4 faketime',
);
/** Runners that take a whole command line as one word. */
const LINE_RUNNERS = set('su runuser watch parallel flock script');
const SHELLS = set('sh bash rbash zsh dash ash ksh mksh fish');
const SHELL_VALUES = set('-o +o -O +O --rcfile --init-file');

/** The name a command is looked up by: `/usr/bin/git` is git. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Whether a command of this name runs its arguments. */
export function runsOthers(name: string): boolean {
  return WRAPPERS.has(baseName(name)) || RUNNERS.has(baseName(name));
}

export function useOf(words: readonly KnownWord[], at: number): Use {
  const name = baseName(words[at]?.text ?? '');
  const wrapper = WRAPPERS.get(name);
  if (wrapper !== undefined) {
    // `command -v git` looks a name up.
    if (name === 'command' && /^-p?[vV]/.test(words[at + 1]?.text ?? '')) return {};
    return { runs: afterOptions(words, at + 1, wrapper.values) + wrapper.operands };
  }
  if (RUNNERS.has(name)) return { mayRun: true, reads: LINE_RUNNERS.has(name) ? lines(words, at + 1) : [] };
  if (name === 'eval') return { reads: [words.slice(at + 1)] };
  if (name === 'trap') return { reads: [words.slice(at + 1, at + 2)] };
  // From here on a name may mean another command.
  if (name === 'alias') return words.length > at + 1 ? { hidden: true } : {};
  if (name === 'source' || name === '.') return sourceUse(words[at + 1]);
  return SHELLS.has(name) ? shellUse(words, at + 1) : {};
}

function afterOptions(words: readonly KnownWord[], from: number, values: readonly string[]): number {
  let at = from;
  for (; words[at]?.text.startsWith('-'); at++) if (values.includes(words[at]?.text ?? '')) at++;
  return at;
}

function lines(words: readonly KnownWord[], from: number): KnownWord[][] {
  return words.slice(from).flatMap((word) => (/\s/.test(word.text) ? [[word]] : []));
}

/** A file's commands are not looked into; those of a stream (`<(…)`, `/dev/stdin`) come from this very line. */
function sourceUse(file: KnownWord | undefined): Use {
  return file === undefined || file.sure !== undefined || file.text.startsWith('/dev/') ? { hidden: true } : {};
}

/** `sh -c text` reads the text, `sh file` runs a file, and a shell given neither reads its input. */
function shellUse(words: readonly KnownWord[], from: number): Use {
  let reads = false;
  for (let at = from; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.sure !== undefined) return { hidden: true };
    if (/^--(version|help)$/.test(word.text)) return {};
    if (SHELL_VALUES.has(word.text)) at++;
    else if (/^[-+]/.test(word.text)) reads ||= /^-\w*c/.test(word.text);
    else return reads ? { reads: [[word]] } : {};
  }
  return { hidden: true };
}
