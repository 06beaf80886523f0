import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keyOfFile } from '../../../src/emit/redact/key.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-key-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const place = (): string => join(folder, `state-${++count}`, 'hookscope', 'redact.key');
const hash = (file: string): string => keyOfFile(file).hash('hunter2');

let warnings: string[] = [];
const listen = (warning: Error): void => void warnings.push(warning.message);
beforeEach(() => {
  warnings = [];
  process.on('warning', listen);
});
afterEach(() => void process.off('warning', listen));
const told = async (): Promise<string[]> => {
  await new Promise((resolve) => setImmediate(resolve));
  return warnings;
};

describe('the key of masked values', () => {
  test('is made when first needed, readable by its owner alone, and is the same from then on', () => {
    const file = place();
    const redactor = createRedactor({ keyFile: file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(hash(file)).toBe(hash(file));
    expect(keyOfFile(file).id).toBe(redactor.keyId);
    expect(readFileSync(file, 'utf8')).not.toContain(redactor.keyId);
  });

  test('that is a symbolic link is refused, and nothing is written through it', () => {
    const file = place();
    mkdirSync(join(file, '..'), { recursive: true });
    const target = join(folder, 'elsewhere');
    symlinkSync(target, file);
    expect(() => hash(file)).toThrow(/symbolic link.*delete it/);
    expect(existsSync(target)).toBe(false);
    writeFileSync(target, `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    expect(() => hash(file)).toThrow(/symbolic link/);
  });

  test.skipIf(process.platform === 'win32')('that others can read is closed to them, and said', async () => {
    const file = place();
    const before = hash(file);
    chmodSync(file, 0o644);
    expect(hash(file)).toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await told()).toEqual([expect.stringMatching(/redact\.key: others could read .*Delete it/)]);
  });

  test.each([['a folder'], ['not a key'], ['']])('that is something else is refused: %j', (what) => {
    const file = place();
    mkdirSync(what === 'a folder' ? file : join(file, '..'), { recursive: true });
    if (what !== 'a folder') writeFileSync(file, what, { mode: 0o600 });
    expect(() => hash(file)).toThrow(/redact\.key: .*delete it/);
  });

  test('of this machine is in XDG_STATE_HOME; where none can be kept there is one for the process, and a warning', async () => {
    const { XDG_STATE_HOME: before } = process.env;
    const state = join(folder, 'a-file');
    writeFileSync(state, '');
    process.env['XDG_STATE_HOME'] = state;
    try {
      vi.resetModules();
      const { createRedactor } = await import('../../../src/emit/redact/redactor.js');
      const masked = createRedactor().text('--password hunter2');
      expect(masked).toMatch(/hmac:/);
      expect(createRedactor().text('--password hunter2')).toBe(masked);
      expect(await told()).toEqual([expect.stringMatching(/cannot be kept here.*within this process alone/)]);
    } finally {
      if (before === undefined) delete process.env['XDG_STATE_HOME'];
      else process.env['XDG_STATE_HOME'] = before;
    }
  });
});
