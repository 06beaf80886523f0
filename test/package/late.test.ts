import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from './sources.js';

const PROCESS = fileURLToPath(new URL('late-process.mjs', import.meta.url));

interface Seen {
  readonly results: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly said: readonly string[];
}

/** What a host comes to that loses what is loaded late: see the process. */
async function withoutLate(when: string): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-late-'));
  try {
    for (const part of ['dist', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const line = 'ulimit -n 200; exec "$0" --no-warnings "$@"';
    const { stdout } = await promisify(execFile)('sh', ['-c', line, process.execPath, PROCESS, folder, when], {
      env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
    });
    return JSON.parse(stdout) as Seen;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each([
  ['its file is taken away before the first fire', 'created', 'Cannot find module'],
  ['its file is taken away under a host that has fired', 'fired', 'Cannot find module'],
  ['there is no descriptor left to open its file with', 'full', 'EMFILE'],
])('what is loaded late fails no fire, tool, timer or subscriber: %s', async (_, when, why) => {
  const { results, warnings, said } = await withoutLate(when);
  const lost = expect.stringMatching(`^rejected: dist/late/matching-bash.cjs of hookscope cannot be loaded: ${why}`);
  expect(results).toEqual({
    'a hook throws': 'deny',
    'a guard times out': 'deny',
    'a tool ran': 'out',
    'a rule of PowerShell': 'deny',
    'a line that may be an edit': 'deny',
    'a rule of Bash': lost,
    'a server answers what is no JSON': ['bad_json'],
    'a hook in the background': 'alive',
    'a subscriber': 2,
    'a subscriber, later': 3,
    'a rule of PowerShell, later': 'none',
    'a rule of Bash, later': 'deny',
    'a line that may be an edit, later': 'none',
  });
  const without = `: [its text is left out: dist/late/emit-redact.cjs of hookscope cannot be loaded: ${why}`;
  for (const begin of [
    'PreToolUse hook flaky failed (threw)',
    'PreToolUse hook slow failed (timeout)',
    'PostToolUse hook post failed (threw)',
    'Notification hook later failed (threw)',
  ])
    expect(warnings.filter((one) => one.startsWith(begin + without))).toHaveLength(1);
  expect(said.slice(0, 2).every((line) => line.includes('Stop') && line.includes('its text is left out'))).toBe(true);
  expect(said[2]).toContain('Stop  stops');
  expect(JSON.stringify([warnings, said])).not.toContain('SECRETTEXT');
});
