import { createRequire, syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

// The tests of the project `unit` start no process and no thread: whoever does is told so, and its file fails.
const STARTS: Readonly<Record<string, readonly string[]>> = {
  'node:child_process': ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'],
  'node:worker_threads': ['Worker'],
  'node:cluster': ['fork'],
};

const require = createRequire(import.meta.url);
const started: string[] = [];
const undo: (() => void)[] = [];

for (const [name, starts] of Object.entries(STARTS)) {
  const owner = require(name) as Record<string, unknown>;
  for (const start of starts) {
    const real = owner[start];
    owner[start] = function refuse(): never {
      const text = `${name} ${start}: the tests of the project "unit" start no process; name this file in SYSTEM in vitest.config.ts`;
      started.push(text);
      throw new Error(text);
    };
    undo.push(() => {
      owner[start] = real;
    });
  }
}
syncBuiltinESMExports();

afterAll(() => {
  for (const back of undo) back();
  syncBuiltinESMExports();
  // A handler may have made an ordinary failure of it.
  if (started.length > 0) throw new Error(started[0]);
});
