import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SEED } from '../seed.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/host-answers.ts', import.meta.url));
const COUNT = Number(process.env['HOOKSCOPE_GENERATED'] ?? 80);

test(`whatever callbacks hand back, every fire is decided and the process lives (HOOKSCOPE_SEED=${SEED})`, async () => {
  const args = ['--import', 'tsx', PROGRAM, String(SEED), String(COUNT)];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
  const fires = COUNT * 2;
  expect(JSON.parse(stdout)).toEqual({ seed: SEED, fires, decided: fires, calls: 0, unhandled: [] });
}, 600_000);
