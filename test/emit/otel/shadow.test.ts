import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHost } from '../../../src/create-host.js';
import type { HookRecord } from '../../../src/emit/record.js';
import { NAME } from '../../../src/emit/sinks/otel/names.js';
import { otelSink } from '../../../src/emit/sinks/otel.js';
import { deny, rewrite } from '../../../src/events/output/helpers.js';
import { telemetry } from './kit.js';

const { providers, spans, points, reset, register, end } = telemetry();
beforeAll(register);
afterAll(end);

test('what is not enforced has its verdict and no action, and is no denial: while it happens, and from records alone', async () => {
  const sink = otelSink(providers);
  const records: HookRecord[] = [];
  const host = createHost({ logger: () => undefined, tracing: sink });
  host.events$.subscribe((record) => records.push(record));
  host.register({
    PreToolUse: [
      { enforce: false, name: 'guard', hooks: [() => deny('No.')] },
      { enforce: false, name: 'limiter', hooks: [() => rewrite({ command: 'true' })] },
    ],
  });
  await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' });
  await host.close();
  await sink.close();
  const told = () =>
    spans().map(({ name, attributes: of }) => [
      name,
      of[NAME.shadow],
      of[NAME.ownVerdict],
      of[NAME.verdict],
      of[NAME.action],
    ]);
  const ofFires = [
    ['hook PreToolUse', undefined, 'none', undefined, undefined],
    ['hook PreToolUse', true, 'deny', undefined, undefined],
    ['hook PreToolUse', true, 'none', undefined, undefined],
  ];
  expect(told()).toHaveLength(5);
  expect(told()).toEqual(
    expect.arrayContaining([
      ...ofFires,
      ['run_guardrail guard', true, 'deny', 'deny', undefined],
      ['run_guardrail limiter', true, 'none', 'modify', undefined],
    ]),
  );
  expect(spans().find(({ name }) => name.endsWith('limiter'))?.attributes[NAME.modified]).toBe(false);
  const counted = await points();
  expect(counted.filter(({ name }) => name === 'hookscope.denials')).toEqual([]);
  expect(
    counted.filter(({ name }) => name === 'hookscope.runs').map(({ attributes }) => attributes[NAME.shadow]),
  ).toEqual([true, true]);
  reset();
  const later = otelSink(providers);
  for (const record of records) later.push(record);
  await later.close();
  expect(told()).toHaveLength(5);
  expect(told()).toEqual(expect.arrayContaining(ofFires));
  expect((await points()).filter(({ name }) => name === 'hookscope.denials')).toEqual([]);
});
