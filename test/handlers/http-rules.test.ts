import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isPrivateAddress, publicLookup } from '../../src/handlers/http/private-address.js';
import { matchesUrl } from '../../src/handlers/http/rules.js';

describe('a pattern of allowed URLs', () => {
  test.each([
    ['https://hooks.example.com/*', 'https://hooks.example.com/a/b?c=d'],
    ['https://hooks.example.com/*', 'https://HOOKS.example.com:443/a'],
    ['https://hooks.example.com:443/*', 'https://hooks.example.com/a'],
    ['HTTPS://Hooks.Example.com/*', 'https://hooks.example.com/a'],
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://*.example.com/hooks/*', 'https://a.b.example.com/hooks/x'],
    ['http://127.0.0.1:*', 'http://127.0.0.1:8787/policy'],
    ['http://127.0.0.1:*', 'http://127.0.0.1/policy'],
    ['http://127.0.0.1:*', 'http://127.1:8787/policy'],
    ['*://localhost:*/*', 'http://localhost:3000/x'],
    ['http://[::1]:*', 'http://[0:0:0:0:0:0:0:1]:3000/x'],
    ['*', 'https://anything.example/'],
  ])('%s holds %s', (pattern, url) => {
    expect(matchesUrl(pattern, new URL(url))).toBe(true);
  });

  test.each([
    ['https://hooks.example.com/*', 'http://hooks.example.com/a'],
    ['https://hooks.example.com/*', 'https://hooks.example.com.evil.test/a'],
    ['https://hooks.example.com/*', 'https://hooks.example.com@evil.test/a'],
    ['https://hooks.example.com/*', 'https://hooks.example.com:8443/a'],
    ['https://hooks.example.com', 'https://hooks.example.com/a'],
    // The star of a host cannot run into the path of another.
    ['https://*.example.com/*', 'https://evil.test/.example.com/a'],
    ['https://*.example.com/*', 'https://evil.test?.example.com/a'],
    ['http://127.0.0.1:*', 'http://127.0.0.1:80@evil.test/a'],
    ['https://hooks.example.com/a', 'https://hooks.example.com/A'],
    ['https://hooks.example.com/v1/*', 'https://hooks.example.com/v1/../admin'],
    ['hooks.example.com/*', 'https://hooks.example.com/a'],
    ['', 'https://hooks.example.com/'],
  ])('%s does not hold %s', (pattern, url) => {
    expect(matchesUrl(pattern, new URL(url))).toBe(false);
  });
});

describe('a private address', () => {
  test.each([
    '0.0.0.0',
    '10.255.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    'fd00::1',
    'fe80::1',
    'ff02::1',
    '::ffff:192.168.1.1',
    '::ffff:c0a8:0101',
    '::ffff:0:a00:1',
    '::a00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '2002:c0a8:101::1',
  ])('is %s', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  test.each([
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '::ffff:127.0.0.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('is not %s', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  test('is no answer to the name of a server', async () => {
    const lookup = promisify(publicLookup) as (name: string, options: object) => Promise<unknown>;
    await expect(lookup('192.168.1.1', { all: true })).rejects.toThrow('192.168.1.1 is in a private network');
    await expect(lookup('192.168.1.1', {})).rejects.toThrow('is in a private network');
    await expect(lookup('127.0.0.1', { all: true })).resolves.toEqual([{ address: '127.0.0.1', family: 4 }]);
    await expect(lookup('nobody.invalid', { all: true })).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
  });
});
