import { equal, fail, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { createHost } from '../create-host.js';
import { isHookscopeError } from '../errors.js';
import type { Decision } from '../host/types.js';
import type { LateEnd } from './background.js';
import {
  type CaseOf,
  type ContractInput,
  hasHooks,
  hooksOf,
  onStage,
  type PluginUnderTest,
  type Stage,
  shortValue,
} from './contract-run.js';
import { oddInputs } from './odd-inputs.js';
import { SAMPLES } from './samples.js';
import { noLogger } from './tested.js';

const refuses = (decision: Decision): boolean =>
  ('verdict' in decision && decision.verdict === 'deny') || ('blocked' in decision && decision.blocked);

/** A text for each hook of the plugin that failed. */
function failures({ last, late }: Stage): string[] {
  const background = late().map(({ row: { name }, response: { failure } }) => ({ name, failure }));
  return [...last().handlers, ...background].flatMap(({ name, failure }) =>
    failure ? [`${name} failed (${failure.cause}): ${failure.message}`] : [],
  );
}

/** The fields of the decision when no hook is registered. */
async function silence([event, input]: ContractInput, { host: given }: PluginUnderTest): Promise<object> {
  const host = createHost({ logger: noLogger, ...given });
  try {
    return { ...(await host.fireAny(event, { ...structuredClone(SAMPLES[event]), ...input })) };
  } finally {
    await host.close();
  }
}

/** A text for each field in which a decision differs from one without hooks. */
function differing(decision: object, silent: object): string[] {
  const { failures = [], ...rest } = decision as { readonly failures?: Decision['failures'] };
  const words = Object.entries(rest)
    .filter(([key, value]) => !isDeepStrictEqual(value, Reflect.get(silent, key)))
    .map(([key, value]) => `${key} ${shortValue(value)}`);
  return [...failures.map(({ name, cause, message }) => `${name} failed (${cause}): ${message}`), ...words];
}

const ofHook = ({ name, verdict }: { readonly name: string; readonly verdict?: string }): string =>
  `${name} says ${verdict}`;

const ofLate = ({ row: { name }, response: { output, failure } }: LateEnd): string =>
  failure
    ? `${name} failed (${failure.cause}): ${failure.message}`
    : `${name} says in the background ${shortValue(output)}`;

/** The fields of a decision that must be equal for equal inputs. */
function essence(decision: Decision): unknown {
  const { reason, updatedInput, updatedOutput, additionalContext } = decision;
  const { verdict, blocked, continues } = decision as { verdict?: string; blocked?: boolean; continues?: boolean };
  return { reason, updatedInput, updatedOutput, additionalContext, verdict, blocked, continues };
}

export async function mustDeny(stage: Stage, asked: ContractInput, when: string): Promise<void> {
  const decision = await stage.fire(asked);
  ok(refuses(decision), `${asked[0]} ${shortValue(asked[1])} was not denied ${when}`);
}

/** Cases about the plugin's answers. */
export const ANSWER_CASES: readonly CaseOf[] = [
  {
    name: 'has hooks',
    run: (under) => onStage(under, async ({ host }) => ok(hasHooks(host), 'the plugin registers no hooks')),
  },
  {
    name: 'survives odd inputs: no hook throws, or answers what is no answer',
    run: (under) =>
      onStage(under, async (stage) => {
        for (const [event, agent] of stage.asked) {
          for (const odd of oddInputs(event)) {
            const input = { ...odd, ...agent };
            try {
              await stage.fire([event, input]);
            } catch (error) {
              // The event's schema rejects this input, so no hook ever gets it.
              if (isHookscopeError(error) && error.code === 'INVALID_INPUT') continue;
              throw error;
            }
            await stage.settled();
            const wrong = failures(stage)[0];
            if (wrong !== undefined) fail(`${event} ${shortValue(input)}: ${wrong}`);
            const warned = stage.last().handlers.flatMap(({ warnings = [] }) => warnings)[0];
            if (warned !== undefined) fail(`${event} ${shortValue(input)}: ${warned}`);
          }
        }
      }),
  },
  {
    name: 'says the same of the same input when it is asked again',
    run: (under) =>
      onStage(under, async (stage) => {
        const asked = [...stage.events.map((event): ContractInput => [event]), ...under.denies, ...under.passes];
        for (const one of asked) {
          const first = essence(await stage.fire(one));
          const again = essence(await stage.fire(one));
          // A hook with `once` does not answer a second time.
          if (stage.last().handlers.some(({ reason }) => reason === 'once')) continue;
          ok(
            isDeepStrictEqual(first, again),
            `${one[0]} ${shortValue(one[1])}: first ${shortValue(first)}, then ${shortValue(again)}`,
          );
        }
      }),
  },
  {
    name: 'has nothing to add to what it has rewritten itself',
    run: (under) =>
      onStage(under, async (stage) => {
        for (const event of stage.events) {
          const { updatedInput } = await stage.fire([event]);
          if (updatedInput === undefined) continue;
          const again = await stage.fire([event, { tool_input: updatedInput }]);
          ok(
            again.updatedInput === undefined || isDeepStrictEqual(again.updatedInput, updatedInput),
            `${event}: ${shortValue(updatedInput)} became ${shortValue(again.updatedInput)}`,
          );
        }
      }),
  },
  {
    name: 'judges what a call has become, not what it was under the same id',
    about: ['denies', 'passes'],
    run: (under) =>
      onStage(under, async (stage) => {
        for (const bad of under.denies) {
          for (const good of under.passes.filter(([event]) => event === bad[0])) {
            const id = { tool_use_id: 'toolu_same' };
            await stage.fire([good[0], { ...good[1], ...id }]);
            await mustDeny(stage, [bad[0], { ...bad[1], ...id }], 'after another input under the same tool_use_id');
          }
        }
      }),
  },
  {
    name: 'denies what it must: alone, among a hundred, for an agent, with fields it does not know',
    about: ['denies'],
    run: (under) =>
      onStage(under, async (stage) => {
        for (const [event, input] of under.denies) {
          await mustDeny(stage, [event, input], '');
          await mustDeny(stage, [event, { ...input, agent_id: 'agent-1', agent_type: 'worker' }], 'for an agent');
          await mustDeny(stage, [event, { ...input, added_later: { a: [1] } }], 'with a field it does not know');
          const many = await Promise.all(Array.from({ length: 100 }, () => stage.fire([event, input])));
          equal(
            many.filter((one) => !refuses(one)).length,
            0,
            `${event} ${shortValue(input)}: let through among a hundred`,
          );
        }
      }),
  },
  {
    name: 'denies what it must though another hook allows it',
    about: ['denies'],
    run: async (under) => {
      for (const [event, input] of under.denies) {
        const allow = () => ({ hookSpecificOutput: { hookEventName: event, permissionDecision: 'allow' } });
        await onStage(under, (stage) => mustDeny(stage, [event, input], 'beside a hook that allows'), {
          [event]: [{ hooks: [allow] }],
        });
      }
    },
  },
  {
    name: 'lets through what it must, without a word',
    about: ['passes'],
    run: (under) =>
      onStage(under, async (stage) => {
        for (const asked of under.passes) {
          const decision = await stage.fire(asked);
          const said = stage.last().handlers.filter(({ verdict = 'none' }) => verdict !== 'none');
          await stage.settled();
          const late = stage.late().filter(({ response, spoke }) => spoke || response.failure !== undefined);
          const added = [
            ...differing({ ...decision }, await silence(asked, under)),
            ...said.map(ofHook),
            ...late.map(ofLate),
          ];
          ok(added.length === 0, `${asked[0]} ${shortValue(asked[1])}: ${added.join('; ')}`);
        }
      }),
  },
  {
    name: 'where it can stop a call, it does not let it through when it fails',
    about: ['denies'],
    run: (under) =>
      onStage(under, async ({ host }) => {
        const judged = under.denies.map(([event]) => event as string);
        const guards = hooksOf(host).filter(({ failsOpen, event }) => failsOpen && judged.includes(event));
        const names = guards.map(({ name, event }) => `${name} on ${event}`).join(', ');
        ok(guards.length === 0, `${names}: a guard whose onFailure is 'continue'; say onFailure: 'block'`);
      }),
  },
];
