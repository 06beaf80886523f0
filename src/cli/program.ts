import { Command, CommanderError } from 'commander';
import { fileError, writeError } from '../files/json-file.js';
import { ownVersion } from '../plugins/manifest.js';
import { type CommandRow, optionsOf, takesOption } from './command-row.js';
import { COMMANDS } from './commands.js';
import type { RedactFlags } from './redact.js';
import { type OwnTerminal, openTerminal } from './terminal.js';

/** Runs the command line with this process's streams, folder and environment, and ends the process. */
export async function program(argv: readonly string[]): Promise<void> {
  const terminal = openTerminal(argv[0] === 'hook');
  let code = 0;
  let misuse = '';
  const misused = (text: string): void => {
    misuse = text;
  };
  const commands: Command = new Command('hookscope');
  commands
    .description('Observable, scoped hooks for AI agents: fire events, replay sessions, see what ran and why.')
    .version(argv.some((word) => ['-V', '--version'].includes(word)) ? await ownVersion() : '', '-V, --version')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text) => misused(`${textOf(text)}${others(text, commands)}`) })
    .addHelpText(
      'after',
      '\nhookscope <command> --help says more. HOOKSCOPE_DEBUG=1 shows where an error comes from; NO_COLOR is respected.',
    )
    .exitOverride();
  const called = calledBy(argv);
  for (const row of called ? [called] : COMMANDS) {
    const command = add(commands, called ? row : inShort(row), async (args, flags) => {
      code = await (await row.load())(args, flags as never, await shown(terminal, row, flags));
    });
    command.configureOutput({
      outputError: (text) => misused(`${textOf(text)}${remedy(text, row, command)}`),
    });
  }
  const returned = failUnlessReturned(argv, terminal);
  try {
    await commands.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = error instanceof CommanderError ? error.exitCode : 1;
    if (code !== 0) code = await failed(error);
  }
  returned();
  await terminal.exit(code);

  async function failed(error: unknown): Promise<number> {
    const { maskedText } = await import('./redact.js');
    const masked = (text: string): string => maskedText(text, { redact: !argv.includes('--no-redact') });
    if (misuse !== '') terminal.tellLines(masked(misuse));
    else if (!(error instanceof CommanderError)) printError(error, terminal, masked);
    if (argv[0] !== 'hook' || called === undefined) return code;
    // An agent continues after a hook's exit 1, so a hook command that was called wrongly must block what can be blocked.
    const { answerMisused } = await import('./server/hook-misused.js');
    return answerMisused(argv, called, masked(textOf(wordsOf(error))), terminal);
  }
}

/** Node's exit code for a process whose top-level `await` never settles. */
const NEVER_SETTLED = 13;

/** Makes the process fail, whatever the exit code, if something else ends it before the command returns. Call the result once it has returned. */
function failUnlessReturned(argv: readonly string[], { signal, tell }: OwnTerminal): () => void {
  // These commands answer their agent in that case (server/alarm.ts).
  if (argv[0] === 'hook' || argv.includes('--exit-code')) return () => undefined;
  let hasThrown = false;
  const atThrow = (): void => {
    hasThrown = true;
  };
  const atExit = (code: number): void => {
    // A user who interrupts knows why, and Node itself prints an uncaught error.
    if (signal.aborted || hasThrown) return;
    const isWaiting = [code, process.exitCode].includes(NEVER_SETTLED);
    process.exitCode = 1;
    tell(
      isWaiting
        ? 'it was not done: it waited for code of a hook, a plugin or a configuration that never ends'
        : 'it was not done: code of a hook, a plugin or a configuration has ended the process',
    );
  };
  process.once('uncaughtExceptionMonitor', atThrow);
  process.once('exit', atExit);
  return () => {
    process.off('uncaughtExceptionMonitor', atThrow);
    process.off('exit', atExit);
  };
}

/** The command that was called; undefined: none, or an unknown one. */
function calledBy(argv: readonly string[]): CommandRow | undefined {
  const name = argv.find((word) => !word.startsWith('-'));
  return COMMANDS.find(({ usage }) => usage.split(' ')[0] === name);
}

