import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';
import { SEED } from '../seed.js';
import { anyHarmless } from './harmless.js';

const rule = compileRule('Bash(rm *)', { dialect: 'code', where: 'if' }).rule;

it(`asks about at most 2 % of a thousand lines that remove nothing (seed ${SEED})`, () => {
  const lines = fc.sample(anyHarmless, { numRuns: 1000, seed: SEED });
  const asked = lines.filter((command) => rule?.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' }));
  expect(asked.length, `seed ${SEED}: ${asked.join('\n')}`).toBeLessThanOrEqual(20);
});
