import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import type { ScopeRef } from '../../src/scopes/tree.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, watch } from './kit.js';

const AGENTS = ['A', 'B', 'C'] as const;
const EVENTS = ['PreToolUse', 'SubagentStop'] as const;
const session = fc.option(fc.constantFrom('s1', 's2'), { nil: undefined });
const agent = fc.option(fc.constantFrom(...AGENTS), { nil: undefined });

type Step =
  | { readonly do: 'register'; readonly session: string | undefined; readonly agent: string | undefined }
  | { readonly do: 'child'; readonly session: string | undefined; readonly agent: string; readonly parent: string }
  | { readonly do: 'spawnHooks'; readonly type: string }
  | {
      readonly do: 'ask';
      readonly event: (typeof EVENTS)[number];
      readonly session: string | undefined;
      readonly agent: string | undefined;
      readonly type: string | undefined;
    };
const type = fc.constantFrom('worker', 'reviewer');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('register' as const), session, agent }),
  fc.record({
    do: fc.constant('child' as const),
    session,
    agent: fc.constantFrom(...AGENTS),
    parent: fc.constantFrom(...AGENTS),
  }),
  fc.record({ do: fc.constant('spawnHooks' as const), type }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      event: fc.constantFrom(...EVENTS),
      session,
      agent,
      type: fc.option(type, { nil: undefined }),
    }),
  },
);

const defined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

describe.each(['lineage', 'all'] as const)('merge: %s', (merge) => {
  test.each([undefined, 's1'])(
    'explain says of a call that nobody has made yet what its fire does (session of the host: %s)',
    async (own) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
          const host = createHost({
            merge,
            logger: () => undefined,
            ...(own === undefined ? {} : { session: { session_id: own } }),
          });
          const seen = watch(host);
          let count = 0;
          const hooks = () => {
            const name = `h${count++}`;
            const hook = { handler: () => undefined, name };
            return anyHooks({
              PreToolUse: [{ hooks: [hook] }],
              Stop: [{ hooks: [hook] }],
              SubagentStop: [{ hooks: [hook] }],
            });
          };
          for (const next of steps) {
            if (next.do === 'spawnHooks') host.spawnHooks(next.type, hooks());
            else if (next.do === 'register')
              host.scope(defined({ session: next.session, agent: next.agent }) as ScopeRef).register(hooks());
            else if (next.do === 'child') {
              const ref = defined({ session: next.session, agent: next.agent }) as ScopeRef;
              const parent = defined({ session: next.session, agent: next.parent }) as ScopeRef;
              try {
                host.registerScoped(ref, hooks(), { parent });
              } catch {
                // There is no such parent, or it has another.
              }
            } else {
              const { session: session_id, agent: agent_id, type: agent_type } = next;
              const more = defined({ session_id, agent_id, agent_type: agent_id && agent_type });
              const { [next.event]: usual } = INPUTS as unknown as Record<string, object>;
              const { session_id: _, agent_id: __, agent_type: ___, ...rest } = usual as Record<string, unknown>;
              const input = { ...rest, ...(agent_id ? { agent_type: 'other' } : {}), ...more };
              const explained = host.explain(next.event, input as never);
              await host.fireAny(next.event, input);
              const record = fires(seen).at(-1);
              const ran = record?.handlers.filter(({ status }) => status === 'ran');
              expect(explained.hooks.filter(({ runs }) => runs).map(({ name, scope }) => `${name} ${scope}`)).toEqual(
                ran?.map(({ name, scope }) => `${name} ${scope}`),
              );
              const among = explained.hooks
                .filter(({ reason }) => reason !== 'scope')
                .map(({ name, scope }) => `${name} ${scope}`);
              expect(among.sort()).toEqual(record?.handlers.map(({ name, scope }) => `${name} ${scope}`).sort());
            }
          }
          await host.close();
        }),
        { numRuns: generated(150) },
      );
    },
  );
});
