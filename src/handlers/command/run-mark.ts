import { randomUUID } from 'node:crypto';

/** Every process of a run inherits this variable: the marks of the run and of the runs that it is nested in. */
const VARIABLE = 'HOOKSCOPE_RUNS';
const MARK = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** How many nested runs' marks are passed on at most. */
const DEEPEST = 100;

/** A random mark, which only processes of this run can have. */
export function freshMark(): string {
  return randomUUID();
}

/** The variable for a run's environment: the inherited marks, then the run's own. */
export function markVariable(mark: string | undefined): Record<string, string> {
  const inherited = (process.env[VARIABLE] ?? '').split(':').filter((text) => MARK.test(text));
  const marks = [...inherited, ...(mark === undefined ? [] : [mark])].slice(-DEEPEST);
  return marks.length === 0 ? {} : { [VARIABLE]: marks.join(':') };
}

/** Whether a process that was started with these variables (`NAME=value`) carries the mark. */
export function isMarked(variables: readonly string[], mark: string): boolean {
  return variables.some(
    (variable) =>
      variable.startsWith(`${VARIABLE}=`) &&
      variable
        .slice(VARIABLE.length + 1)
        .split(':')
        .includes(mark),
  );
}
