import { Command, CommanderError } from 'commander';
import { ownVersion } from '../plugins/manifest.js';
import type { CommandRow } from './command-row.js';
import { COMMANDS } from './commands.js';
import { maskedTerminal, REDACT, type RedactFlags, redactorFor } from './redact.js';
import { type OwnTerminal, openTerminal } from './terminal.js';

/** Does what the arguments say, with this process's streams, folder and environment, and ends it. */
export async function program(argv: readonly string[]): Promise<void> {
  const terminal = openTerminal();
  let code = 0;
  const commands = new Command('hookscope')
    .description('Observable, scoped hooks for AI agents: fire events, replay sessions, see what ran and why.')
    .version(await ownVersion(), '-V, --version')
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text) => terminal.tellLines(textOf(text)) })
    .addHelpText(
      'after',
      '\nhookscope <command> --help says more. HOOKSCOPE_DEBUG=1 shows where an error comes from; NO_COLOR is respected.',
    )
    .exitOverride();
  for (const row of COMMANDS) {
    const command = add(commands, row, async (args, flags) => {
      code = await (await row.load())(args, flags as never, shown(terminal, row, flags));
    });
    command.configureOutput({ outputError: (text) => terminal.tellLines(`${textOf(text)}${known(text, command)}`) });
  }
  try {
    await commands.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = error instanceof CommanderError ? error.exitCode : printError(error, terminal);
    // An agent goes on after a hook's exit 1: one that was called wrongly stops what it was to judge.
    if (argv[0] === 'hook' && code !== 0) code = 2;
  }
  await terminal.exit(code);
}

/** Without `--no-redact`. The answer of a hook is no print: an agent goes on with it. */
function shown(terminal: OwnTerminal, row: CommandRow, flags: RedactFlags & { readonly exitCode?: true }): OwnTerminal {
  const redactor = row.options.includes(REDACT) && flags.exitCode === undefined ? redactorFor(flags) : undefined;
  return redactor === undefined ? terminal : maskedTerminal(terminal, redactor);
}

const textOf = (error: string): string => error.trim().replace(/^error: /, '');

/** Where no option is near an unknown one, those that there are. */
function known(error: string, command: Command): string {
  if (!/unknown option/.test(error) || /Did you mean/.test(error)) return '';
  return `; ${command.name()} has ${command.options.map((option) => option.long).join(', ')}`;
}

function add(all: Command, row: CommandRow, run: (args: readonly string[], flags: object) => Promise<void>): Command {
  const command = all
    .command(row.usage)
    .summary(row.about.split(';')[0] as string)
    .description(`${row.about}.`);
  for (const argument of command.registeredArguments) argument.description = row.arguments?.[argument.name()] ?? '';
  for (const [flags, about, many] of row.options) {
    if (many)
      command.option(flags, `${about} (may be repeated)`, (value: string, all: string[] = []) => [...all, value]);
    else command.option(flags, about);
  }
  if (row.notes !== '') command.addHelpText('after', `\n${row.notes}`);
  return command.action(() => run(command.processedArgs.flat() as string[], command.opts()));
}

/** One message, and no stack unless somebody wants to see it. */
function printError(error: unknown, terminal: OwnTerminal): number {
  // What the user has interrupted needs no message.
  if (terminal.signal.aborted) return 1;
  terminal.tell(error instanceof Error ? error.message : String(error));
  if (process.env['HOOKSCOPE_DEBUG'] && error instanceof Error) terminal.tellLines(error.stack ?? '');
  return 1;
}
