import { expect, test } from 'vitest';
import { rewrite } from '../../src/events/output/helpers.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import { opened } from './kit.js';

const written = { command: 'rm x' };
const run = (input: unknown): string => JSON.stringify(input);
const warning =
  /^Bash: its input was rewritten by the hook "tidy", but its execute has no parameter, so it cannot run that input/;

class Tool {
  readonly name = 'Bash';
  readonly input = written;
  execute(): string {
    return run(this.input);
  }
}

const BLIND: Record<string, ToolCall> = {
  'an arrow function': { name: 'Bash', input: written, execute: () => run(written) },
  'an async arrow function': { name: 'Bash', input: written, execute: async () => run(written) },
  'a named function': {
    name: 'Bash',
    input: written,
    execute: function start() {
      return run(written);
    },
  },
  'a method': {
    name: 'Bash',
    input: written,
    async execute() {
      return run(written);
    },
  },
  'a method of a class': new Tool(),
};

const SEEING: Record<string, NonNullable<ToolCall['execute']>> = {
  'a parameter': (input) => run(input),
  'a parameter with a default': (input = {}) => run(input),
  'all parameters': (...all) => run(all[0]),
  'a bound function': run.bind(undefined),
  arguments: function () {
    // biome-ignore lint/complexity/noArguments: a function that sees its input in this way
    return run(arguments[0]);
  } as NonNullable<ToolCall['execute']>,
};

test.each(Object.entries(BLIND))('a tool that cannot see the rewritten input is told, once: %s', async (_, call) => {
  const { host, session, reports } = await opened();
  host.on('PreToolUse', () => rewrite({ command: 'ls' }), { name: 'tidy' });
  for (let i = 0; i < 2; i++) await session.tool(call);
  expect(reports).toEqual([expect.stringMatching(warning)]);
  await host.close();
});

test.each(Object.entries(SEEING))('a tool that can see its input is not told: %s', async (_, execute) => {
  const { host, session, reports } = await opened();
  host.on('PreToolUse', () => rewrite({ command: 'ls' }), { name: 'tidy' });
  const { response } = await session.tool({ name: 'Bash', input: written, execute });
  expect(response).toBe('{"command":"ls"}');
  expect(reports).toEqual([]);
  await host.close();
});

test('a tool without parameters is not told where nothing was rewritten', async () => {
  const { host, session, reports } = await opened();
  host.on('PreToolUse', () => undefined);
  await session.tool({ name: 'Bash', input: written, execute: () => run(written) });
  expect(reports).toEqual([]);
  await host.close();
});
