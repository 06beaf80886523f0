import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failuresPage } from '../../scripts/failures-page.js';
import { servicesOf } from '../../src/host/internals.js';
import type { HookHandler, OnFailure } from '../../src/index.js';
import { CATALOGUE, command, createHost, HOOK_EVENTS, type HookEvent, http } from '../../src/index.js';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/failures.md', ROOT), 'utf8');
/** The rows of the table "Cause by event": event, then a cell a cause. */
const rows = new Map(
  (page.split('## Cause by event')[1] as string)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.includes('---'))
    .map((line) => line.slice(2, -2).split(' | '))
    .map(([event = '', ...cells]) => [event, cells] as const),
);
const causes = (rows.get('Event') ?? []).map((cell) => cell.replaceAll('`', ''));
const POLICIES: readonly OnFailure[] = ['continue', 'ask', 'block'];

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(503).end();
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** A hook of each cause that can be made here. */
const FAILING: Record<string, HookHandler> = {
  threw: () => {
    throw new Error('no');
  },
  timeout: { timeout: 0.01, handler: () => new Promise(() => undefined) },
  // Of a source that says of each hook whether it is as it was accepted.
  untrusted: command('exit 2'),
  bad_schema: () => ({ systemMessage: 1 }) as never,
  spawn_failed: command('no-such-program', { args: [] }),
  exit_code: command('exit 3'),
  signal: command('kill -9 $$'),
  bad_json: command("echo '{no}'"),
  too_large: command('echo 12345678', { outputLimit: 4 }),
  // Port 9 is nobody's; the other hook is made when the server has its port.
  connection: http('http://127.0.0.1:9/'),
  get http_status() {
    return http(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  },
};
/** An aborted fire rejects, and no handler runs in a worker yet. */
const NOT_HERE = ['aborted', 'worker_died'];
const OF_HTTP = ['http_status', 'connection'];

/** Events without a recorded input. */
const INPUTS: Partial<Record<HookEvent, Record<string, unknown>>> = {
  TeammateIdle: { teammate_name: 'a', team_name: 'b' },
  DirectoryAdded: { directory: '/a', source: 'slash_command' },
  ElicitationResult: { mcp_server_name: 'a', action: 'accept' },
};

function inputOf(event: HookEvent): Record<string, unknown> {
  const file = new URL(`test/fixtures/wire/${event}.json`, ROOT);
  if (!existsSync(file)) return INPUTS[event] ?? {};
  const { cwd: _, ...input } = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>[])[0] ?? {};
  return input;
}

async function effectOf(event: HookEvent, cause: string, onFailure: OnFailure): Promise<string> {
  await using host = createHost({ logger: () => undefined });
  const origin =
    cause === 'untrusted' ? { trustCheckOf: () => () => ({ file: 'settings.json', why: 'it has changed' }) } : {};
  servicesOf(host).registrar.register(
    undefined,
    { [event]: [{ onFailure, hooks: [FAILING[cause] as HookHandler] }] },
    origin,
  );
  const decision = (await host.fire(event, inputOf(event) as never)) as { verdict?: string; blocked?: boolean } & {
    failures: readonly { cause: string; blocked: boolean }[];
  };
  const effect = decision.blocked ? 'block' : (decision.verdict ?? 'none').replace('none', '–');
  expect(decision.failures).toEqual([expect.objectContaining({ cause, blocked: effect !== '–' })]);
  return effect;
}

describe('the table of docs/failures.md', () => {
  test('is made from the sources (else: npm run generate)', () => {
    expect(page).toBe(failuresPage());
  });

  test('has every event and every cause', () => {
    expect([...rows.keys()].slice(1)).toEqual(HOOK_EVENTS);
    expect([...Object.keys(FAILING), ...NOT_HERE].sort()).toEqual([...causes].sort());
  });

  test.each(HOOK_EVENTS.map((event) => [event]))('is true of real failures on %s', async (event) => {
    const cells = rows.get(event) ?? [];
    for (const cause of Object.keys(FAILING)) {
      if (OF_HTTP.includes(cause) && !CATALOGUE[event].types.includes('http')) continue;
      const effects = await Promise.all(POLICIES.map((policy) => effectOf(event, cause, policy)));
      const cell = effects.every((effect) => effect === effects[0]) ? effects[0] : effects.join(' ');
      expect([cause, cell]).toEqual([cause, cells[causes.indexOf(cause)]]);
    }
  });
});

/** What a command that says "why" on stderr and ends with 2 does, and how the two pages say it. */
const EXIT_2: Record<string, { readonly word: string; readonly does: RegExp }> = {
  answer: { word: 'the answer', does: /^(?:blocks, and stderr is the reason|marks it as blocked: .+)$/ },
  failure: { word: '`exit_code`', does: /^is the failure `exit_code`/ },
  nothing: { word: 'nothing', does: /^is ignored$/ },
};

test.each(HOOK_EVENTS)('exit code 2 on %s is what docs/failures.md and docs/events.md say', async (event) => {
  await using host = createHost({ logger: () => undefined });
  host.register({ [event]: [{ hooks: [command('echo why >&2; exit 2')] }] });
  const { failures, reason } = (await host.fire(event, inputOf(event) as never)) as {
    failures: readonly { cause: string }[];
    reason?: string;
  };
  expect(failures.map(({ cause }) => cause)).toEqual(failures.length > 0 ? ['exit_code'] : []);
  const came = failures.length > 0 ? 'failure' : reason === 'why' ? 'answer' : 'nothing';
  const { word, does } = EXIT_2[came] as (typeof EXIT_2)[string];
  const line = page.split('\n').find((one) => one.startsWith(`| ${event} | `)) ?? '';
  expect(line.split(' | ').at(-1)).toBe(`${word} |`);
  const events = readFileSync(new URL('docs/events.md', ROOT), 'utf8').split(`\n## ${event}\n`)[1] ?? '';
  expect(/^- Exit code 2 (.+?)\. Plain stdout/m.exec(events)?.[1]).toMatch(does);
});
