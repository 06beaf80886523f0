import { isKeyword, leadOf } from './cases.js';
import { UNKNOWN } from './values.js';
import type { ShellCommand } from './word.js';

/** A command without `function name`, and the function whose body it begins. */
export function bodyOf(
  command: ShellCommand,
  previous: ShellCommand | undefined,
): { readonly command: ShellCommand; readonly name?: string | undefined } {
  const { words, brackets } = command;
  const lead = leadOf(command);
  const [keyword, name, ...body] = words.slice(lead.length);
  if (isKeyword(keyword, 'function') && body.length > 0)
    return { command: { ...command, words: [...lead, ...body] }, name: name?.text };
  return { command, name: brackets === '()' ? previous?.words.at(-1)?.text : undefined };
}

/** Whether the body of a function begins with a command: `f() {`, `f() (`, but not `list=()`. */
export const definesFunction = ({ brackets }: ShellCommand, previous: ShellCommand | undefined): boolean =>
  brackets?.includes('()') === true && previous?.words.at(-1)?.text.endsWith('=') !== true;

/** A function of a line, as far as its calls are concerned. */
interface ShellFunction {
  /** The folders to which each definition goes. */
  readonly goes: (readonly (readonly string[])[])[];
  /** It runs the command that it is given: `run() { "$@" || exit 2; }`. */
  wraps: boolean;
}

const MOST_MOVES = 16;

/** The functions that a text defines. */
export class ShellFunctions {
  readonly #functions = new Map<string, ShellFunction>();

  get(name: string | undefined): ShellFunction | undefined {
    return name === undefined ? undefined : this.#functions.get(name);
  }

  defines(name: string, goes: readonly (readonly string[])[]): void {
    this.#of(name).goes.push(goes.length > MOST_MOVES ? [[UNKNOWN]] : goes);
  }

  wraps(name: string): void {
    this.#of(name).wraps = true;
  }

  /** The folders to which a call goes. If a definition leads to a folder that only the run can tell, it counts unless another one follows. */
  goes(name: string | undefined): readonly (readonly string[])[] {
    const { goes = [] } = this.get(name) ?? {};
    const isOpen = (moves: readonly (readonly string[])[]): boolean => moves.flat().some((to) => to.includes(UNKNOWN));
    return goes.flatMap((moves, i) => (isOpen(moves) && i < goes.length - 1 ? [] : moves)).slice(0, MOST_MOVES);
  }

  #of(name: string): ShellFunction {
    const known = this.#functions.get(name) ?? { goes: [], wraps: false };
    this.#functions.set(name, known);
    return known;
  }
}
