import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HookServer, hookServer } from '../handlers/hook-server.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, testHost, watch } from './kit.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/raw-mcp-server.mjs', import.meta.url));
const BLOCK = JSON.stringify({ decision: 'block', reason: 'no' });
const LINE = JSON.stringify({ async: true });
const PRETTY = JSON.stringify({ async: true }, null, 2);
const PRINTS =
  "let text = ''; process.stdin.on('data', (d) => (text += d)).on('end', () => process.stdout.write(JSON.parse(text).tool_input.says))";

let server: HookServer;
beforeAll(async () => {
  server = await hookServer({
    '/': (_, response) => response.end(JSON.parse(server.asked.at(-1)?.body ?? '').tool_input.says),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Hooks of every type that can answer `{ "async": true }`; each answers what the input says. */
const HOOKS: Readonly<Record<string, () => unknown>> = {
  callback: () => (input: { tool_input: { says: string } }) => JSON.parse(input.tool_input.says) as unknown,
  http: () => ({ type: 'http', url: server.url('/') }),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the hook's own variable
  mcp_tool: () => ({ type: 'mcp_tool', server: 's', tool: 'result', input: { value: answerOf('${tool_input.says}') } }),
  command: () => ({ type: 'command', command: process.execPath, args: ['-e', PRINTS] }),
};
const answerOf = (text: string) => ({ content: [{ type: 'text', text }] });

const CASES = Object.keys(HOOKS).flatMap((kind) =>
  [LINE, PRETTY].flatMap((async) =>
    (['series', 'parallel'] as const).flatMap((mode) =>
      [false, true].map((watched) => ({ kind, async, mode, watched })),
    ),
  ),
);

describe.each(CASES)('a hook that answers plain { async: true }: $kind, $async, $mode, watched: $watched', (about) => {
  const { kind, async, mode, watched } = about;
  /** The hook is asked about the first answer, and then the input is rewritten to the second. */
  async function play(first: string, second: string) {
    const { host } = testHost({
      session: { session_id: 's', transcript_path: '', cwd: process.cwd() },
      mcpServers: { s: { command: process.execPath, args: [PROGRAM] } },
    });
    const seen = watched ? watch(host) : [];
    const rewrites = () => ({ hookSpecificOutput: { updatedInput: { command: 'ls', says: second } } });
    host.register(anyHooks({ PreToolUse: [{ mode, hooks: [HOOKS[kind]?.(), () => {}] }, { hooks: [rewrites] }] }));
    const decision = await host.fire('PreToolUse', {
      ...INPUTS.PreToolUse,
      tool_input: { command: 'ls', says: first },
    });
    await host.close();
    return { decision, row: fires(seen)[0]?.handlers[0] };
  }

  test('is not asked again', async () => {
    const { decision, row } = await play(async, BLOCK);
    expect(decision).toMatchObject({ verdict: 'none', failures: [] });
    if (watched) expect(row).not.toHaveProperty('reasked');
  });

  test('keeps its deny if it answers so when it is asked again', async () => {
    const { decision, row } = await play(BLOCK, async);
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'no', failures: [] });
    if (watched) expect(row).toMatchObject({ verdict: 'deny', reasked: 1 });
  });
});
