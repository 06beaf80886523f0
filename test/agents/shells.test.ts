import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentCodec } from '../../src/agents/agents.js';
import { createHost, type Host } from '../../src/create-host.js';
import type { HookRecord } from '../../src/emit/record.js';

// Shell tools beside the one that runs a line: a shell that already runs, and PowerShell.

const copilot = agentCodec('copilot');
const call = (toolName: string, toolArgs: object) =>
  copilot.decode(JSON.stringify({ sessionId: 's', toolName, toolArgs }), {}, ['preToolUse']);
const typed = (input: unknown, tool = 'write_bash') => call(tool, { shellId: '1', input, delay: 1 });

let host: Host;
const RULES = [
  'Bash(rm *)',
  'Bash(git push *)',
  'PowerShell(Remove-Item *)',
  'PowerShell(git push *)',
  'Read(secret/**)',
];
beforeAll(() => {
  host = createHost();
  host.register({
    PreToolUse: [
      ...RULES.map((rule) => ({ if: rule, name: rule, hooks: [() => undefined] })),
      ...['Bash', 'PowerShell', 'Grep'].map((matcher) => ({ matcher, name: matcher, hooks: [() => undefined] })),
    ],
  });
});
afterAll(() => host.close());

const asked = async ({ input }: { input: object }): Promise<string[]> => {
  const { hooks } = await host.explain('PreToolUse', input as never);
  return hooks.filter(({ runs }) => runs).map(({ name }) => name);
};

describe('what is typed into a shell that runs is judged as its command', () => {
  test.each<[input: string, rules: readonly string[]]>([
    ['rm x{enter}', ['Bash(rm *)']],
    ['rm x{ENTER}', ['Bash(rm *)']],
    ['rm x\n', ['Bash(rm *)']],
    ['rm x\r', ['Bash(rm *)']],
    ['rm x', ['Bash(rm *)']],
    ['ls{enter}sudo rm x{enter}', ['Bash(rm *)']],
    ['git push origin{enter}', ['Bash(git push *)']],
    // Nobody knows which line it will be.
    ['{up}{enter}', ['Bash(rm *)', 'Bash(git push *)']],
    ['x{backspace}rm x{enter}', ['Bash(rm *)', 'Bash(git push *)']],
    ['\u001b[A\n', ['Bash(rm *)', 'Bash(git push *)']],
    ['ls{enter}', []],
    ['y', []],
    ['echo {a,b}{enter}', []],
    ["awk '{print}' x{enter}", []],
    ['', []],
  ])('%j', async (input, rules) => {
    expect(await asked(typed(input))).toEqual([...rules, 'Bash']);
  });

  test('in PowerShell too, where a rule for Bash is asked as well', async () => {
    const shell = (input: string) => asked(typed(input, 'write_powershell'));
    expect(await shell('del x{enter}')).toEqual(['Bash(rm *)', 'PowerShell(Remove-Item *)', 'Bash', 'PowerShell']);
    expect(await shell('dir{enter}')).toEqual(['Bash', 'PowerShell']);
  });

  test.each<[command: string, asks: boolean]>([
    ['Get-ChildItem $env:TEMP', false],
    ['Get-Process | Where-Object { $_.CPU -gt 10 }', false],
    ['if ($x) { rm y }', true],
    ['$r = rm x', true],
    ['& { Remove-Item x }', true],
    ['Get-ChildItem $d | % { del $_ }', true],
    ['$(rm x)', true],
    ['. rm x', true],
  ])('a rule for Bash is asked about PowerShell where its command may be: %s', async (command, asks) => {
    expect((await asked(call('powershell', { command }))).includes('Bash(rm *)')).toBe(asks);
    const own = await asked(call('powershell', { command }));
    expect(own).toContain('PowerShell');
  });

  test('input that is no text is unknown, with a loss', async () => {
    const decoded = typed(undefined);
    expect(decoded.losses.map(({ what }) => what)).toEqual(['tool_input.command']);
    expect(await asked(decoded)).toContain('Bash(rm *)');
  });

  test.each([
    { shellId: '1', input: 'rm x{enter}', delay: 1 },
    { shellId: '1', input: '{up}' },
    { input: 'ls', command: 'rm x' },
  ])('goes back as it came: %j', (toolArgs) => {
    const { as, input } = call('write_bash', toolArgs);
    expect(copilot.payload({ as, input })).toEqual({ sessionId: 's', toolName: 'write_bash', toolArgs });
  });

  test.each(['command', 'input'])('another "%s" cannot be typed: the call is denied', (key) => {
    const { as, input } = typed('ls{enter}');
    const updatedInput = { ...(input['tool_input'] as object), [key]: 'ls -l' };
    const { stdout, losses } = copilot.encode({ verdict: 'allow', updatedInput }, as, { input });
    expect(JSON.parse(stdout)).toMatchObject({ permissionDecision: 'deny' });
    expect(losses.map(({ what }) => what)).toContain('rewrite');
  });

  test('another key can be', () => {
    const { as, input } = typed('ls{enter}');
    const updatedInput = { ...(input['tool_input'] as object), delay: 5 };
    const { stdout } = copilot.encode({ updatedInput }, as, { input });
    expect(JSON.parse(stdout)).toEqual({ modifiedArgs: { shellId: '1', input: 'ls{enter}', delay: 5 } });
  });
});

