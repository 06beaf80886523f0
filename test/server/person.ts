import type { Terminal } from '../../src/cli/terminal.js';
import type { User } from './kit.js';

/** With somebody at a terminal who says yes, as a pseudo-terminal does for a program. `asked`: what was asked; `told`: what was told; `meanwhile`: what happens while the question is open; `untilItPrints`: it is interrupted once it prints something. */
export async function asAPerson(
  { env }: User,
  command: (terminal: Terminal) => Promise<number>,
  {
    asked = [],
    told = [],
    meanwhile = () => undefined,
    untilItPrints = false,
  }: {
    readonly asked?: string[];
    readonly told?: string[];
    readonly meanwhile?: () => void;
    readonly untilItPrints?: boolean;
  } = {},
): Promise<number> {
  const { XDG_STATE_HOME, XDG_RUNTIME_DIR } = process.env;
  const interrupt = new AbortController();
  const terminal: Terminal = {
    ...{ color: false, live: false, columns: 80, gone: false, signal: interrupt.signal },
    print: async () => {
      if (untilItPrints) interrupt.abort();
    },
    write: () => undefined,
    written: async () => undefined,
    writeError: () => undefined,
    tell: (text) => void told.push(text),
    ask: async (question) => {
      asked.push(question);
      meanwhile();
      return 'y';
    },
  };
  Object.assign(process.env, { XDG_STATE_HOME: env['XDG_STATE_HOME'], XDG_RUNTIME_DIR: env['XDG_RUNTIME_DIR'] });
  try {
    return await command(terminal);
  } finally {
    for (const [name, value] of Object.entries({ XDG_STATE_HOME, XDG_RUNTIME_DIR }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}
