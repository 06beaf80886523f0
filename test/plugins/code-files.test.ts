import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CodeFiles } from '../../src/plugins/code-files.js';
import { ROOT } from '../package/sources.js';

test('a configuration in the package of hookscope itself does not bring all files of this program', async () => {
  const code = new CodeFiles(ROOT);
  await code.follow(join(ROOT, 'examples/five-agents/hookscope.config.mjs'));
  expect(Object.keys(code.files)).toEqual(['examples/five-agents/hookscope.config.mjs']);
});
