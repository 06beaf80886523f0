import { aliased, setIn } from './assigned.js';
import { ASSIGNMENT, CONDITIONS, type CommandReading, isRead, newReading, OTHER } from './command-reading.js';
import { harmlessWords, isQuiet, spares } from './harmless.js';
import { importsOf } from './imports.js';
import { PATH_VARIABLE } from './named-paths.js';
import type { Kind, ProgramOptions } from './program.js';
import { type KnownOption, readOption } from './program-options.js';
import { CODE_VARIABLES, programOf, toolOf } from './programs.js';
import { beginsWith, doubts } from './run-commands.js';
import { CLOSING, OPENING, RESERVED } from './shell/cases.js';
import { ShellInput } from './shell/input.js';
import type { PipedCommand, ReadingMode } from './shell/lines.js';
import { UNKNOWN, wordValues } from './shell/values.js';
import type { ShellCommand, ShellWord } from './shell/word.js';

const LOOP = /^(?:while|until|for|select)$/;

/** Collects the files that the commands of one handler name. */
export class CommandFiles extends ShellInput {
  #blocks = 0;
  #loops = 0;
  /** True while no command in the text runs anything. */
  quiet = true;
  /** True if the shell composes a command's name by expansion. It may be that of a builtin that changes what names mean. */
  assembled = false;

  /** Reads a line of shell. */
  shell(line: string): void {
    this.begin(line, (mode) => this.line(line.replaceAll(UNKNOWN, ''), mode));
  }

  /** Reads a program with its arguments that runs without a shell. */
  exec(args: readonly string[]): void {
    const words = args.map((raw): ShellWord => {
      const text = this.paths.fill(raw).replaceAll(UNKNOWN, '');
      return { raw, text, parts: [text] };
    });
    const raw = args.join(' ');
    this.begin(raw, (mode) => this.command({ words, after: '', ends: '', raw }, undefined, mode));
  }

