import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useBuilt } from '../built.js';

const built = useBuilt({ 'host-chaos': 'test/fixtures/programs/host-chaos.ts' });

async function run(how: string): Promise<Record<string, unknown>> {
  const program = join(built, 'host-chaos.js');
  const { stdout } = await promisify(execFile)(process.execPath, [program, how]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('whatever handlers, watchers and interceptors do, no rejection is unhandled and nothing is left after close', async () => {
  expect(await run('chaos')).toEqual({ unhandled: [], left: 0, logged: true });
});

test('a process whose host was not closed ends by itself when nothing is under way', async () => {
  expect(await run('left')).toEqual({ unhandled: [] });
});

test.each(['throw', 'delete'])('hooks see inherited fields in a Node without __proto__ (%s)', async (how) => {
  const program = `
    import { createHost, deny } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
    const host = createHost();
    host.registerScoped('A', { PreToolUse: [{ hooks: [() => deny('A')] }] });
    const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
    const inputs = [{ ...call, agent_id: 'A' }, Object.assign(Object.create({ agent_id: 'A' }), call)];
    for (const input of inputs) console.log((await host.fire('PreToolUse', input)).verdict);
  `;
  const flags = [`--disable-proto=${how}`, '--import', 'tsx', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  expect(stdout).toBe('deny\ndeny\n');
});

test('a Node that may not generate code fires as any other', async () => {
  const program = `
    import { createHost, deny } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
    const host = createHost();
    host.on('PreToolUse', () => deny('no'), { if: 'Bash(rm *)' });
    host.hooks.PreToolUse.tap('raw', () => undefined);
    const said = [];
    for (const input of [{ tool_name: 'Bash', tool_input: { command: 'rm x' } }, { tool_name: 'Read', tool_input: {} }, { tool_name: 5 }])
      said.push(await host.fire('PreToolUse', input).then(({ verdict }) => verdict, ({ message }) => message));
    console.log(JSON.stringify(said));
  `;
  const run = async (...flags: string[]): Promise<unknown> =>
    JSON.parse(
      (await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', program])).stdout,
    );
  expect(await run('--disallow-code-generation-from-strings')).toEqual(await run());
  expect(await run('--disallow-code-generation-from-strings')).toEqual([
    'deny',
    'none',
    'Invalid input for PreToolUse: "tool_name" must be string, got number.',
  ]);
});
