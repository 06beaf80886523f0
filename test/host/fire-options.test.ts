import { expect, test } from 'vitest';
import { createHost, deny, type FireOptions } from '../../src/index.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' } };

const WRONG: [options: unknown, message: RegExp][] = [
  [{ scop: 'a' }, /fire: scop: is not a known option.*Did you mean "scope"\?/],
  [{ scope: null }, /fire: scope: expected an agent's id, or \{ session, agent \}, got null/],
  [{ scope: 5 }, /got 5/],
  [{ scope: '' }, /got ""/],
  [{ scope: {} }, /got \{\}/],
  [{ scope: { agnet: 'a' } }, /scope: agnet: is not a known option; there are session, agent/],
  [{ signal: {} }, /fire: signal: expected an AbortSignal/],
  ['a', /expected an object of options/],
  [null, /expected an object of options/],
];

test.each(WRONG)('%j is an error, not a fire in another scope', async (options, message) => {
  const host = createHost();
  host.registerScoped('a', { PreToolUse: [{ hooks: [() => deny('not here')] }] });
  const fired = host.fire('PreToolUse', CALL, options as FireOptions);
  await expect(fired).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  await expect(fired).rejects.toThrow(message);
});

test('what cannot be read is one, too', async () => {
  const fail = (): never => {
    throw new Error('lazy');
  };
  const refused = {
    code: 'INVALID_OPTIONS',
    message: expect.stringMatching(/fire\(…, options\): cannot be read: lazy/),
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const options of [
    Object.defineProperty({}, 'scope', { enumerable: true, get: fail }),
    { scope: Object.defineProperty({}, 'agent', { enumerable: true, get: fail }) },
    new Proxy({}, { ownKeys: fail }),
  ])
    await expect(createHost().fire('PreToolUse', CALL, options)).rejects.toMatchObject(refused);
  await expect(createHost().fire('PreToolUse', CALL, proxy)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
});

test.each([{ scope: 'a' }, { scope: { agent: 'a' } }, { scope: { agent: 'a', session: undefined } }])(
  '%j is that scope',
  async (options) => {
    const host = createHost();
    host.registerScoped('a', { PreToolUse: [{ hooks: [() => deny('not here')] }] });
    expect(await host.fire('PreToolUse', CALL, options as FireOptions)).toMatchObject({ verdict: 'deny' });
  },
);
