import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, hooksFile, type User } from './kit.js';

let user: User;
beforeAll(() => {
  user = createUser();
  const long = "head -c 10001 /dev/zero | tr '\\0' x >&2; exit 2";
  user.write('long.json', { ...hooksFile(long, 'PostToolUse'), ...hooksFile('true', 'SessionEnd') });
});
afterAll(() => user.remove());

const call = (session_id: string) => ({
  session_id,
  tool_name: 'Bash',
  tool_input: {},
  tool_response: {},
  tool_use_id: 't',
});
const outputs = (): string => join(user.places.state, 'outputs');

/** The file that an agent is told of. */
async function told(session: string): Promise<string> {
  const { stdout } = await user.hook(['PostToolUse', '--no-server', '--hooks', 'long.json'], call(session));
  return /saved to: ([^\s"\\]+)/.exec(stdout)?.[1] as string;
}

test('a long output of a call without a server is there for its agent until the session ends', async () => {
  const [first, other, second] = [await told('a'), await told('b'), await told('a')];
  for (const file of [first, other, second]) {
    expect(readFileSync(file, 'utf8')).toContain('x'.repeat(10_001));
    expect([file, dirname(file), outputs()].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700, 0o700]);
  }
  expect(dirname(first)).toBe(dirname(second));
  expect(dirname(dirname(first))).toBe(outputs());
  const end = await user.hook(['SessionEnd', '--no-server', '--timeout', '60', '--hooks', 'long.json'], {
    session_id: 'a',
    reason: 'other',
  });
  expect(end.code).toBe(0);
  expect([first, other, second].map((file) => existsSync(file))).toEqual([false, true, false]);
  expect(readdirSync(outputs())).toHaveLength(1);
});

test('of a session that nobody has ended it is gone with the first call a day later', async () => {
  const old = await told('old');
  const young = await told('young');
  const yesterday = new Date(Date.now() - 86_400_000 - 60_000);
  utimesSync(dirname(old), yesterday, yesterday);
  await told('new');
  expect([old, young].map((file) => existsSync(file))).toEqual([false, true]);
});

test('of a process that never closes its host it is gone with the process', async () => {
  const dist = new URL('../../dist/index.js', import.meta.url).href;
  const file = user.write(
    'unclosed.mjs',
    `import { createHost } from ${JSON.stringify(dist)};
    const host = createHost();
    host.on('PostToolUse', () => ({ systemMessage: 'x'.repeat(10001) }));
    const { systemMessages } = await host.fire('PostToolUse', ${JSON.stringify(call('s'))});
    const path = /saved to: (\\S+)/.exec(systemMessages[0])[1];
    const { existsSync } = await import('node:fs');
    console.log(JSON.stringify({ path, was: existsSync(path) }));`,
  );
  const { stdout } = await user.program(file);
  const { path, was } = JSON.parse(stdout) as { path: string; was: boolean };
  expect([was, existsSync(path), existsSync(dirname(path))]).toEqual([true, false, false]);
});
