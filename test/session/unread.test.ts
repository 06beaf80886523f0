import { expect, test } from 'vitest';
import { rewrite } from '../../src/events/output/helpers.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import { opened } from './kit.js';

const written = { command: 'rm x' };
const run = (input: unknown): string => JSON.stringify(input);
const warning =
  /^Bash: its input was rewritten by the hook "tidy", but its execute has no parameter, so it does not read that input\. execute is given the final input/;

const NAME = Symbol('execute');
const NAMES = { at: ['execute'], of: (name: string): string => name };

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
  'a check that does not see it either': {
    ...{ name: 'Bash', input: written, execute: () => run(written) },
    check: () => undefined,
  },
};

/** Other ways to write a function without a parameter. */
const BLIND_FORMS: Record<string, NonNullable<ToolCall['execute']>> = {
  'a comment for parameters': (/* none */) => run(written),
  // biome-ignore format: it is a way to write it
  'a line comment for parameters': (// (input)
  ) => run(written),
  'a comment before the parameters': async function /* ( */ start(/* input = 1 ) */) {
    return run(written);
  },
  'a name with an accent': function é() {
    return run(written);
  },
  // biome-ignore format: it is a way to write it
  'a quoted name': { 'ex(e)cute'() { return run(written); } }['ex(e)cute'],
  'a computed name': { [NAMES.at[0] as string]: () => run(written) }['execute'] as () => string,
  'a computed method': {
    [NAMES.of(NAMES.at[0] as string)]() {
      return run(written);
    },
  }['execute'] as () => string,
  'a symbol for a name': {
    async [NAME]() {
      return run(written);
    },
  }[NAME],
  'a number for a name': {
    1.5() {
      return run(written);
    },
  }[1.5],
  // biome-ignore lint/complexity/noStaticOnlyClass: it is a way to write it
  'a static method': class {
    static async execute() {
      return run(written);
    }
  }.execute,
  'a generator': function* start() {
    yield run(written);
  },
  'an async generator': {
    async *execute() {
      yield run(written);
    },
  }.execute,
};

const SEEING: Record<string, NonNullable<ToolCall['execute']>> = {
  'a parameter': (input) => run(input),
  'a parameter with a default': (input = {}) => run(input),
  'all parameters': (...all) => run(all[0]),
  'a default behind a comment': (/* none */ input = {} /* ) */) => run(input),
  // biome-ignore format: it is a way to write it
  'a default behind a line comment': (// )
    input = {}) => run(input),
  'a default that is taken apart': ({ command } = { command: '' }) => run({ command }),
  'a default of a method with a computed name': {
    [NAMES.of('a()')](input = {}) {
      return run(input);
    },
  }['a()'] as () => string,
  'a bound function': run.bind(undefined),
  'a proxy': new Proxy(() => '', { apply: (_, __, [input]) => run(input) }),
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

test.each(Object.entries(BLIND_FORMS))('however it is written, it is told: %s', async (_, execute) => {
  const { host, session, reports } = await opened();
  host.on('PreToolUse', () => rewrite({ command: 'ls' }), { name: 'tidy' });
  await session.tool({ name: 'Bash', input: written, execute });
  expect(reports).toEqual([expect.stringMatching(warning)]);
  await host.close();
});

test('a tool whose check keeps the input for its execute is not told', async () => {
  const { host, session, reports } = await opened();
  host.on('PreToolUse', () => rewrite({ command: 'ls' }), { name: 'tidy' });
  let kept: unknown = written;
  const check = (input: unknown): undefined => {
    kept = input;
  };
  const { response } = await session.tool({ name: 'Bash', input: written, check, execute: () => run(kept) });
  expect(response).toBe('{"command":"ls"}');
  expect(reports).toEqual([]);
  await host.close();
});

test('of a source that is hard to read, nothing is told', async () => {
  const { host, session, reports } = await opened();
  host.on('PreToolUse', () => rewrite({ command: 'ls' }), { name: 'tidy' });
  for (const part of [
    '/* */ ',
    "'a' + ",
    '[0][0] + ',
    '(a)(a) + ',
    '/[)(]/.a + ',
    "/'/.a + ",
    '/[/*]/.a + ',
    '/`/.a + ',
  ])
    for (const count of [1, 20_000]) {
      const make = new Function('a', `return { [${part.repeat(count)} 'b'](input = {}) { return input; } };`);
      const made = make((one: unknown) => one) as Record<string, () => string>;
      await session.tool({ name: part, input: written, execute: Object.values(made)[0] as () => string });
    }
  expect(reports).toEqual([]);
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