  /** Reads a variable that the handler sets in its program's environment. */
  variable(name: string, value: string): void {
    this.begin(value, (mode) => this.#assign(name, { raw: value, text: value, parts: [value] }, [value], mode));
  }

  protected override command(command: ShellCommand, piped: PipedCommand | undefined, mode: ReadingMode): void {
    const { look } = this.paths;
    const reading = newReading(command, mode);
    // Only for the outermost line: in a nested one, another program may precede the command.
    const harmless =
      mode.shell && mode.depth === 0 ? harmlessWords(command, (word) => wordValues(word, look), this.paths) : undefined;
    const back = this.runs.here();
    for (const [i, word] of command.words.entries()) {
      reading.isLine = false;
      const isHarmless = harmless !== undefined && i >= harmless.from;
      if (
        word.redirect === undefined &&
        !(isHarmless && spares(harmless.use, wordValues(word, look), reading, this.paths))
      )
        this.#word(word, reading);
      for (const part of word.parts) this.sets(setIn(part, look));
      if (word.redirect === '<<' || word.redirect === '<<<') continue;
      this.within(word, mode, reading.isLine || (word.redirect === '>' && mode.shell));
      if (word.redirect === '<' || (word.redirect === '>' && !mode.shell)) {
        for (const value of wordValues(word, look)) this.paths.code(value, reading.program);
      }
    }
    this.input(piped, reading);
    this.ends(reading, back);
  }

  #word(word: ShellWord, reading: CommandReading): void {
    const values = wordValues(word, this.look);
    const [text = ''] = values;
    const { program, pending } = reading;
    this.mayHide(word, values, reading);
    const takesOption = pending === undefined || pending === 'line';
    const option = program && readOption(program, text, this.purpose);
    // `cd -- -x`
    const isFolder = program?.operands === 'folder' && program.open === undefined && option?.unsure === true;
    if (program === undefined) this.#start(word, values, reading);
    else if (takesOption && /^[-+]./.test(text) && option && !isFolder) this.#option(word, values, option, reading);
    else if (pending !== undefined) {
      reading.pending = undefined;
      this.#value(pending, word, values, reading);
    } else this.paths.given(isRead(program, reading), () => this.#operand(word, values, program, reading));
  }

  /** Reads a word at which a command may begin. */
  #start(word: ShellWord, values: readonly string[], reading: CommandReading): void {
    const [, name] = ASSIGNMENT.exec(word.text) ?? [];
    if (name !== undefined) {
      const own = this.assigned(name, word, values, this.#loops > 0);
      const isSure = !CONDITIONS.has(reading.command.after) && this.#blocks === 0;
      // `[ -n "$x" ] || x=…`: the value may come from the environment.
      const isKnown = isSure || this.isUnset(name) || this.paths.look(name);
      this.#assign(name, word, isKnown ? own : [...own, UNKNOWN], reading.mode);
      return;
    }
    this.mayRepeat(values, reading.mode);
    if (reading.mode.shell) {
      this.#blocks += Number(OPENING.has(word.text)) - Number(CLOSING.has(word.text));
      this.#loops += Number(LOOP.test(word.text)) - Number(word.text === 'done');
    }
    if (RESERVED.has(word.text)) return;
    if (this.isTooMany(reading)) return;
    if (word.text === 'for' || word.text === 'select') this.#loop(word, reading);
    const program = programOf(values, this.purpose) ?? OTHER;
    if (reading.mode.shell && !isQuiet(values)) this.quiet = false;
    if (!word.parts.every((part) => typeof part === 'string') && values.some((value) => !value.includes('/')))
      this.assembled = true;
    beginsWith(program, values, reading);
    this.splits(word, values, reading);
    if (program.operands === 'command' && program.stdin) reading.fed = true;
    this.named(word, values, reading);
    for (const file of program.unasked ?? []) this.paths.given(true, () => this.paths.code(file, undefined));
    const { raw, words } = reading.command;
    if (program.open === '' || words.some(({ text }) => text !== '' && program.open?.split(' ').includes(text)))
      this.report(raw, [UNKNOWN], reading.mode);
    this.starts(word, values, reading);
    this.setsBy(values, reading);
  }

  #option(word: ShellWord, values: readonly string[], option: KnownOption, reading: CommandReading): void {
    for (const value of values) this.paths.given(option.kind === 'code', () => this.paths.path(value));
    this.notes(word.text, option, reading);
    reading.unsure = option.unsure;
    if (option.kind === undefined) return;
    if (option.kind === 'command') reading.program = undefined;
    else if (option.from === undefined) reading.pending = option.kind;
    else {
      const from = option.from;
      this.#value(
        option.kind,
        word,
        values.map((value) => value.slice(from)),
        reading,
      );
    }
  }

  #value(kind: Kind, word: ShellWord, values: readonly string[], reading: CommandReading): void {
    const { program = OTHER, mode } = reading;
    if (kind === 'line') {
      Object.assign(reading, { isLine: true, runs: true });
      this.linesApart(word, values, mode);
    }
    if (kind === 'line' || kind === 'module' || kind === 'text') reading.settled = true;
    if (kind === 'line' && program.operands === 'command') {
      // `env -S sh file`: the words that follow are its arguments.
      const inner = programOf([word.text.split(' ')[0] ?? ''], this.purpose);
      if (inner) Object.assign(reading, { program: inner, skips: inner.skips ?? 0, settled: false });
    }
    if (kind === 'script') {
      reading.settled = true;
      this.paths.code('package.json', undefined);
    }
    if (kind === 'setting') this.#setting(word, values, mode);
    if (kind === 'script' || kind === 'setting') return;
    if (kind === 'text') {
      reading.inline = true;
      if (program.scripts) this.runsText(word, mode);
      if (values.includes(UNKNOWN)) this.report(word.raw, values, mode);
      for (const value of values) for (const name of importsOf(value)) this.#code(name, program);
      return;
    }
    if (kind !== 'value' && kind !== 'line') this.named(word, values, reading, true);
    if (kind === 'folder' && reading.goes) this.goesTo(word, values, mode);
    this.loads(kind, values, reading);
    for (const value of values) {
      if (kind === 'folder') this.folders(value, reading);
      else if (kind === 'code' || kind === 'module') this.paths.given(true, () => this.#code(value, program));
      else if (kind !== 'line') this.paths.path(value);
    }
  }

  /** Reads a setting such as `alias.x=!line`, `auto_prepend_file=file` or `core.hooksPath=folder`. */
  #setting(word: ShellWord, values: readonly string[], mode: ReadingMode): void {
    for (const value of values) {
      const [, name = '', own = ''] = /^([^=]*)=!?(.*)$/s.exec(value) ?? [];
      this.lines(word, [own], mode);
      this.paths.code(own, undefined);
      if (/path$/i.test(name)) this.report(word.raw, [UNKNOWN], mode);
    }
  }

  #operand(word: ShellWord, values: readonly string[], program: ProgramOptions, reading: CommandReading): void {
    // The operand of a wrapper such as `env` may be an assignment.
    if (program.operands !== 'lines' && (program.operands !== 'command' || reading.skips > 0))
      for (const value of values) this.paths.path(value, reading.runs);
    if (this.isTool(word, values, reading)) return;
    const verbs = program.verbs?.split(' ') ?? [];
    if (program.operands === 'lines') {
      reading.isLine = true;
      if (this.purpose === 'consent' && program.takes === 'each') this.lines(word, aliased(values), reading.mode);
      else this.runsLines(word, reading);
    } else if (program.operands === 'folder') {
      this.operandFolder(values, reading);
      this.#value('folder', word, values, reading);
    } else if (program.operands === 'command') {
      if (!verbs.includes(word.text) && word.text !== '-') this.#wrapped(word, values, program, reading);
    } else if (program.operands === 'texts') {
      for (const value of values) for (const name of [value, ...importsOf(value)]) this.#code(name, program);
    } else if (program.operands === 'data') for (const value of values) this.paths.code(value, undefined);
    else if (program.operands === 'code') {
      if (reading.settled) {
        // Inline code may load the files that it is given as arguments.
        if (reading.inline && values.some((value) => /\0.*[/.]|[/.].*\0/s.test(value)))
          this.report(word.raw, values, reading.mode);
        return;
      }
      this.named(word, values, reading);
      this.notes(word.text, {}, reading);
      if (verbs.includes(word.text)) return;
      this.runsScript(word, reading);
      const inner = program.binaries === undefined ? undefined : toolOf(values, this.purpose); // `npx tsx x`
      if (reading.unsure || (program.binaries !== undefined && inner === undefined)) doubts(reading);
      for (const value of values) {
        this.paths.code(value, program, program.binaries);
        if (program.modules) this.paths.module(value, program);
      }
      reading.settled = !reading.unsure && inner === undefined;
      reading.unsure = false;
      if (inner !== undefined) Object.assign(reading, { program: inner, skips: inner.skips ?? 0 });
    } else if (programOf(values, this.purpose)) {
      // Any program may run another one.
      if (program === OTHER || program.open !== undefined) {
        doubts(reading);
        this.#start(word, values, reading);
      }
    } else if (program === OTHER && values.some((value) => /\0.*[/.]/s.test(value))) this.named(word, values, reading);
  }

  /** Reads the first word of the command that a wrapper runs, or an operand before it. */
  #wrapped(word: ShellWord, values: readonly string[], program: ProgramOptions, reading: CommandReading): void {
    if (program.ends || (reading.unsure && reading.skips === 0))
      for (const value of values) this.paths.code(value, program);
    if (reading.skips > 0) return void reading.skips--;
    this.runsWrapped(word, reading);
    const isProgram = programOf(values, this.purpose) !== undefined || values.some((value) => value.includes('/'));
    if (reading.unsure && !isProgram) {
      reading.unsure = false;
      this.named(word, values, reading);
    } else this.#start(word, values, reading);
  }

  /** Adds the code that an option or an import names. */
  #code(name: string, program: ProgramOptions): void {
    this.paths.code(name, program, program.packages);
    this.paths.module(name, program);
  }

  #loop(first: ShellWord, { command, mode }: CommandReading): void {
    const [variable, keyword, ...items] = command.words.slice(command.words.indexOf(first) + 1);
    if (!variable) return;
    const values = keyword?.text === 'in' ? items.flatMap((item) => wordValues(item, this.look)) : [];
    this.#assign(variable.text, variable, values.length > 0 ? values : [UNKNOWN], mode);
  }

  #assign(name: string, word: ShellWord, values: readonly string[], mode: ReadingMode): void {
    this.paths.set(name, values);
    this.keeps(name, word);
    const [runs] = Object.hasOwn(CODE_VARIABLES, name) ? [CODE_VARIABLES[name] as string] : [];
    if (runs !== undefined && values.some((value) => /\s/.test(value))) this.paths.repeats = true;
    for (const value of values) {
      if (runs !== undefined) this.report(word.raw, [value], mode);
      // Both readings, because some programs expand the text once more and others do not.
      const readings = new Set([value, value.replace(/[$`]/g, '\\$&')]);
      if (runs !== undefined && !value.includes(UNKNOWN))
        this.lines(
          word,
          [...readings].map((reading) => `${runs} ${reading}`),
          mode,
        );
      if (!PATH_VARIABLE.test(name)) this.paths.path(value);
    }
    if (!PATH_VARIABLE.test(name)) return;
    for (const folder of new Set(values.flatMap((value) => value.split(':')))) {
      this.report(word.raw, [folder], mode);
      this.paths.search(folder === '' ? '.' : folder);
      if (mode.sure) this.runs.searches(name, folder);
    }
  }
}
