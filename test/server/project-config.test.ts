import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTokens } from '../../src/server/tokens.js';
import { acceptAll } from './accept.js';
import { bash, createUser, type Running, send, type User, until } from './kit.js';

let user: User;
let server: Running;
let project: string;
beforeAll(async () => {
  user = createUser();
  project = join(user.path, 'project');
  server = await user.serve(['--project', '.']);
});
afterAll(() => user.remove());

const config = (...hooks: object[]): string =>
  user.write('hookscope.config.json', { hooks: { PreToolUse: [{ onFailure: 'block', hooks }] } });
const rule = (reason: string): object => ({ type: 'rule', decision: 'deny', reason });
const script = (reason: string): string => user.write('guard.sh', `#!/bin/sh\necho '${reason}' >&2\nexit 2\n`, 0o755);
const accept = (): Promise<void> => acceptAll(project, user.env);

/** What the server itself says of a call in the project. */
async function answer(): Promise<string> {
  const headers = {
    host: 'hookscope',
    authorization: `Bearer ${readTokens(user.places)?.fire}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify(bash('make', { cwd: project }));
  return (await send({ socketPath: user.places.socket }, { path: '/hooks/PreToolUse', headers, body })).body;
}
const becomes = (what: RegExp): Promise<void> => until(async () => what.test(await answer()));

const CHANGED = /hookscope\.config\.json[^"]* has changed since it was accepted; see hookscope trust/;

test('a running server follows what is accepted in a project: new, changed, accepted again, gone; what is taken back is served on', async () => {
  expect(await answer()).toBe('{}');
  config(rule('first'));
  await until(() => /held: \S*hookscope\.config\.json is not accepted/.test(server.output()));
  expect(await answer()).toBe('{}');
  await accept();
  await becomes(/"deny".*first/);
  config(rule('second'));
  await becomes(CHANGED);
  await accept();
  await becomes(/"deny".*second/);
  rmSync(join(project, 'hookscope.config.json'));
  await becomes(/was accepted, and is gone/);
  config(rule('second'));
  await becomes(/"deny".*second/);
  expect((await user.run(['trust', '--revoke', '.'])).stderr).toBe('');
  await until(() => /hookscope\.config\.json is accepted no more; what is served stays/.test(server.output()));
  rmSync(join(project, 'hookscope.config.json'));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await answer()).toMatch(/"deny".*second/);
  config(rule('third'));
  await accept();
  await becomes(/"deny".*third/);
  expect(server.output()).not.toContain('not reloaded');
});

test('what its commands run is accepted with it', async () => {
  script('old');
  config({ type: 'command', command: './guard.sh' });
  await accept();
  await becomes(/"deny".*old/);
  script('new');
  const seen = new Set<string>();
  await until(async () => {
    const said = await answer();
    seen.add(said);
    return /guard\.sh[^"]*has changed/.test(said);
  });
  expect([...seen].join('\n')).not.toMatch(/new/);
  await accept();
  await becomes(/"deny".*new/);
});
