import { expect, test } from 'vitest';
import { z } from 'zod';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { defineEvent } from '../../src/events/own-event.js';
import { INPUTS } from './inputs.js';
import { anyHooks, testHost } from './kit.js';

test('an event that is named at run time is fired as any other', async () => {
  const { host } = testHost();
  const seen: string[] = [];
  for (const event of HOOK_EVENTS)
    host.register(
      anyHooks({ [event]: [{ hooks: [(i: { hook_event_name: string }) => void seen.push(i.hook_event_name)] }] }),
    );
  for (const event of HOOK_EVENTS) await host.fireAny(event, INPUTS[event]);
  expect(seen).toEqual([...HOOK_EVENTS]);
});

test('its decision has what the fold of the event adds', async () => {
  const { host } = testHost();
  host.register({
    PreToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'no' })] }],
    Stop: [{ hooks: [() => ({ decision: 'block', reason: 'on' })] }],
  });
  const gate = await host.fireAny('PreToolUse', INPUTS.PreToolUse);
  expect('verdict' in gate && gate.verdict).toBe('deny');
  const stop = await host.fireAny('Stop', INPUTS.Stop);
  expect('continues' in stop && stop.continues).toBe(true);
  expect('verdict' in stop).toBe(false);
});

test("it takes the scope of one agent, the caller's signal, and events of the host's own", async () => {
  const Deploy = defineEvent({ input: z.object({ target: z.string() }), fold: 'block' });
  const { host } = testHost({ events: { Deploy } });
  host.registerScoped('a', { Deploy: [{ hooks: [() => ({ decision: 'block' })] }] });
  expect(await host.fireAny('Deploy', { target: 'x' })).toMatchObject({ blocked: false });
  expect(await host.fireAny('Deploy', { target: 'x' }, { scope: 'a' })).toMatchObject({ blocked: true });
  const signal = AbortSignal.abort();
  await expect(host.fireAny('Deploy', { target: 'x' }, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
});

test('a wrong name and a wrong input are said as by fire', async () => {
  const { host } = testHost();
  host.register({ PreToolUse: [{ hooks: [() => undefined] }] });
  for (const name of ['PreToolUs', 'constructor', ['PreToolUse'], undefined, null]) {
    await expect(host.fireAny(name as string, {})).rejects.toMatchObject({ code: 'UNKNOWN_EVENT' });
    expect(() => host.explain(name as never, {})).toThrow(expect.objectContaining({ code: 'UNKNOWN_EVENT' }));
  }
  await expect(host.fireAny('PreToolUs', {})).rejects.toThrow('PreToolUse');
  await expect(host.fireAny('PreToolUse', { tool_name: 1 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});
