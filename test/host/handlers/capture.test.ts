import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { capture } from '../../../src/handlers/command/capture.js';

/** Writes the pieces, each as one of its own. */
async function write(stream: PassThrough, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    stream.write(piece);
    await turn();
  }
}

describe('output that comes in pieces', () => {
  // 256 pieces are joined to one: what comes before and after must be the same text.
  test.each([1, 255, 256, 257, 511, 512, 600])('%d of them: all are kept, in order', async (count) => {
    const stream = new PassThrough();
    const told: string[] = [];
    const kept = capture(stream, { limit: 1_000_000, onPiece: (text) => told.push(text) });
    // Each letter comes in two pieces, so that no piece is a whole one.
    const bytes = Buffer.from(
      Array.from({ length: count }, (_, i) => String.fromCodePoint(0x400 + (i % 200))).join(''),
    );
    const pieces = Array.from({ length: count }, (_, i) => bytes.subarray(2 * i - (i > 0 ? 1 : 0), 2 * i + 1));
    await write(stream, [...pieces, bytes.subarray(2 * count - 1)]);
    expect(kept.text()).toBe(bytes.toString());
    expect(told.join('')).toBe(bytes.toString());
    expect([kept.tooLarge, kept.open]).toEqual([false, true]);
    stream.end();
    await kept.closed;
    expect(kept.open).toBe(false);
  });

  test.each([300, 513])('%d bytes of more: the limit counts all of them', async (limit) => {
    const stream = new PassThrough();
    const kept = capture(stream, { limit });
    await write(
      stream,
      Array.from({ length: 600 }, (_, i) => Buffer.from(String(i % 10))),
    );
    expect([kept.text().length, kept.tooLarge]).toEqual([limit, true]);
    expect(kept.text()).toBe('0123456789'.repeat(60).slice(0, limit));
  });

  test('exactly as many as are kept are not too many', async () => {
    const stream = new PassThrough();
    const kept = capture(stream, { limit: 4 });
    await write(stream, [Buffer.from('ab'), Buffer.from('cd')]);
    expect([kept.text(), kept.tooLarge]).toEqual(['abcd', false]);
    await write(stream, [Buffer.from('e')]);
    expect([kept.text(), kept.tooLarge]).toEqual(['abcd', true]);
  });
});
