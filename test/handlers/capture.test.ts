import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { capture } from '../../src/handlers/command/capture.js';

test('output in very many pieces is kept whole', async () => {
  const stream = new PassThrough();
  const got = capture(stream, { limit: 100_000 });
  const pieces = Array.from({ length: 1_000 }, (_, i) => `piece ${i}\n`);
  for (const piece of pieces) {
    stream.write(piece);
    // Each comes by itself.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(got.text()).toBe(pieces.join(''));
});