/** The terminal to print to: it masks secrets unless `--no-redact` is given. A hook's answer is not masked, because the agent uses it. */
async function shown(
  terminal: OwnTerminal,
  row: CommandRow,
  flags: RedactFlags & { readonly exitCode?: true },
): Promise<OwnTerminal> {
  // What is stored these commands mask record by record.
  const isStored = takesOption(row, 'redactStored');
  if (!(isStored || takesOption(row, 'redact')) || flags.exitCode !== undefined) return terminal;
  // Loaded only if something is to be masked: help is not.
  const { maskedTerminal, redactorFor } = await import('./redact.js');
  const redactor = redactorFor(flags);
  return redactor === undefined ? terminal : maskedTerminal(terminal, redactor, isStored ? ['tell'] : undefined);
}

/** Commander's words. What stands behind an unknown option may be a secret, of which the misspelt name no longer tells. */
const textOf = (error: string): string =>
  error
    .trim()
    .replace(/^error: /, '')
    .replace(/(?<=^unknown option '[^=]+=).*(?=')/s, '…');

/** The names of all commands, for an unknown command without a similar one. */
function others(error: string, { commands }: Command): string {
  if (!/unknown command/.test(error) || /Did you mean/.test(error)) return '';
  return `; there are ${commands.map((command) => command.name()).join(', ')}.`;
}

/** The advice for a command line that is not understood: the known options, what is missing, an example. */
function remedy(error: string, row: CommandRow, command: Command): string {
  if (/Did you mean/.test(error)) return '';
  if (/unknown option/.test(error))
    return `; ${command.name()} has ${command.options.map((option) => option.long).join(', ')}.`;
  const option = command.options.find(({ flags }) => error.includes(`'${flags}'`));
  if (option !== undefined) return `: ${option.description}.`;
  const argument = command.registeredArguments.find((one) => error.includes(`'${one.name()}'`));
  if (argument === undefined) return ` Usage: hookscope ${row.usage}.`;
  const [, example] = /^ {2}\$ (.*)$/m.exec(row.notes) ?? [];
  return ` (${argument.description}); ${example === undefined ? `usage: hookscope ${row.usage}` : `for example: ${example}`}`;
}

/** The help for a command in the list of all: creating the options of all commands takes longer than running most of them. */
const inShort = (row: CommandRow): CommandRow => ({ ...row, options: row.options.slice(0, 1), notes: '' });

function add(all: Command, row: CommandRow, run: (args: readonly string[], flags: object) => Promise<void>): Command {
  const command = all
    .command(row.usage)
    .summary(row.about.split(';')[0] as string)
    .description(`${row.about}.`);
  for (const argument of command.registeredArguments) argument.description = row.arguments?.[argument.name()] ?? '';
  for (const [flags, about, value] of optionsOf(row)) {
    const [where = flags] = /--[\w-]+/.exec(flags) ?? [];
    if (value === 'many')
      command.option(flags, `${about} (may be repeated)`, (text: string, all: string[] = []) => [...all, text]);
    else if (value === undefined) command.option(flags, about);
    else command.option(flags, about, (text: string) => value(text, where));
  }
  if (row.notes !== '') command.addHelpText('after', `\n${row.notes}`);
  return command.action(() => run(command.processedArgs.flat() as string[], command.opts()));
}

/** System calls that change something. `open` may be either: code that writes a file says so itself. */
const WRITES = /^(?:mkdir|mkdtemp|rename|rmdir|rm|unlink|link|symlink|chmod|chown|f?truncate|write|copyfile|utimes?)$/;

/** Turns a system error about a file into words: which file, and what is wrong with it. */
function wordsOf(error: unknown): string {
  const { code, path, syscall = '' } = error as NodeJS.ErrnoException;
  if (typeof path === 'string' && /^E[A-Z]+$/.test(code ?? ''))
    return (WRITES.test(syscall) ? writeError : fileError)(path, error).message;
  return error instanceof Error ? error.message : String(error);
}

/** One message, and no stack unless the user asks for it. */
function printError(error: unknown, terminal: OwnTerminal, masked: (text: string) => string): void {
  // An interrupt by the user needs no message.
  if (terminal.signal.aborted) return;
  terminal.tell(masked(wordsOf(error)));
  if (process.env['HOOKSCOPE_DEBUG'] && error instanceof Error) terminal.tellLines(masked(`${error.stack}`));
}
