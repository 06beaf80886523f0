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

test('in a Node that may not generate code, raw taps run in their order and count', async () => {
  const program = `
    import { createHost, deny } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
    const kinds = {
      tap: (hook, options, answer) => hook.tap(options, answer),
      tapAsync: (hook, options, answer) => hook.tapAsync(options, (fire, done) => done(undefined, answer(fire))),
      tapPromise: (hook, options, answer) => hook.tapPromise(options, async (fire) => answer(fire)),
    };
    const input = { tool_name: 'Bash', tool_input: { command: 'rm x' } };
    const cases = Object.keys(kinds).flatMap((kind) => [-1, 0, 1].flatMap((stage) =>
      [() => deny('no'), () => ({ continue: false }), () => { throw new Error('broken'); }, () => undefined].map((answer) => [kind, stage, answer])));
    const said = [];
    let [reports, calls] = [0, 0];
    for (const [kind, stage, answer] of cases) {
      const host = createHost({ onFailure: 'block', logger: (message) => message.includes('EvalError') && reports++ });
      const ran = [];
      const told = [];
      host.events$.subscribe((record) => record.type === 'hook_fire' && told.push(...record.handlers.map(({ name, status, reason }) => [name, status, reason])));
      const named = (name, say) => () => { ran.push(name); return say(); };
      host.hooks.PreToolUse.intercept({ call: () => calls++ });
      kinds[kind](host.hooks.PreToolUse, { name: 'guard', stage }, named('guard', answer));
      host.hooks.PreToolUse.tap({ name: 'other', stage: -stage }, named('other', () => undefined));
      host.on('PreToolUse', named('plan', () => undefined), { name: 'plan' });
      const { verdict, failures } = await host.fire('PreToolUse', input);
      said.push([kind, stage, verdict, failures.length, ran.join(' '), told]);
    }
    console.log(JSON.stringify({ said, reports, calls }));
  `;
  const run = async (...flags: string[]): Promise<{ said: unknown[][]; reports: number; calls: number }> =>
    JSON.parse(
      (await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', program])).stdout,
    );
  const { said, ...told } = await run('--disallow-code-generation-from-strings');
  expect({ said, reports: 0, calls: 36 }).toEqual(await run());
  expect(told).toEqual({ reports: 36, calls: 0 });
  expect(said.map(([, , verdict]) => verdict)).toEqual(Array(9).fill(['deny', 'deny', 'deny', 'none']).flat());
});
