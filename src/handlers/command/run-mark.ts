import { randomUUID } from 'node:crypto';

/** Every process that a run starts inherits the run's mark in this variable, and those of the runs that it is part of. */
const VARIABLE = 'HOOKSCOPE_RUNS';
const MARK = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Runs within runs whose marks are handed on. */
const DEEPEST = 100;

/** A mark that no other process can have but from this run. */
export function freshMark(): string {
  return randomUUID();
}

/** The variable for a run's environment: its mark after the inherited ones. */
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
