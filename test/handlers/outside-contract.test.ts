import { afterAll, describe, expect, test } from 'vitest';
import { http } from '../../src/handlers/http/spec.js';
import { mcpTool } from '../../src/handlers/mcp/spec.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import type { HostOptions } from '../../src/host/options.js';
import { type Behaviour, CASES, type Json } from '../contracts/handlers.js';
import { inputOf } from '../host/inputs.js';
import { anyHooks, fireAny, only, testHost } from '../host/kit.js';
import { hookServer } from './hook-server.js';

/** What they say next; the server and the tool are the same for all cases. */
let behaviour: Behaviour = { does: 'babble' };

const saidBy = (b: Behaviour): string =>
  b.does === 'answer' ? (b.output ? JSON.stringify(b.output) : '') : '{no output}';

const server = await hookServer({
  '/h': (_request, response) => {
    response.writeHead(behaviour.does === 'fail' ? 500 : 200).end(saidBy(behaviour));
  },
});
afterAll(() => server[Symbol.asyncDispose]());

const callTool: HostOptions['callTool'] = () =>
  behaviour.does === 'fail'
    ? { isError: true, content: [{ type: 'text', text: behaviour.message }] }
    : saidBy(behaviour);

const KINDS = [
  { name: 'http hook', hook: http(server.url('/h')), failure: { cause: 'http_status', message: /answered 500/ } },
  { name: 'mcp_tool hook', hook: mcpTool('a', 'b'), failure: { cause: 'threw', message: /disk full/ } },
];

/** What a case expects, where a regular expression stands for a string like it. */
function like(value: unknown): unknown {
  if (value instanceof RegExp) return expect.stringMatching(value);
  if (!Array.isArray(value)) return value;
  return value.map((v) =>
    v instanceof RegExp || typeof v !== 'object' ? like(v) : expect.objectContaining(v as Json),
  );
}

describe.each(KINDS)('an $name', ({ hook, failure }) => {
  test.each(CASES)('$name', async ({ event, behaviour: wanted, is, cause, warning }) => {
    behaviour = wanted;
    const { host, reports } = testHost({ callTool });
    host.register(anyHooks({ [event]: [{ hooks: [hook] }] }), { name: 'it' });
    const decision = await fireAny(host, event, inputOf(event as never));
    await host.close();
    for (const [key, value] of Object.entries(is)) expect(decision[key as keyof AnyDecision], key).toEqual(like(value));
    if (cause) {
      const expected = wanted.does === 'fail' ? failure : { cause: cause.outside, message: cause.message };
      const failed = only(decision.failures);
      expect(failed).toMatchObject({ name: 'it', cause: expected.cause, blocked: false });
      expect(failed.message).toMatch(expected.message);
      expect(only(reports)).toContain(failed.message);
    } else if (warning) expect(only(reports)).toMatch(warning);
    else expect(reports).toEqual([]);
  });
});
