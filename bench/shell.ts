import { spawn } from 'node:child_process';
import { command, createHost } from 'hookscope';
import type { Case } from './harness.js';
import { preToolUse } from './recorded.js';

const input = { ...preToolUse, cwd: process.cwd() };
const LINE = 'cat > /dev/null; echo "{}"';

/** The same by hand: a shell, one line of JSON on its stdin, its stdout read to the end and parsed. */
function bySpawn(): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(LINE, { shell: true });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', () => resolve(JSON.parse(stdout)));
    child.stdin.end(`${JSON.stringify(input)}\n`);
  });
}

const host = createHost();
host.register({ PreToolUse: [{ hooks: [command(LINE)] }] });

export const cases: Case[] = [
  {
    name: 'a shell hook',
    goal: 1.6,
    candidates: () => [
      { name: 'child_process.spawn', run: bySpawn },
      { name: 'hookscope', run: () => host.fire('PreToolUse', input) },
    ],
    floor: 'child_process.spawn',
    subject: 'hookscope',
    rounds: 100,
    wall: true,
  },
];
