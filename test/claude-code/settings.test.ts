import { describe, expect, test } from 'vitest';
import { readAgentFile } from '../../src/claude-code/files/agent-file.js';
import { formatProblem } from '../../src/claude-code/files/findings.js';
import { type ReadFileOptions, readSettings } from '../../src/claude-code/files/settings.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';

const OPTIONS: ReadFileOptions = { events: HOOK_EVENTS, onInvalid: 'drop' };

const read = (content: unknown, options: Partial<ReadFileOptions> = {}) =>
  readSettings(typeof content === 'string' ? content : JSON.stringify(content, undefined, 2), 'f.json', {
    ...OPTIONS,
    ...options,
  });

/** What is said of it, as people read it. */
const said = async (content: unknown, options: Partial<ReadFileOptions> = {}) => {
  const { problems, dropped } = await read(content, options);
  return {
    dropped: dropped !== undefined,
    said: problems.map((problem) => `${problem.level} ${problem.rule} ${formatProblem(problem)}`),
  };
};

const on = (...hooks: unknown[]) => ({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });
const handler = { type: 'command', command: 'true' };

describe('a wrong value drops the file and is named by key, line and column', () => {
  test.each<[string, unknown, string]>([
    ['no JSON', '{\n  "hooks": {,}\n}', 'f.json:2:13: is not JSON: value expected'],
    ['cut short', '{"hooks":', 'f.json:1:10: is not JSON: the { in line 1 is not closed'],
    ['no object', [], 'f.json: expected an object, { "hooks": { … } }, got array'],
    [
      'hooks a string',
      { hooks: './hooks.json' },
      'f.json:2:3: hooks: expected an object by event, { "PreToolUse": [ … ] }, got string',
    ],
    [
      'an event that is no list',
      { hooks: { Stop: 'nonsense' } },
      'f.json:3:5: hooks.Stop: expected an array of groups, [{ "matcher": "…", "hooks": [ … ] }], got string',
    ],
    [
      'a group without hooks',
      { hooks: { Stop: [{}] } },
      'f.json:4:7: hooks.Stop[0]: "hooks" is missing; expected an array',
    ],
    [
      'a group that is text',
      { hooks: { Stop: ['x'] } },
      'f.json:4:7: hooks.Stop[0]: expected a group, { "matcher": "…", "hooks": [ … ] }, got string',
    ],
    [
      'a handler in the place of a group',
      { hooks: { Stop: [handler] } },
      'f.json:4:7: hooks.Stop[0]: is a handler where a group was expected; put it into { "hooks": [ … ] }',
    ],
    [
      'a matcher that is no text',
      { hooks: { Stop: [{ matcher: ['Bash'], hooks: [] }] } },
      'f.json:5:9: hooks.Stop[0].matcher: expected a string, got array',
    ],
    [
      'a handler that is text',
      on('./x.sh'),
      'f.json:7:11: hooks.PreToolUse[0].hooks[0]: expected a handler, { "type": "command", "command": "…" }, got string',
    ],
    [
      'no type',
      on({ command: 'true' }),
      'f.json:7:11: hooks.PreToolUse[0].hooks[0].type: expected one of command, http, mcp_tool, prompt, agent, got nothing',
    ],
    [
      'no command',
      on({ type: 'command' }),
      'f.json:7:11: hooks.PreToolUse[0].hooks[0]: "command" is missing; expected a string that is not empty',
    ],
    [
      'an empty command',
      on({ type: 'command', command: ' ' }),
      'f.json:9:13: hooks.PreToolUse[0].hooks[0].command: expected a string that is not empty, got " "',
    ],
    [
      'no time',
      on({ ...handler, timeout: 0 }),
      'f.json:10:13: hooks.PreToolUse[0].hooks[0].timeout: expected seconds, a number over 0, got 0',
    ],
    [
      'negative time',
      on({ ...handler, timeout: -1 }),
      'f.json:10:13: hooks.PreToolUse[0].hooks[0].timeout: expected seconds, a number over 0, got -1',
    ],
    [
      'time as text',
      on({ ...handler, timeout: '5' }),
      'f.json:10:13: hooks.PreToolUse[0].hooks[0].timeout: expected seconds, a number over 0, got "5"',
    ],
    [
      'arguments as text',
      on({ ...handler, args: 'x' }),
      'f.json:10:13: hooks.PreToolUse[0].hooks[0].args: expected an array of strings, got "x"',
    ],
    [
      'a shell nobody knows',
      on({ ...handler, shell: 'fish' }),
      'f.json:10:13: hooks.PreToolUse[0].hooks[0].shell: expected "bash" or "powershell", got "fish"',
    ],
    [
      'no URL',
      on({ type: 'http', url: 'localhost:80' }),
      'f.json:9:13: hooks.PreToolUse[0].hooks[0].url: expected an http or https URL, got "localhost:80"',
    ],
    [
      'headers that are no texts',
      on({ type: 'http', url: 'http://h/', headers: { a: 1 } }),
      'f.json:10:13: hooks.PreToolUse[0].hooks[0].headers: expected an object of strings, got object',
    ],
    [
      'a tool without a server',
      on({ type: 'mcp_tool', tool: 't' }),
      'f.json:7:11: hooks.PreToolUse[0].hooks[0]: "server" is missing; expected a string that is not empty',
    ],
    [
      'a prompt that is none',
      on({ type: 'prompt', prompt: 1 }),
      'f.json:9:13: hooks.PreToolUse[0].hooks[0].prompt: expected a string that is not empty, got 1',
    ],
    [
      'a switch that is none',
      { disableAllHooks: 'yes' },
      'f.json:2:3: disableAllHooks: expected true or false, got string',
    ],
    [
      'a list that is none',
      { allowedHttpHookUrls: '*' },
      'f.json:2:3: allowedHttpHookUrls: expected an array of strings, got string',
    ],
  ])('%s', async (_, content, message) => {
    const { dropped, said: all } = await said(content);
    expect(dropped).toBe(true);
    expect(all).toHaveLength(1);
    expect(all[0]?.replace(/^error \S+ /, '')).toBe(message);
  });

  test('every wrong value is told, not the first alone', async () => {
    expect(
      (await said({ hooks: { Stop: 1, PreToolUse: [{ hooks: [{ type: 'command', command: 1, timeout: -1 }, 2] }] } }))
        .said,
    ).toHaveLength(4);
  });

  test('a file that is nested too deeply is said to be', async () => {
    const { dropped, said: all } = await said(`{"hooks":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect([dropped, all]).toEqual([true, [expect.stringContaining('is nested too deeply')]]);
  });
});

describe('another shape is called by its name', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'a list of hooks',
      { hooks: [{ event: 'Stop', command: 'x' }] },
      /is a list of hooks that each name their event; expected an object by event/,
    ],
    [
      'a list with a key of its own',
      { hooks: [{ on: 'Stop', run: 'x' }] },
      /is a list of hooks that each name their event/,
    ],
    ['an empty list', { hooks: [] }, /: hooks: is a list; expected an object by event/],
    ['a list of handlers', { hooks: [handler] }, /: hooks: is a list; expected an object by event/],
    [
      'events at the top',
      { PreToolUse: [{ hooks: [handler] }] },
      /has the event PreToolUse at its top level; expected it under "hooks"/,
    ],
    ...[{}, 'x', 5, null, { hooks: [handler] }].map((value): [string, unknown, RegExp] => [
      `an event at the top with ${JSON.stringify(value)}`,
      { model: 'opus', Stop: value },
      /has the event Stop at its top level; expected it under "hooks"/,
    ]),
    ['Cursor', { version: 1, hooks: { beforeShellExecution: [{ command: 'x' }] } }, /looks like Cursor's hooks file/],
    [
      'Copilot',
      { version: 1, hooks: { preToolUse: [{ type: 'command', bash: 'x' }] } },
      /looks like GitHub Copilot's hooks file/,
    ],
    [
      'Gemini',
      { hooks: { BeforeTool: [{ hooks: [handler] }] } },
      /looks like Gemini CLI's hooks \(BeforeTool\), which is another format; --from gemini reads it/,
    ],
  ])('%s', async (_, content, message) => {
    const { dropped, said: all } = await said(content);
    expect(dropped).toBe(true);
    expect(all).toEqual([expect.stringMatching(message)]);
  });

  test('a Claude Code file with a version is none of them', async () => {
    expect(await said({ version: 1, ...on(handler) })).toEqual({ dropped: false, said: [] });
  });
});

describe('what is unknown costs nothing but a warning', () => {
  test.each(['PreToolUsee', '__proto__', 'on', 'Stop'])('groups of hooks in %s beside all else', async (key) => {
    const content = JSON.parse(`{ "${key}": [{ "hooks": [] }], "hooks": {} }`);
    expect(await said(content)).toEqual({ dropped: false, said: [expect.stringContaining(`${key}: holds hooks`)] });
  });

  test.each<[string, unknown, string[]]>([
    [
      'an event',
      { hooks: { PreTolUse: 'anything', Stop: [] } },
      ['unknown-event hooks.PreTolUse: is not a known event, so its hooks never run. Did you mean "PreToolUse"?'],
    ],
    [
      'a key of a handler',
      on({ ...handler, timout: 5 }),
      ['unknown-key hooks.PreToolUse[0].hooks[0].timout: is not a known key and does nothing. Did you mean "timeout"?'],
    ],
    [
      'a key of a group',
      { hooks: { Stop: [{ timeout: 5, hooks: [] }] } },
      ['unknown-key hooks.Stop[0].timeout: is not a known key and does nothing; it belongs into each handler'],
    ],
    [
      'a failure policy',
      on({ ...handler, onFailure: 'deny' }),
      [
        'unknown-value hooks.PreToolUse[0].hooks[0].onFailure: "deny" is read as "block"; known are "continue" and "block"',
      ],
    ],
    [
      'milliseconds',
      on({ ...handler, timeout: 5000 }),
      ['milliseconds hooks.PreToolUse[0].hooks[0].timeout: 5000 s is a long time: seconds are meant, not milliseconds'],
    ],
    [
      'nearly a setting',
      { disableAllHook: true },
      ['unknown-key disableAllHook: is not a known key and does nothing. Did you mean "disableAllHooks"?'],
    ],
    [
      'remarks, and settings that are not ours',
      { model: 'x', permissions: {}, ...on({ ...handler, description: 'd', name: 'n' }) },
      [],
    ],
  ])('%s', async (_, content, messages) => {
    const { dropped, said: all } = await said(content);
    expect(dropped).toBe(false);
    expect(all.map((line) => line.replace(/^warning (\S+) f\.json:\d+:\d+: /, '$1 '))).toEqual(messages);
  });

  test('onFailure that is unknown blocks', async () => {
    const { hooks } = await read(on({ ...handler, onFailure: 'deny' }));
    expect(hooks['PreToolUse']?.[0]?.hooks[0]).toEqual({ ...handler, onFailure: 'block' });
  });
});

test('a byte order mark is passed over', async () => {
  expect((await read(`\uFEFF${JSON.stringify(on(handler))}`)).hooks['PreToolUse']).toHaveLength(1);
});

describe('frontmatter', () => {
  const from = (text: string) => readAgentFile(text, 'a.md', OPTIONS);

  test.each([
    [
      'lines',
      '---\r\nname: helper\r\nhooks:\r\n  Stop:\r\n    - hooks:\r\n        - { type: command, command: "x: y" }\r\n---\r\n',
    ],
    [
      'braces',
      '---\n{ "name": "helper", "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "x: y" } ] } ] } }\n---\n',
    ],
  ])('in %s', async (_, text) => {
    expect(await from(text)).toMatchObject({
      name: 'helper',
      problems: [],
      hooks: { Stop: [{ hooks: [{ command: 'x: y' }] }] },
    });
  });

  test.each([
    ['no frontmatter', '# hooks: none\n'],
    ['no hooks', '---\nname: a\ndescription: "x"\n---\nhooks: no\n'],
    ['broken, but without hooks', '---\nargs: [x] [y]\n---\n'],
  ])('%s is nothing at all', async (_, text) => expect(await from(text)).toBeUndefined());

  test('a problem in it is told at its line of the file', async () => {
    const { problems = [] } = (await from('---\nname: a\nhooks:\n  Stop:\n    - hooks: 3\n---\n')) ?? {};
    expect(problems.map(formatProblem)).toEqual(['a.md:5:14: hooks.Stop[0].hooks: expected an array, got 3']);
  });

  test('aliases that would grow without end are refused', async () => {
    const bomb = [
      'a0: &a0 [x]',
      ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}*a${i}]`),
    ].join('\n');
    const beside = await from(`---\nhooks: {}\n${bomb}\n---\n`);
    expect(beside?.problems).toMatchObject([{ level: 'warning', message: expect.stringContaining('alias') }]);
    const within = await from(`---\n${bomb}\nhooks: *a30\n---\n`);
    expect(within?.dropped).toBeDefined();
  });
});
