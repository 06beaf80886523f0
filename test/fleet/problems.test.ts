import { expect, test } from 'vitest';
import { withoutPassword } from '../../src/fleet/nats/connection.js';
import { whyRefused } from '../../src/fleet/nats/problems.js';

test.each([
  [
    'operator',
    'op.nk',
    new Error('Permissions Violation for Subscription to "hs.acme.asked.*.*"'),
    /^the credentials op\.nk may not listen at hs\.acme\.asked\.\*\.\* there, which an operator of the team acme has to/,
  ],
  [
    'box',
    'box.nk',
    'Permissions Violation for Publish to "hs.acme.log.other"',
    /^the credentials box\.nk may not send to hs\.acme\.log\.other there, which the host box of the team acme has to/,
  ],
  [
    'operator',
    'box.nk',
    'Permissions Violation for Subscription to "_INBOX_operator.q1.*"',
    /^the credentials box\.nk may not do that there: those of an operator of the team acme are needed/,
  ],
  ['box', undefined, "'Authorization Violation'", /^it wants credentials, and none were given/],
  ['box', 'x.nk', 'Authorization Violation', /^it does not know the credentials x\.nk .*fleet keys host NAME/],
  ['operator', 'op.nk', 'stream not found', /^there is nothing of the team acme there; .*fleet push/],
])('says of %s with %s who lacks what: %s', (name, credentials, problem, expected) => {
  expect(whyRefused(problem, { team: 'acme', name, credentials })).toMatch(expected);
});

test('adds nothing to what is said of other things', () => {
  for (const problem of ['connection refused', new Error('timeout'), 'a stream not found in the log'])
    expect(whyRefused(problem, { team: 'acme', name: 'box' })).toBeUndefined();
});

test.each([
  ['nats://bob:s3cret@box:4222', 'nats://box:4222'],
  ['nats://:s3cret@box:4222', 'nats://box:4222'],
  ['nats://s3cret@box', 'nats://box'],
  ['bob:s3cret@box:4222', 'box:4222'],
  [':s3cret@box', 'box'],
  ['nats://bob:s3@s3cret@box', 'nats://box'],
  ['nats://bob:s3/s3cret@box', 'nats://box'],
  ['TLS://bob:s3cret@[::1]:4222', 'TLS://[::1]:4222'],
  ['nats://a:s3@one,nats://b:s3cret@two', 'nats://two'],
  ['nats://bob:s3\ncret@box', 'nats://box'],
  ['nats://box:4222', 'nats://box:4222'],
  ['box', 'box'],
  ['', ''],
])('shows the address %j without what is secret in it', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});
