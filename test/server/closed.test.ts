import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BESIDE_SERVER, Binding, whyChanged, whyScriptChanged } from '../../src/server/bound/binding.js';
import { KeptTexts } from '../../src/server/bound/kept-texts.js';
import { unboundScripts } from '../../src/server/bound/scripts.js';
import { cli } from '../cli/cli.js';
import { createUser, GUARD, hooksFile, type User } from './kit.js';

const OPEN = 'let this user read it and enter its folders';
let user: User;
let guard: string;
let folder: string;
beforeEach(() => {
  user = createUser();
  folder = join(user.path, 'project');
  mkdirSync(join(folder, 'sub'));
  guard = user.write('sub/guard.sh', GUARD, 0o755);
  chmodSync(user.path, 0o755);
  chmodSync(folder, 0o755);
});
afterEach(async () => {
  chmodSync(join(folder, 'sub'), 0o755);
  await user.remove();
});

/** As a user whom permissions hold back, which they do not for the superuser. */
async function held<T>(look: () => T): Promise<Awaited<T>> {
  const isSuper = process.getuid?.() === 0;
  if (isSuper) process.seteuid?.(65_534);
  try {
    return await look();
  } finally {
    if (isSuper) process.seteuid?.(0);
  }
}

const CLOSED: [string, () => void][] = [
  ['in a closed folder', () => chmodSync(join(folder, 'sub'), 0)],
  ['that is closed itself', () => chmodSync(guard, 0)],
];

test.each(CLOSED)(
  'a guard %s is said to be closed, and how to open it; nobody is told to serve it with --data',
  async (_, close) => {
    const bound = () => {
      const binding = new Binding({ files: {}, scripts: {} }, folder);
      const check = binding.commandsOf(join(folder, 'hooks.json'))({ type: 'command', command: './sub/guard.sh' });
      return { binding, scripts: binding.scripts, check: () => check?.({ cwd: folder, env: {} } as never) };
    };
    const before = bound();
    const kept = new KeptTexts({ files: {}, scripts: before.scripts });
    expect(before.check()).toBeUndefined();
    close();
    const said = await held(async () => {
      const now = bound();
      return [
        (before.check() as { why: string }).why,
        (now.check() as { why: string }).why,
        ...unboundScripts(now.scripts),
        whyChanged(guard, {}),
        before.binding.whyChanged(guard),
        whyScriptChanged(guard, BESIDE_SERVER, before.scripts),
        await kept.change(guard, (text) => text),
      ];
    });
    expect(said).toHaveLength(7);
    for (const one of said) {
      expect(one).toContain(OPEN);
      expect(one).toContain('cannot be read: ');
      expect(one).not.toMatch(/--data|is gone|cannot be bound/);
    }
  },
);

test.each(CLOSED)('check says that of a guard %s', async (_, close) => {
  user.write('hooks.json', hooksFile(guard));
  const check = () => cli(['check', 'hooks.json'], { cwd: folder, env: { HOME: join(user.path, 'home') } });
  // So that what it needs is loaded.
  expect((await check()).stdout).not.toContain('script-missing');
  close();
  const { stdout } = await held(check);
  expect(stdout).toMatch(/script-missing\n.*sub\/guard\.sh cannot be read by this user\.\n/);
  expect(stdout).toMatch(/fix: Let this user read it and enter its folders\.\n/);
});

test('of what may be executed but not read, nobody knows whether it is a script: --data is named for a compiled program', async () => {
  user.write('hooks.json', hooksFile(guard));
  const look = () => {
    const binding = new Binding({ files: {}, scripts: {} }, folder);
    const check = binding.commandsOf(join(folder, 'hooks.json'))({ type: 'command', command: './sub/guard.sh' });
    const refused = check?.({ cwd: folder, env: {} } as never) as { why: string };
    return [refused.why, ...unboundScripts(binding.scripts)];
  };
  chmodSync(guard, 0o711);
  const said = await held(look);
  expect(said).toHaveLength(2);
  for (const one of said)
    expect(one).toMatch(
      new RegExp(`cannot be read: .*${OPEN}; only a compiled program runs unread: hookscope serve --data .* whatever `),
    );
});
