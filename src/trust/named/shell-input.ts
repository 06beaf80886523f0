import { type CommandReading, OTHER } from './command-reading.js';
import { programOf } from './programs.js';
import { RunCommands } from './run-commands.js';
import type { PipedCommand } from './shell-lines.js';
import { UNKNOWN, wordValues } from './shell-values.js';
import type { ShellWord } from './shell-words.js';

/** Names of standard input, or of a file descriptor that the line has opened. */
const DESCRIPTOR = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;
/** Options with which a program only prints information about itself and reads nothing. */
const ABOUT = /^(?:--?version|--help|-[vVh])$/;
/** Commands that print where a program is. */
const ABOUT_OTHERS = /^(?:command -[vV]|which|type|hash|whereis) /;

/** Finds the input of programs that read their code from it. */
export abstract class ShellInput extends RunCommands {
  /** Inputs of surrounding commands, which a program inside may inherit. They count once a program reads code from an input that it was not given directly. */
  readonly #sources: (() => void)[] = [];
  #inherits = false;

  protected input(piped: PipedCommand | undefined, reading: CommandReading): void {
    const { command, program = OTHER, settled, fed, mode } = reading;
    const named = command.words.some(
      ({ redirect, text }) => redirect === undefined && (DESCRIPTOR.test(text) || program.always?.test(text)),
    );
    const takesCode = program.stdin === true || (fed && program.operands === 'code');
    const reads = takesCode && (!settled || named);
    let given = false;
    for (const word of command.words) {
      const isDocument = word.redirect === '<<' || word.redirect === '<<<';
      if (isDocument) this.within(word, mode, reads);
      if (!isDocument && word.redirect !== '<') continue;
      if (reads) this.#given(word, isDocument, reading);
      else this.#sources.push(() => this.#given(word, isDocument, reading));
      given ||= !/^[\d-]+$/.test(word.text);
    }
    if (command.words.some(({ redirect, raw }) => redirect === '>' && raw.startsWith('>(')))
      this.#sources.push(() => this.#piped({ command, piped, isLast: true }, reading));
    if (piped) {
      if (reads) this.#piped(piped, reading);
      else this.#sources.push(() => this.#piped(piped, reading));
    } else if (reads && mode.shell && !given && !command.words.some(({ text }) => ABOUT.test(text)))
      this.#inherits ||= !ABOUT_OTHERS.test(command.raw);
  }

  /** Reads the inputs of surrounding commands if a program inherits its input. */
  protected inherited(): void {
    for (const source of this.#inherits ? this.#sources.splice(0) : []) source();
  }

  #given(word: ShellWord, isDocument: boolean, { mode }: CommandReading): void {
    const values = wordValues(word, this.paths.look);
    if (isDocument) this.lines(word, values, mode);
    else this.report(word.raw, values, mode);
  }

  #piped(piped: PipedCommand, reading: CommandReading): void {
    const { command, isLast } = piped;
    const { mode, program = OTHER } = reading;
    const words = command.words.filter(({ redirect }) => redirect === undefined);
    const [printer = [], ...printed] = words.map((word) => wordValues(word, this.paths.look));
    const isText = ['echo', 'printf'].includes(printer[0] ?? '');
    const known = printed.every((values) => !values.some((value) => value.includes(UNKNOWN)));
    for (const value of isText ? printed.flat() : []) {
      this.line(value, { depth: mode.depth + 1, shell: true });
      for (const text of value.split(/\s/)) this.paths.code(text, program);
    }
    const passes = programOf(printer)?.operands === 'data';
    // Of a group, only the last command is known, so the rest of the output is not.
    if (!(known && isLast && (isText || passes))) this.report(command.raw, [UNKNOWN], mode);
    if (!passes) return;
    if (program.scripts && program.operands !== 'data') this.prints(printed);
    for (const word of command.words) {
      if (word.redirect === '<') this.#given(word, false, reading);
      else if (word.redirect === '<<' || word.redirect === '<<<') this.#given(word, true, reading);
    }
    if (piped.piped) this.#piped(piped.piped, reading);
    else if (mode.shell && !words.some((_, i) => i > 0)) this.#inherits = true;
  }
}
