import type { Call, Handler, Reply } from '../handler.js';
import { type CommandContext, type CommandSpec, commandText } from './spec.js';

type Runner = typeof import('./run.js');
let runner: Promise<Runner> | undefined;

/** Starting programs needs a library that is slow to load: it is loaded when the first one is to be started. */
function loadRunner(): Promise<Runner> {
  runner ??= import('./run.js').catch((error: unknown) => {
    // Out of file descriptors, say: the next one may have more luck.
    runner = undefined;
    throw error;
  });
  return runner;
}

/** Turns the description into what the host runs. */
export function commandHandler(spec: CommandSpec, context: CommandContext = {}): Handler {
  const shell = spec.args || spec.shell === true ? undefined : spec.shell;
  return {
    kind: 'command',
    name: spec.name ?? commandText(spec),
    dedupKey: JSON.stringify(['command', spec.command, spec.args ?? null, shell ?? null]),
    async load(): Promise<void> {
      await loadRunner();
    },
    async run(call: Call): Promise<Reply> {
      const { runCommandHook: runCommand } = await loadRunner();
      return runCommand(spec, context, call);
    },
  };
}
