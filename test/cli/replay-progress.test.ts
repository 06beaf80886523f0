import { afterEach, expect, test, vi } from 'vitest';
import { progressBar } from '../../src/cli/replay/progress.js';

const { isTTY } = process.stderr;
afterEach(() => {
  process.stderr.isTTY = isTTY;
  vi.restoreAllMocks();
});

function shown(terminal: boolean): string[] {
  const written: string[] = [];
  process.stderr.isTTY = terminal;
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 60));
  const bar = progressBar(2);
  for (const [file, share] of [
    [0, 0],
    [0, 0.25],
    [0, 0.5],
    [1, 0],
    [1, 1],
  ] as const)
    bar.at(file, share);
  bar.end();
  return written;
}

test('a replay shows on a terminal how far it is, and takes that away at its end', () => {
  const written = shown(true);
  expect(written.map((text) => /(\d+) %/.exec(text)?.[1])).toEqual(['0', '25', '100', undefined]);
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test('elsewhere it shows nothing', () => {
  expect(shown(false)).toEqual([]);
});
