import { describe, expect, it } from 'vitest';
import { until } from '../../host/kit.js';
import { ENDS, type End } from './ends.js';
import { request, success } from './puppet.js';

/** More than a host writes in a minute. */
const MANY = 150;
const line = (message: unknown): string => `${JSON.stringify(message)}\n`;

/** Ways to be a nuisance, each line another one. */
const NUISANCES: Readonly<Record<string, (i: number) => string>> = {
  bad_json: (i) => `no json ${i}\n`,
  bad_message: (i) => line([i]),
  too_long: (i) => `${'x'.repeat(20_001 + i)}\n`,
  unexpected_response: (i) => line(success(`nobody ${i}`, {})),
};

/** What only a server is told: hooks. */
const names = Array.from({ length: MANY }, (_, i) => i);
const ofServers: Readonly<Record<string, unknown>> = {
  unknown_event: Object.fromEntries(names.map((i) => [`NoSuch${i}`, [{ hookCallbackIds: ['a'] }]])),
  failed: { PreToolUse: names.map((i) => ({ matcher: `(${i}`, hookCallbackIds: ['a'] })) },
};

async function stillHeard({ host, reports }: End): Promise<void> {
  const before = reports.length;
  const broken = (): never => {
    throw new Error('heard');
  };
  host.register({ UserPromptSubmit: [{ hooks: [broken] }] });
  await host.fireAny('UserPromptSubmit', { prompt: 'x' });
  expect(reports.slice(before)).toEqual([expect.stringContaining('heard')]);
}

describe.each(Object.entries(ENDS))('a flood of nonsense to the %s', (which, makeEnd) => {
  it('is a line of the logger for each kind, and hides nothing else', async () => {
    const end = await makeEnd({ maxLine: 20_000 });
    const kinds = Object.keys(NUISANCES);
    for (const nuisance of Object.values(NUISANCES))
      await end.peer.order({ write: [names.map((i) => nuisance(i)).join('')] });
    if (which === 'server') {
      for (const [kind, hooks] of Object.entries(ofServers)) {
        await end.peer.ask(kind, { subtype: 'initialize', hooks });
        kinds.push(kind);
      }
    }
    const told = (kind: string): number => end.problems().filter((problem) => problem === kind).length;
    await until(() => kinds.every((kind) => told(kind) >= 100));
    expect(kinds.map(told)).toEqual(kinds.map(() => 100));
    expect(end.reports.map((text) => /\((\w+)\)$/.exec(text)?.[1]).sort()).toEqual([...kinds].sort());
    await stillHeard(end);
    await end.host.close();
    for (const kind of kinds) expect(end.reports).toContainEqual(expect.stringMatching(`${kind}.*(99|100) more times`));
  });

  it('of requests under one id as well', async () => {
    const end = await makeEnd();
    await end.peer.order({ write: [names.map(() => line(request('r', end.request('slow')))).join('')] });
    await until(() => end.problems().length >= 100);
    expect(end.reports).toEqual([expect.stringMatching(/\(duplicate_request\)$/)]);
    await stillHeard(end);
    end.release();
  });
});
