import { type CommandReading, OTHER } from '../command-reading.js';
import { programOf } from '../programs.js';
import { RunCommands } from '../run-commands.js';
import type { PipedCommand } from './lines.js';
import { UNKNOWN, wordValues } from './values.js';
import type { ShellWord } from './word.js';

/** Names of standard input, or of a file descriptor that the line has opened. */
const DESCRIPTOR = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;
/** Options with which a program only prints information about itself and reads nothing. */
const ABOUT = /^(?:--?version|--help|-[vVh])$/;
/** Commands that print where a program is. */
const ABOUT_OTHERS = /^(?:command -[vV]|which|type|hash|whereis) /;

/** What ends a group of commands; the words of such a command, and those of a bare `exec`, say what the group reads. */
const GROUP_END = /^(?:[})]|done|fi|esac|exec)$/;
const GOES_ON = new Set(['tee']);

/** Finds the input of programs that read their code from it. */
export abstract class ShellInput extends RunCommands {
  /** Inputs of surrounding commands, which a program inside may inherit. They count once a program reads code from an input that it was not given directly. */
  readonly #sources: ((isShell: boolean) => void)[] = [];
  #inherits = false;
  #shellInherits = false;
  /** The same for scripts that are bound to their places. */
  readonly #scripts: (() => void)[] = [];
  #runsInherited = false;

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
      if (word.redirect === '<<' && !word.literal) this.expanded(word.text, mode);
      if (!isDocument && word.redirect !== '<') continue;
      if (reads) {
        this.#given(word, isDocument, reading, program.shell);
        if (program.scripts && !fed && !reading.reads) this.runsInput(word, mode);
      } else {
        this.#sources.push((isShell) => this.#given(word, isDocument, reading, isShell));
        const alone = command.words.filter(({ redirect }) => redirect === undefined);
        if (alone.length === 0 || (alone.length === 1 && GROUP_END.test(alone[0]?.text ?? '')))
          this.#scripts.push(this.runsLater(word, mode));
      }
      given ||= !/^[\d-]+$/.test(word.text);
    }
    if (command.words.some(({ redirect, raw }) => redirect === '>' && raw.startsWith('>(')))
      this.#sources.push((isShell) => this.#piped({ command, piped, isLast: true }, reading, isShell));
    if (piped) {
      if (reads) this.#piped(piped, reading, program.shell);
      else this.#sources.push((isShell) => this.#piped(piped, reading, isShell));
    } else if (reads && mode.shell && !given && !command.words.some(({ text }) => ABOUT.test(text)))
      this.#inherit(!ABOUT_OTHERS.test(command.raw), reading);
  }

  /** Reads the inputs of surrounding commands if a program inherits its input. */
  protected inherited(): void {
    for (const source of this.#inherits ? this.#sources.splice(0) : []) source(this.#shellInherits);
    for (const script of this.#runsInherited ? this.#scripts.splice(0) : []) script();
  }

  #inherit(inherits: boolean, { program, mode, reads }: CommandReading): void {
    this.#inherits ||= inherits;
    this.#shellInherits ||= inherits && program?.shell === true;
    this.#runsInherited ||= inherits && mode.sure && program?.scripts === true && !reads;
  }

  /** `isShell`: the program reads its input as lines of shell. Consent counts them in any case. */
  #given(word: ShellWord, isDocument: boolean, { mode }: CommandReading, isShell = false): void {
    const values = wordValues(word, this.paths.look);
    if (isDocument)
      this.lines(word, values, { ...mode, sure: mode.sure && isShell, ...(!isShell && { guessed: true }) });
    else this.report(word.raw, values, mode);
  }

  #piped(piped: PipedCommand, reading: CommandReading, isShell = false): void {
    const { command, isLast } = piped;
    const { mode, program = OTHER } = reading;
    const words = command.words.filter(({ redirect }) => redirect === undefined);
    const [printer = [], ...printed] = words.map((word) => wordValues(word, this.paths.look));
    const isText = ['echo', 'printf'].includes(printer[0] ?? '');
    const known = printed.every((values) => !values.some((value) => value.includes(UNKNOWN)));
    for (const value of isText ? printed.flat() : []) {
      this.line(value, {
        ...{ depth: mode.depth + 1, shell: true, sure: mode.sure && isShell },
        ...(!isShell && { guessed: true }),
      });
      for (const text of value.split(/\s/)) this.paths.code(text, program);
    }
    const passes = programOf(printer, this.purpose)?.operands === 'data';
    // Of a group, only the last command is known, so the rest of the output is not.
    if (!(known && isLast && (isText || passes))) this.report(command.raw, [UNKNOWN], mode);
    if (!passes) {
      if (GOES_ON.has(printer[0] ?? '') && piped.piped) this.#piped(piped.piped, reading, isShell);
      return;
    }
    const runs = program.scripts === true && program.operands !== 'data' && mode.sure && !reading.reads;
    if (runs) this.prints(printed);
    for (const word of command.words) {
      if (runs && word.redirect === '<') this.runsInput(word, mode);
      if (word.redirect === '<') this.#given(word, false, reading, isShell);
      else if (word.redirect === '<<' || word.redirect === '<<<') this.#given(word, true, reading, isShell);
    }
    if (piped.piped) this.#piped(piped.piped, reading, isShell);
    else if (mode.shell && !words.some((_, i) => i > 0)) this.#inherit(true, reading);
  }

  /** Reports a word that determines what runs if its value is known only at run time. */
  protected named(
    word: ShellWord,
    values: readonly string[],
    { mode, program, settled }: CommandReading,
    always = false,
  ): void {
    const isAddress = program?.operands === 'code' && values.some((value) => value.includes('://'));
    if (always || !settled)
      this.report(word.raw, isAddress || values.some((v) => v.includes('{}')) ? [UNKNOWN] : values, mode);
  }
}
