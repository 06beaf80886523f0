import { boundedTest, notRun, whyExponential } from './regex-cost.js';

const NAMES = /^[A-Za-z0-9_\-, |]+$/;
const NARROW_NAMES = /^[A-Za-z0-9_|]+$/;
/** A permission rule in the wrong place, such as `Bash(git *)`. `Notebook(Edit|Read)` may be meant as a regular expression. */
const PERMISSION_RULE = /^\w+\([^|)]*[ /:][^|)]*\)$/;

/** Whether a matcher in Claude Code's files is a list of names, not a regular expression. `narrow`: a list may contain fewer characters. */
export function isNameList(matcher: string, narrow: boolean): boolean {
  return (narrow ? NARROW_NAMES : NAMES).test(matcher);
}

/** How warnings end about an invalid matcher or rule in Claude Code's files, which matches nothing. */
const NEVER = /(?:;|, so) the hook never runs/;

/** Finds in the warnings why a matcher or rule keeps its hook from ever running; undefined if the hook may run. */
export function whyNever(warnings: readonly string[]): string | undefined {
  return warnings.find((warning) => NEVER.test(warning))?.replace(NEVER, '');
}

/**
 * Compiles a matcher of Claude Code's files. It is a list of exact names if it has only the characters of names, else an unanchored
 * regular expression, which matches nothing if it does not compile, and everything if it can take exponential time. `narrow`: a
 * list may contain fewer characters. `late` is called when a pattern is given up because a test takes too long.
 */
export function claudeTest(
  matcher: string,
  narrow: boolean,
  late: (why: string) => void,
): { test: (name: string) => boolean; warning?: string } {
  if (isNameList(matcher, narrow)) {
    const names = new Set(matcher.split(/[|,]/).map((name) => name.trim()));
    names.delete('');
    const test = (name: string): boolean => names.has(name);
    return names.size > 0 ? { test } : { test, warning: 'names nothing; the hook never runs' };
  }
  const hint = PERMISSION_RULE.test(matcher) ? '; it looks like a permission rule, and those go in "if"' : '';
  try {
    const pattern = new RegExp(matcher);
    const why = whyExponential(matcher);
    if (why !== undefined) {
      return {
        test: () => true,
        warning: notRun(why),
      };
    }
    const bounded = boundedTest(pattern);
    const test = (name: string): boolean => bounded(name, late);
    return hint === '' ? { test } : { test, warning: `is read as a regular expression${hint}` };
  } catch (error) {
    const why = (error as Error).message;
    return { test: () => false, warning: `does not compile, so the hook never runs (${why})${hint}` };
  }
}
