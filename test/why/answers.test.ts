import { describe, expect, test } from 'vitest';
import { answersIn } from '../../src/emit/reading/answers.js';
import type { FireRecord } from '../../src/emit/record.js';
import { allow, ask, createHost, deny, rewrite } from '../../src/index.js';
import { answerFor } from '../../src/why/answer.js';
import { generated, randomFrom, SEED } from '../seed.js';

const FIELD: Readonly<Record<string, string>> = {
  PreToolUse: 'tool_input',
  PermissionRequest: 'tool_input',
  PostToolUse: 'tool_response',
};

interface Kind {
  readonly parallel?: true;
  readonly phases?: true;
  readonly scopes?: true;
  readonly enforce?: true;
}

/** What a hook was given each time, and what it made of that. */
interface Asked {
  readonly given: unknown;
  made?: unknown;
}

const json = (value: unknown): string => JSON.stringify(value ?? null);
/** By the command in it. */
const commandIn = (given: unknown): string => (given as { command: string }).command;

/** A fire with hooks of all sorts: its records, and what each hook was really given. */
async function someFire(event: string, { parallel, phases, scopes, enforce }: Kind, random: (below: number) => number) {
  const host = createHost({ logger: () => undefined });
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(JSON.parse(JSON.stringify(record)) as FireRecord);
  });
  const truth = new Map<string, Asked[]>();
  const count = 2 + random(4);
  const hook = (name: string) => {
    const [sort, always, part, late] = [random(7), random(3), random(3), random(3)];
    const asked: Asked[] = [];
    truth.set(name, asked);
    const answer = (given: unknown, entry: Asked): unknown => {
      const command = commandIn(given);
      if (sort <= 2) {
        if ((command.includes(name) && always > 0) || command.length > 40) return undefined;
        entry.made = { command: always === 0 ? `${command.slice(0, 1 + part)}${name}` : `${command} ${name}` };
        return rewrite(entry.made as never);
      }
      const isHit = command.length % 3 === part;
      if (sort === 6 && isHit) throw new Error('no');
      if (event === 'PostToolUse' || !isHit) return undefined;
      if (sort === 3) return deny('no');
      if (sort === 4 && event === 'PreToolUse') return ask('sure?');
      return sort === 5 ? allow() : undefined;
    };
    return {
      name,
      handler: async (input: object) => {
        const given: unknown = JSON.parse(JSON.stringify((input as Record<string, unknown>)[FIELD[event] as string]));
        const entry: Asked = { given };
        asked.push(entry);
        if (parallel) for (let i = 0; i < late; i++) await null;
        return answer(given, entry) as never;
      },
    };
  };
  for (let i = 0; i < count; ) {
    const size = parallel ? 1 + random(3) : 1;
    const group = {
      hooks: Array.from({ length: Math.min(size, count - i) }, () => hook(`h${i++}`)),
      ...(parallel ? { mode: 'parallel' } : {}),
      ...(phases ? { phase: ['decide', 'rewrite', 'observe', 'decide'][random(4)] } : {}),
      ...(enforce && random(4) === 0 ? { enforce: false } : {}),
    };
    (scopes && random(2) ? host.scope({ session: 's1' }) : host).register({ [event]: [group] } as never);
  }
  const input = { session_id: 's1', tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: 't' };
  await host.fire(
    event as 'PreToolUse',
    (event === 'PostToolUse' ? { ...input, tool_response: { command: 'x' } } : input) as never,
  );
  await host.close();
  return { records, truth };
}

const KINDS: readonly (readonly [string, Kind])[] = ['PreToolUse', 'PermissionRequest', 'PostToolUse'].flatMap(
  (event) =>
    [
      {},
      { parallel: true },
      { phases: true },
      { phases: true, scopes: true },
      { parallel: true, phases: true },
      { scopes: true, parallel: true },
      { enforce: true },
      { parallel: true, phases: true, scopes: true, enforce: true },
    ].map((kind) => [event, kind as Kind] as const),
);

describe('the answers that are read from a record say what each hook was given, and made of that', () => {
  test.each(KINDS)('%s %j', async (event, kind) => {
    const random = randomFrom(SEED);
    let compared = 0;
    for (let n = 0; n < generated(60); n++) {
      const { records, truth } = await someFire(event, kind, (below) => Math.floor(random() * below));
      for (const record of records) {
        const found = answersIn(record);
        answerFor(record, { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] });
        for (const { id, name, status } of record.handlers) {
          const asked = truth.get(name) as Asked[];
          const answers = found.get(id) ?? [];
          // Hooks that are not enforced are told of in their own record, the others in the first.
          if (status === 'skipped' || answers.length !== asked.length) continue;
          for (const [i, { given, rewrite: read }] of answers.entries()) {
            const one = asked[i] as Asked;
            const gave = json(one.given);
            if (json(given) !== gave) expect(json(given), `${name} of ${json(record)}`).toBe(gave);
            compared += one.made === undefined ? 0 : 1;
            const made = json(one.made) === gave ? json(undefined) : json(one.made);
            if (json(read?.value) !== made) expect(json(read?.value), `${name} of ${json(record)}`).toBe(made);
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(10);
  });
});
