import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectClaude } from '../../../src/claude-code/control/client/client.js';
import type { ClaudeMessage } from '../../../src/claude-code/control/client/conversation.js';
import type { ConnectOptions } from '../../../src/claude-code/control/client/options.js';
import { addContext, allow, deny, type HookCallback, type HookRecord, type Hooks } from '../../../src/index.js';
import { fires, testHost } from '../../host/kit.js';
import { all, tapped } from './kit.js';
import { type Json, scratch } from './puppet.js';

const SCRIPTED = fileURLToPath(new URL('../../fixtures/control/scripted.mjs', import.meta.url));

interface Played {
  readonly messages: readonly ClaudeMessage[];
  /** What the assistant said, which repeats what it was told. */
  readonly said: string;
  readonly result: Json;
  readonly folder: string;
  readonly seen: readonly HookRecord[];
}

type Step = { readonly bash: string } | { readonly say: string };

/** One prompt to the scripted agent under these hooks, in a folder with a directory `important`. */
async function play(
  hooks: Hooks,
  steps: readonly Step[],
  { mode, ...options }: { mode?: string } & Partial<Omit<ConnectOptions, 'host'>> = {},
): Promise<Played> {
  const folder = scratch();
  mkdirSync(join(folder, 'important'));
  writeFileSync(join(folder, 'important', 'file.txt'), 'x');
  const { host } = testHost();
  const seen = tapped(host);
  host.register(hooks);
  const script = JSON.stringify({ mode, turns: [[...steps, { say: 'I was told: {told}' }]] });
  const client = await connectClaude({ host, executable: SCRIPTED, args: [script], cwd: folder, ...options });
  const messages = await all(client.query('go'));
  expect(await client.close()).toEqual({ exitCode: 0 });
  await host.close();
  const said = messages
    .filter(({ type }) => type === 'assistant')
    .map((one) => textOf(one))
    .join('\n');
  return { messages, said, result: messages.at(-1) as Json, folder, seen };
}

const textOf = (message: Json): string =>
  ((message['message'] as Json)['content'] as { text: string }[])[0]?.text ?? '';
const commandOf = (input: unknown): string => (input as { command: string }).command;
const made = { bash: 'echo x > made.txt; echo ran' };
const ran = ({ folder }: Played): boolean => existsSync(join(folder, 'made.txt'));
const stays = ({ folder }: Played): boolean => existsSync(join(folder, 'important', 'file.txt'));

const blockRm: HookCallback<'PreToolUse'> = ({ tool_input }) =>
  /\brm -rf\b/.test(commandOf(tool_input)) ? deny('rm -rf is blocked') : undefined;
const never: HookCallback<'PreToolUse'> = () => new Promise<undefined>(() => undefined);

