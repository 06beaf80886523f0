import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { command, type FireRecord } from '../../src/index.js';
import { opened } from './kit.js';

/** Bytes in every shape they come in. */
const KINDS = {
  Uint8Array: (b: Uint8Array) => b,
  Buffer: (b: Uint8Array) => Buffer.from(b),
  'a view of a part': (b: Uint8Array) => new Uint8Array([9, ...b, 9]).subarray(1, -1),
  Uint8ClampedArray: (b: Uint8Array) => Uint8ClampedArray.from(b),
  Int16Array: (b: Uint8Array) => Int16Array.from(b),
  Float64Array: (b: Uint8Array) => Float64Array.from(b),
  BigInt64Array: (b: Uint8Array) => BigInt64Array.from([...b].map(BigInt)),
  DataView: (b: Uint8Array) => new DataView(Uint8Array.from(b).buffer),
  ArrayBuffer: (b: Uint8Array) => Uint8Array.from(b).buffer,
  Blob: (b: Uint8Array) => new Blob([Uint8Array.from(b)]),
  File: (b: Uint8Array) => new File([Uint8Array.from(b)], 'a.bin', { lastModified: 0 }),
};
const kinds = Object.entries(KINDS);
const SOME = Uint8Array.from([1, 2, 3, 255]);

async function call(
  response: unknown,
  prepare: (host: Awaited<ReturnType<typeof opened>>['host']) => void = () => undefined,
) {
  const { host, session } = await opened();
  prepare(host);
  return session.tool({ name: 't', input: {}, execute: () => response });
}

/** A hook outside that hands back what it was given as the tool's response. */
const SAYS = `process.stdin.on("data", (data) => {
  const additionalContext = JSON.stringify(JSON.parse(data).tool_response);
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext } }));
})`;

/** What stands for them in JSON. */
const standIn = { type: expect.any(String) as string, bytes: expect.any(Number) as number };

describe.each(kinds)('a tool that answers with bytes: %s', (_, make) => {
  test.each([
    ['no hook', undefined],
    ['a hook in the process', () => undefined],
    ['a hook outside', command('cat > /dev/null')],
    [
      'a hook outside that adds context',
      command(`echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"seen"}}'`),
    ],
  ])('hands them to the caller as they are, with %s', async (_how, hook) => {
    for (const response of [make(SOME), { image: make(SOME), n: 1 }]) {
      const result = await call(response, (host) => {
        if (hook) host.register({ PostToolUse: [{ hooks: [hook] }] });
      });
      expect(result.status).toBe('ran');
      expect(result.response).toBe(response);
      expect(JSON.stringify(result.content)).not.toContain('withheld');
      const text = String(result.content).split('\n')[0] as string;
      const said: unknown = JSON.parse(text);
      expect(said).toMatchObject('image' in response ? { image: standIn, n: 1 } : standIn);
    }
  });

  test('shows hooks in the process bytes of their own, which they may read and not change', async () => {
    const response = make(SOME);
    let seen: unknown;
    await call(response, (host) =>
      host.on('PostToolUse', (input) => {
        seen = input.tool_response;
        expect(input.tool_response).toBe(seen);
        if (ArrayBuffer.isView(seen)) new Uint8Array(seen.buffer, seen.byteOffset, seen.byteLength).fill(0);
        else if (seen instanceof ArrayBuffer) new Uint8Array(seen).fill(0);
      }),
    );
    expect(Object.prototype.toString.call(seen)).toBe(Object.prototype.toString.call(response));
    expect(response).toEqual(make(SOME));
    if (seen instanceof Blob) expect(new Uint8Array(await seen.arrayBuffer())).toEqual(SOME);
  });

  test('has a stand-in in records and for hooks outside', async () => {
    const records: FireRecord[] = [];
    const { host, session } = await opened();
    host.events$.subscribe((record) => void (record.type === 'hook_fire' && records.push(record)));
    host.register({ PostToolUse: [{ hooks: [command(`node -e '${SAYS}'`)] }] });
    const { after } = await session.tool({ name: 't', input: {}, execute: () => make(SOME) });
    const outside: unknown = JSON.parse(String(after?.additionalContext[0]));
    expect(outside).toMatchObject(standIn);
    const record = records.find(({ event }) => event === 'PostToolUse');
    expect(record?.input).toMatchObject({ tool_response: outside });
    expect(record?.truncated).toBeUndefined();
  });
});

test('few bytes are there as base64, many are only counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const { content } = await call(bytes);
      expect(JSON.parse(String(content))).toEqual({
        type: 'Uint8Array',
        bytes: bytes.length,
        base64: Buffer.from(bytes).toString('base64'),
      });
    }),
    { numRuns: 20 },
  );
  const { content } = await call(new Uint8Array(100_000));
  expect(JSON.parse(String(content))).toEqual({ type: 'Uint8Array', bytes: 100_000 });
});

test('an input that holds bytes is refused, as before: nothing may run unjudged', async () => {
  const { session } = await opened();
  await expect(session.tool({ name: 't', input: { data: SOME }, execute: () => 'ran' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});
