import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CATALOGUE, createHost, defineEvent } from '../../src/index.js';
import { zod } from '../../src/values/zod.js';

test("our zod is another instance than the user's, and the schemas of both work together", async () => {
  expect(zod()).toBe((createRequire(import.meta.url)('zod') as { z: unknown }).z);
  expect(zod()).not.toBe(z);
  const { input } = CATALOGUE.PreToolUse;
  expect(input).toBeInstanceOf(z.ZodObject);
  expect(input.shape.tool_name).toBeInstanceOf(z.ZodString);
  // What our instance says about a schema is known to the user's.
  expect(z.toJSONSchema(input).properties?.['permission_mode']).toMatchObject({
    examples: expect.arrayContaining(['plan']),
  });
  const more = input.extend({ build: z.number().min(1) });
  const call = {
    session_id: 's',
    transcript_path: '',
    cwd: '/',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: {},
  };
  expect(more.safeParse({ ...call, build: 1 }).success).toBe(true);
  expect(more.safeParse({ ...call, build: 0 }).error?.issues).toMatchObject([{ path: ['build'], code: 'too_small' }]);

  const host = createHost({
    events: {
      Deploy: defineEvent({
        input: z.object({ to: z.enum(['test', 'live']) }),
        output: z.object({ note: z.string().optional() }),
        fold: 'gate',
      }),
    },
  });
  host.register({ Deploy: [{ hooks: [() => ({ hookSpecificOutput: { note: 'seen' } })] }] });
  await expect(host.fire('Deploy', { to: 'live' })).resolves.toMatchObject({ verdict: 'none' });
  await expect(host.fire('Deploy', { to: 'moon' as never })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await host.close();
});
