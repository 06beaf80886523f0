import { expect, test } from 'vitest';
import { type HostStatus, isSilent, standingOf } from '../../src/fleet/status.js';

test('a host that has not spoken for a while is silent, and so is one that says no time', () => {
  const status = { host: 'a', version: '0', channels: [], log: { sent: 0, waiting: 0, dropped: 0 }, alarms: 0 };
  const at = (text: string): HostStatus => ({ ...status, at: text });
  const now = Date.parse('2026-01-01T00:01:00Z');
  expect(isSilent(at('2026-01-01T00:00:30.000Z'), now)).toBe(false);
  for (const text of ['2026-01-01T00:00:09.999Z', 'never', '', 'NaN', '2026-13-01T00:00:00Z'])
    expect({ text, is: isSilent(at(text), now) }).toEqual({ text, is: true });
});

test('a host has what is posted only if it has those very bytes in force, whatever the number', () => {
  const posted = { revision: 'v2', sequence: 2, digest: 'b' };
  const has = (of: object) => standingOf({ channel: 'stable', ...of }, posted);
  expect(has({})).toBe('behind');
  expect(has({ sequence: 1, digest: 'a' })).toBe('behind');
  expect(has({ sequence: 2, digest: 'b' })).toBe('has it');
  expect(has({ sequence: 2, digest: 'a', refused: { sequence: 2, reason: 'its sequence', at: '' } })).toBe('behind');
  expect(has({ sequence: 3, digest: 'c' })).toBe('ahead');
});

test('a host of an older version, which reports no digest, has what is posted by its revision and number', () => {
  const posted = { revision: 'v2', sequence: 2, digest: 'b' };
  const has = (of: object) => standingOf({ channel: 'stable', ...of }, posted);
  expect(has({ revision: 'v2', sequence: 2 })).toBe('has it');
  expect(has({ revision: 'v3', sequence: 2 })).toBe('behind');
  expect(has({ revision: 'v2', sequence: 1 })).toBe('behind');
  expect(has({ revision: 'v2', sequence: 3 })).toBe('ahead');
  expect(has({ revision: 'v2', sequence: 2, digest: 'a' })).toBe('behind');
});