describe('PowerShell', () => {
  test.each<[command: string, rules: readonly string[]]>([
    ['Remove-Item x', ['Bash(rm *)', 'PowerShell(Remove-Item *)']],
    ['del x', ['Bash(rm *)', 'PowerShell(Remove-Item *)']],
    ['git push', ['Bash(git push *)', 'PowerShell(git push *)']],
    ['dir', []],
  ])('%s is read as PowerShell, and rules for Bash are asked too', async (command, rules) => {
    const decoded = call('powershell', { command });
    expect(decoded.input['tool_name']).toBe('PowerShell');
    expect(await asked(decoded)).toEqual([...rules, 'Bash', 'PowerShell']);
  });

  test('a line that Bash would read as one command', async () => {
    const command = String.raw`echo "a\"; rm x; echo "\""`;
    expect(await asked(call('powershell', { command }))).toContain('PowerShell(Remove-Item *)');
  });

  test('a call of Bash is none of PowerShell', async () => {
    expect(await asked(call('bash', { command: 'rm x' }))).toEqual(['Bash(rm *)', 'Bash']);
    // As Claude Code says it, it is no call of Bash either.
    expect(await asked({ input: { tool_name: 'PowerShell', tool_input: { command: 'del x' } } })).toEqual([
      'PowerShell(Remove-Item *)',
      'PowerShell',
    ]);
  });

  test('goes back as it came', () => {
    const { as, input } = call('powershell', { command: 'dir' });
    expect(copilot.payload({ as, input })).toEqual({
      sessionId: 's',
      toolName: 'powershell',
      toolArgs: { command: 'dir' },
    });
  });
});

test.each(['grep', 'rg'])('%s is a search', async (tool) => {
  const decoded = call(tool, { pattern: 'x', paths: 'secret/a' });
  expect(await asked(decoded)).toEqual(['Read(secret/**)', 'Grep']);
  expect(await asked(call(tool, { pattern: 'x', paths: 'src' }))).toEqual(['Grep']);
});

test.each(['Accept or Reject', 'Edit or Foo', 'Bash\u00a0or\u00a0Edit', '\u00a0Bash\u00a0Edit', '\u00a0Edit'])(
  'a tool of which somebody says that it is "%s" has that name alone',
  async (tool) => {
    const own = createHost();
    const matchers = [
      new RegExp(`^${tool.replaceAll('\u00a0', '.')}$`),
      // Begun or ended by a space no matcher is.
      tool.trim() === tool ? tool : '*',
      'Edit',
      'Bash',
      'Reject',
    ];
    own.register({ PreToolUse: matchers.map((matcher, i) => ({ matcher, name: `m${i}`, hooks: [() => undefined] })) });
    const { hooks } = own.explain('PreToolUse', { tool_name: tool, tool_input: {}, tool_use_id: 't' });
    expect(hooks.filter(({ runs }) => runs).map(({ name }) => name)).toEqual(['m0', 'm1']);
    await own.close();
  },
);

test.each([
  ['\u00a0Bash', undefined],
  ['\u00a0', undefined],
  ['a\u00a0b', ['Bash']],
  ['\u00a0a\u00a0\u00a0b\u001b1', ['Bash']],
  ['\u001b0\u00a0', ['\u00a0Bash', 'Bash']],
])('%j, which may mean %j too, is asked about under these names and no other', async (tool, meant) => {
  const own = createHost();
  const names: string[] = [];
  const looks = (name?: string): boolean => {
    names.push(name ?? '');
    return false;
  };
  const matchers = [looks, new RegExp(`^${tool}$`), ...(meant ?? [])];
  own.register({
    PreToolUse: matchers.map((matcher, i) => ({ matcher, name: `m${i}`, hooks: [() => undefined] })),
  });
  const via = meant === undefined ? {} : { via: { agent: 'copilot', meant } };
  const { hooks } = own.explain('PreToolUse', { tool_name: tool, tool_input: {}, tool_use_id: 't', ...via } as never);
  expect(new Set(names)).toEqual(new Set([tool, ...(meant ?? [])]));
  expect(hooks.filter(({ runs }) => runs).map(({ name }) => name)).toContain('m1');
  if (meant?.includes('Bash')) expect(hooks.find(({ name }) => name === `m${matchers.length - 1}`)?.runs).toBe(true);
  await own.close();
});

test.each([
  ['shell', ['Bash'], 'shell or Bash'],
  ['shell', ['Bash', 'Edit'], 'shell or Bash or Edit'],
  ['\u00a0odd\u00a0name', undefined, '\u00a0odd\u00a0name'],
  ['od\u00a0d', ['Bash'], 'od\u00a0d or Bash'],
  ['esc\u001b1', ['Bash'], 'esc\u001b1 or Bash'],
  ['plain', undefined, 'plain'],
])('%j, which may mean %j too, is written as %j in records and explanations', async (tool, meant, shown) => {
  const host = createHost();
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  host.on('PreToolUse', () => undefined, { name: 'all' });
  host.on('PreToolUse', () => undefined, { name: 'none', matcher: 'NoSuchTool' });
  const via = meant === undefined ? {} : { via: { agent: 'copilot', meant } };
  const input = { tool_name: tool, tool_input: {}, tool_use_id: 't', ...via };
  await host.fire('PreToolUse', input);
  const names = records.flatMap((record) => ('hook_name' in record ? [record.hook_name] : []));
  expect(new Set(names)).toEqual(new Set([`PreToolUse:${shown}`]));
  const { subject, hooks } = host.explain('PreToolUse', input);
  expect(subject).toBe(shown);
  expect(hooks.find(({ name }) => name === 'none')?.why).toContain(`does not match ${shown}`);
});
