import type { Path, Position } from '../../files/json-file.js';
import { plain } from '../../plain.js';
import { checkOption } from '../../values/options.js';
import { formatPath } from '../../values/problem.js';
import { isObject, isText, type OptionCheck } from '../../values/shape.js';

/** Something in a hook file that is wrong or has no effect. */
export interface Finding {
  /** The kind of finding: `unknown-event`, `wrong-value` … */
  readonly rule: string;
  readonly level: 'error' | 'warning';
  readonly path: Path;
  /** What was expected, or what happens instead. */
  readonly message: string;
  readonly nearest?: string | undefined;
}

/** A finding with its position in the file. An error drops the whole file, unless `onInvalid` is `skip`. */
export interface ClaudeProblem extends Partial<Position> {
  readonly level: 'error' | 'warning';
  readonly rule: string;
  readonly file: string;
  /** The key: `hooks.PreToolUse[0].hooks[1].timeout`. Empty if the problem is about the file itself. */
  readonly where: string;
  readonly message: string;
  readonly nearest?: string;
}

/** A file in which findings can be located. */
export interface LocatedText {
  readonly file: string;
  /** The position of a value in the file. */
  locate(path: Path): Promise<Position | undefined>;
}

export async function problemOf(finding: Finding, { file, locate }: LocatedText): Promise<ClaudeProblem> {
  const { rule, level, path, message, nearest } = finding;
  const position = await locate(path);
  return {
    level,
    rule,
    file,
    where: formatPath(path),
    ...(position ?? {}),
    message,
    ...(nearest === undefined ? {} : { nearest }),
  };
}

const PROBLEM: OptionCheck = {
  expected: 'a problem with its file, where and message, as loadClaudeCode returns it',
  accepts: (v) => isObject(v) && ['file', 'where', 'message'].every((key) => isText(v[key])),
};

/** Formats a problem as one line: `settings.json:12:5: hooks.Stop: expected an array of groups`. */
export function formatProblem(problem: ClaudeProblem): string {
  checkOption('formatProblem(problem)', problem, PROBLEM);
  const { file, line, column, where, message, nearest } = problem;
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  const hint = nearest === undefined ? '' : `. Did you mean "${nearest}"?`;
  return plain(`${place}: ${where === '' ? '' : `${where}: `}${message}${hint}`);
}
