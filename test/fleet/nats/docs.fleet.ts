import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN } from '../../cli/cli.js';
import { blocksOf, printed, word } from '../../package/doc-blocks.js';
import { ROOT } from '../../package/sources.js';
import { ownFolder } from '../bundles.js';
import { freePort } from './server.js';

test('docs/fleet.md, followed word by word in an empty folder, comes to what it says', async () => {
  const folder = ownFolder();
  const port = String(await freePort());
  const mine = (text: string): string =>
    text.replaceAll(':4222', `:${port}`).replace('fleet up --team', `fleet up --port ${port} --team`);
  const blocks = blocksOf('docs/fleet.md', readFileSync(join(ROOT, 'docs/fleet.md'), 'utf8'));
  for (const block of blocks) {
    const file = word(block, 'file');
    if (file === undefined) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), block.text);
  }
  const steps = blocks.filter(({ lang, words }) => lang === 'sh' && words.includes('no-run'));
  expect(steps.length).toBeGreaterThan(5);
  mkdirSync(join(folder, 'bin'));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`;
  writeFileSync(join(folder, 'bin/hookscope'), program, { mode: 0o755 });
  const end = "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT";
  const script = [end, 'set -e', ...steps.map(({ text }, i) => `${mine(text)}\necho "=== ${i}"`)].join('\n');
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // What hangs is ended with all that it has started, just before the test's own time is up.
  const late = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), 280_000);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (said.out += chunk));
  child.stderr.on('data', (chunk) => (said.err += chunk));
  const [code] = await once(child, 'close');
  clearTimeout(late);
  const outputs = said.out.split(/=== \d+\n/);
  const errors = said.err.replace(/nats-server.*\n/g, '');
  expect({ code, steps: outputs.length - 1, errors }).toMatchObject({ code: 0, steps: steps.length });
  for (const [i, { prints }] of steps.entries())
    if (prints !== undefined)
      expect({ i, said: outputs[i], is: printed(prints, outputs[i] as string) }).toMatchObject({ is: true });
});