describe('design 001, integration scenarios', () => {
  it('1. Successful Hook Execution: the hook is given the input, its output is valid, and counts', async () => {
    const inputs: unknown[] = [];
    const hook: HookCallback<'PreToolUse'> = (input, id) => {
      inputs.push([
        input.hook_event_name,
        input.session_id,
        input.tool_name,
        commandOf(input.tool_input),
        input.tool_use_id,
        id,
      ]);
      return allow('it may');
    };
    const played = await play({ PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] }, [made], { mode: 'default' });
    expect(inputs).toEqual([['PreToolUse', 'scripted', 'Bash', made.bash, expect.any(String), expect.any(String)]]);
    // In this mode nothing runs that nobody has allowed.
    expect(ran(played)).toBe(true);
    expect(ran(await play({}, [made], { mode: 'default' }))).toBe(false);
  });

  it('2. Hook Blocks Action: the tool is denied, does not run, and the model is told why', async () => {
    const played = await play({ PreToolUse: [{ matcher: 'Bash', hooks: [blockRm] }] }, [{ bash: 'rm -rf important' }]);
    expect(stays(played)).toBe(true);
    expect(played.said).toMatch(/rm -rf is blocked/);
    expect(played.result['permission_denials']).toHaveLength(1);
    // It would have been gone.
    expect(stays(await play({}, [{ bash: 'rm -rf important' }]))).toBe(false);
  });

  it('3. Hook Adds Context: PostToolUse’s context is in the next message to the model', async () => {
    const played = await play({ PostToolUse: [{ hooks: [() => addContext('the disk is nearly full')] }] }, [made]);
    expect(played.said).toMatch(/ran[\s\S]*the disk is nearly full/);
  });

  it('4. Hook Timeout: the program gets an error and goes on', async () => {
    const blocked = await play({ PreToolUse: [{ timeout: 0.2, onFailure: 'block', hooks: [never] }] }, [made]);
    expect(ran(blocked)).toBe(false);
    expect(blocked.result).toMatchObject({ subtype: 'success' });
    const open = await play({ PreToolUse: [{ timeout: 0.2, hooks: [never] }] }, [made]);
    expect(ran(open)).toBe(true);
    for (const { seen } of [blocked, open]) {
      expect(fires(seen).flatMap(({ decision }) => decision.failures.map(({ cause }) => cause))).toEqual(['timeout']);
    }
    // 60 s unless it says otherwise, as the design has it.
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [never] }] });
    expect(JSON.stringify(host.describe())).toContain('"timeout":60');
  });

  it('4. Hook Timeout: the program’s own deadline withdraws the question', async () => {
    const signals: AbortSignal[] = [];
    const slow: HookCallback<'PreToolUse'> = (_input, _id, { signal }) => {
      signals.push(signal);
      return new Promise<undefined>(() => undefined);
    };
    const played = await play({ PreToolUse: [{ timeout: 0, hooks: [slow] }] }, [made], { timeout: 0.3 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(ran(played)).toBe(false);
    expect(played.result).toMatchObject({ subtype: 'success' });
  });

  it('5. Hook Exception: it is caught and reported, and the program goes on', async () => {
    const broken: HookCallback<'PreToolUse'> = () => {
      throw new Error('boom');
    };
    const played = await play({ PreToolUse: [{ hooks: [broken] }] }, [made]);
    expect(ran(played)).toBe(true);
    expect(played.result).toMatchObject({ subtype: 'success' });
    const failed = fires(played.seen).flatMap(({ handlers }) => handlers.filter(({ status }) => status === 'failed'));
    expect(failed).toMatchObject([{ name: 'broken', failure: { cause: 'threw', message: 'Error: boom' } }]);
  });

  it('6. Multiple Hooks: all run, and their decisions are combined', async () => {
    const order: string[] = [];
    const says =
      (name: string, output: Awaited<ReturnType<HookCallback<'PreToolUse'>>>): HookCallback<'PreToolUse'> =>
      () => {
        order.push(name);
        return output;
      };
    const played = await play(
      {
        PreToolUse: [
          { hooks: [says('allow', allow()), says('deny', deny('one said no'))] },
          { matcher: 'Bash', hooks: [says('nothing', undefined)] },
        ],
      },
      [made],
    );
    expect(order).toEqual(['allow', 'deny', 'nothing']);
    expect(ran(played)).toBe(false);
    expect(played.said).toMatch(/one said no/);
  });

  it('7. Complex Workflow: allowed, run, reviewed, and the model is told', async () => {
    const review: HookCallback<'PostToolUse'> = ({ tool_response }) =>
      addContext(`reviewed: ${(tool_response as { stdout: string }).stdout.trim()}`);
    const played = await play(
      { PreToolUse: [{ hooks: [() => allow()] }], PostToolUse: [{ hooks: [review] }] },
      [{ bash: 'echo 42 > made.txt; cat made.txt' }],
      { mode: 'default' },
    );
    expect(readFileSync(join(played.folder, 'made.txt'), 'utf8')).toBe('42\n');
    expect(played.said).toMatch(/42[\s\S]*reviewed: 42/);
  });
});

describe('design 001, end-to-end tests', () => {
  it('PreToolUse blocks dangerous bash command', async () => {
    const played = await play({ PreToolUse: [{ matcher: 'Bash', hooks: [blockRm] }] }, [{ bash: 'rm -rf important' }]);
    expect(stays(played)).toBe(true);
    const assistant = played.messages.filter(({ type }) => type === 'assistant');
    expect(assistant.some((message) => textOf(message).includes('blocked'))).toBe(true);
  });

  it('PostToolUse adds monitoring context', async () => {
    const watched: string[] = [];
    const monitor: HookCallback<'PostToolUse'> = ({ tool_name, tool_input }) => {
      watched.push(`${tool_name} ${commandOf(tool_input)}`);
      return addContext(`monitor: ${watched.length} calls so far`);
    };
    const played = await play({ PostToolUse: [{ matcher: '*', hooks: [monitor] }] }, [
      { bash: 'echo a' },
      { bash: 'echo b' },
    ]);
    expect(watched).toEqual(['Bash echo a', 'Bash echo b']);
    expect(played.said).toMatch(/a\n[\s\S]*monitor: 1 calls so far[\s\S]*b\n[\s\S]*monitor: 2 calls so far/);
  });

  it('Multiple hooks execute in order', async () => {
    const order: number[] = [];
    const hook =
      (n: number, ms: number): HookCallback<'PreToolUse'> =>
      async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        order.push(n);
        return undefined;
      };
    // The slowest is the first: they wait for each other.
    const hooks = [hook(1, 60), hook(2, 30), hook(3, 0)];
    await play({ PreToolUse: [{ hooks: hooks.slice(0, 2) }, { matcher: 'Bash', hooks: hooks.slice(2) }] }, [made]);
    expect(order).toEqual([1, 2, 3]);
  });
});
