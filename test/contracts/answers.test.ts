import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useBuilt } from '../built.js';
import { SEED } from '../seed.js';

const built = useBuilt({ 'host-answers': 'test/fixtures/programs/host-answers.ts' });
const COUNT = Number(process.env['HOOKSCOPE_GENERATED'] ?? 80);

test(`whatever callbacks hand back, every fire is decided and the process lives (HOOKSCOPE_SEED=${SEED})`, async () => {
  const args = [join(built, 'host-answers.js'), String(SEED), String(COUNT)];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
  const fires = COUNT * 2;
  expect(JSON.parse(stdout)).toEqual({ seed: SEED, fires, decided: fires, calls: 0, unhandled: [] });
}, 600_000);
