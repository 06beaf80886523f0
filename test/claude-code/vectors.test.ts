import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fireCommand } from '../../src/cli/fire.js';
import { cli, spawnCli } from '../cli/cli.js';
import { checkVector } from './expectations.js';
import { fireFlags } from './fire-flags.js';
import { type Printed, readVectors, type Staged, stage, startServer, type Vector } from './vector.js';

/** Every how manyth vector also goes through the built program, and how many of those through a process of their own. */
const SAMPLE = 9;
const PROCESSES = 3;
const OWN = { ...process.env };

const vectors = readVectors();
let folder: string;
let answers: Vector['http'];
let server: Awaited<ReturnType<typeof startServer>>;
let count = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-vectors-'));
  server = await startServer(() => answers ?? {});
});
afterEach(() => {
  for (const key of Object.keys(process.env)) if (!(key in OWN)) delete process.env[key];
  Object.assign(process.env, OWN);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function stageHere(recorded: Vector): Staged {
  const staged = stage(recorded, join(folder, String(count++)), server.port);
  answers = staged.vector.http;
  server.seen.length = 0;
  return staged;
}

const environment = ({ home, vector }: Staged): Record<string, string> => ({ HOME: home, ...vector.env });

describe.each([...new Set(vectors.map(({ topic }) => topic))])('%s', (topic) => {
  test.each(vectors.filter((vector) => vector.topic === topic))('$name', async (recorded) => {
    const staged = stageHere(recorded);
    Object.assign(process.env, environment(staged));
    const lines: string[] = [];
    const { args, vector } = staged;
    const print = async (text: string): Promise<void> => void lines.push(text);
    const terminal = {
      color: false,
      live: false,
      columns: 80,
      gone: false,
      signal: new AbortController().signal,
      print,
      write: () => {},
      written: async () => {},
      writeError: () => undefined,
      tell: () => {},
    };
    expect(await fireCommand([vector.event], fireFlags(args), terminal)).toBe(0);
    checkVector(vector, JSON.parse(lines.join('\n')) as Printed, server.seen);
  });
});

describe('through the built program', () => {
  const sampled = vectors.filter((_, i) => i % SAMPLE === 0);
  const each = Math.ceil(sampled.length / PROCESSES);
  test.each(sampled.map((recorded, i) => ({ ...recorded, program: i % each === 0 ? spawnCli : cli })))(
    '$topic: $name',
    async ({ program, ...recorded }) => {
      const staged = stageHere(recorded);
      const { stdout, stderr, code } = await program(['fire', staged.vector.event, ...staged.args], {
        cwd: staged.project,
        env: environment(staged),
      });
      expect(code, stderr).toBe(0);
      checkVector(staged.vector, JSON.parse(stdout) as Printed, server.seen);
    },
  );
});
