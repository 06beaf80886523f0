import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { outputShape } from '../../src/events/output/shape.js';
import type { EventSpec } from '../../src/events/spec.js';
import { servicesOf } from '../../src/host/internals.js';
import {
  addContext,
  block,
  createHost,
  type Decision,
  deny,
  type FireRecord,
  type HookEvent,
  type Hooks,
  type Host,
  rewrite,
  rule,
  stop,
} from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { payload } from '../../src/testing.js';
import { generated, randomFrom, SEED } from '../seed.js';
import { all } from './all.js';
import { bash, hostOf, lived } from './kit.js';

const SPECS = servicesOf(createHost()).events;
const specOf = (event: HookEvent): EventSpec => SPECS[event]?.spec as EventSpec;

type Output = Record<string, unknown>;
const own = (fields: Output) => ({ hookSpecificOutput: fields });

/** Everything of which an event reads something, each with a word of its own. */
function outputsOn(spec: EventSpec, word: string): readonly Output[] {
  const { hasContext, extras, value, specific } = outputShape(spec);
  const outputs: Output[] = [{}, { continue: false, stopReason: word }, { systemMessage: word }];
  if (specific.has('permissionDecision'))
    for (const permissionDecision of ['deny', 'allow', 'ask'])
      outputs.push(own({ permissionDecision, permissionDecisionReason: word }));
  if (spec.nestedDecision)
    outputs.push(
      own({ decision: { behavior: 'deny', message: word } }),
      own({ decision: { behavior: 'deny', message: word, interrupt: true } }),
      own({ decision: { behavior: 'allow', updatedInput: { command: word } } }),
    );
  else outputs.push({ decision: 'block', reason: word });
  if (hasContext)
    outputs.push(own({ additionalContext: word }), { decision: 'block', ...own({ additionalContext: word }) });
  const texts = { retry: true, suppressOriginalPrompt: true, reloadSkills: true, watchPaths: [`/${word}`] } as Output;
  for (const key of extras) if (!spec.nestedDecision) outputs.push(own({ [key]: texts[key] ?? word }));
  for (const key of value)
    outputs.push(own({ [key]: key === 'content' ? { word } : key === 'action' ? 'accept' : word }));
  if (spec.rewrites && !spec.nestedDecision)
    outputs.push(own({ [spec.rewrites.keys[0] as string]: spec.fold === 'gate' ? { command: word } : word }));
  if (spec.hides !== undefined) outputs.push({ suppressOutput: true });
  return outputs;
}

/** What the agent is given: the decision on the wire. `why`: with the reason of what is refused, and with what is for people. */
function given(decision: Decision<HookEvent>, spec: EventSpec, why: boolean): unknown {
  const wire = structuredClone(decision.toJSON()) as Output & { hookSpecificOutput?: Output };
  const inner = wire.hookSpecificOutput ?? {};
  const { verdict, blocked, suppressOutput } = decision as {
    verdict?: string;
    blocked?: boolean;
    suppressOutput: boolean;
  };
  if (verdict === 'deny') delete inner['updatedInput'];
  if (!suppressOutput || spec.hides === undefined) delete wire['suppressOutput'];
  if (why) return wire;
  delete wire['systemMessage'];
  if (verdict === 'deny') {
    delete inner['permissionDecisionReason'];
    delete (inner['decision'] as Output | undefined)?.['message'];
  }
  if (blocked && !spec.afterTheFact) delete wire['reason'];
  return wire;
}

interface Case {
  readonly old: Hooks;
  readonly now: Hooks;
  readonly told: string;
}

/** A hook with known words, another that comes to it, in any order. */
function caseOf(event: HookEvent, random: () => number): Case {
  const spec = specOf(event);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const [known, more] = [pick(outputsOn(spec, 'known')), pick(outputsOn(spec, 'more'))];
  const mode = pick(['series', 'parallel']);
  const hookOf = (name: string, said: Output) => ({ name, mode, hooks: [() => said] });
  const [first, second] = [hookOf('known', known), hookOf('more', more)];
  const both = pick([
    [first, second],
    [second, first],
  ]);
  const told = `${event}, ${mode}: ${both.map(({ name }) => `${name} says ${JSON.stringify(name === 'known' ? known : more)}`).join(', ')}`;
  return { old: { [event]: [first] } as Hooks, now: { [event]: both } as Hooks, told };
}

const inputOf = (event: HookEvent): object =>
  (payload as unknown as Record<string, () => object>)[`${event.charAt(0).toLowerCase()}${event.slice(1)}`]?.() ?? {};

async function decided(
  hooks: Hooks,
  event: HookEvent,
): Promise<{ decision: Decision<HookEvent>; fires: FireRecord[] }> {
  const host = hostOf(hooks, { onFailure: 'continue' });
  const fires: FireRecord[] = [];
  host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
  const decision = await host.fireAny(event, inputOf(event) as never);
  await host.close();
  return { decision: decision as Decision<HookEvent>, fires };
}

const CASES = generated(12);

describe.each(HOOK_EVENTS.map((event, i) => [event, i] as const))('on %s', (event, i) => {
  const spec = specOf(event);

  test('what is said to be as it was is the same to the agent: a hook that was never asked, and one that is called', async () => {
    const random = randomFrom(SEED * 100 + i);
    for (let n = 0; n < CASES; n++) {
      const { old, now, told } = caseOf(event, random);
      const [was, is] = [await decided(old, event), await decided(now, event)];
      const hosts = [hostOf(now), hostOf(old)] as const;
      const ways = [
        [false, {}],
        [false, { against: hosts[1] }],
        [true, { runCallbacks: true }],
      ] as const;
      for (const [why, how] of ways) {
        const [found] = await all(replay(hosts[0], was.fires, how));
        const isSame = isDeepStrictEqual(given(was.decision, spec, why), given(is.decision, spec, why));
        if (found?.changed === undefined) expect([told, isSame]).toEqual([told, true]);
        // With everything known, a change is one, of whatever is told.
        else if (why && isSame) expect([told, found.changed]).toEqual([told, 'said']);
        if (found?.changed === 'denied' && !why) expect([told, wordIn(is.decision)]).toEqual([told, 'deny']);
      }
      for (const host of hosts) await host.close();
    }
  });
});

const wordIn = (decision: object): string => {
  const { verdict, blocked, continues, continue: goesOn } = decision as Record<string, unknown>;
  return verdict === 'deny' || blocked || continues || (goesOn === false && verdict === undefined) ? 'deny' : 'other';
};

describe('a hook of which no answer was recorded may be what flips or extends a decision', () => {
  const CALL = { ...bash('ls'), tool_response: 'o' };
  const never = () => stop('end');
  test.each<[event: HookEvent, input: object, known: unknown]>([
    ['Stop', { stop_hook_active: false }, () => block('run the tests')],
    ['SubagentStop', { stop_hook_active: false, agent_id: 'a1', agent_type: 'x' }, () => block('run the tests')],
    ['UserPromptSubmit', { prompt: 'p' }, () => block('no')],
    ['UserPromptExpansion', payload.userPromptExpansion(), () => block('no')],
    ['PreToolUse', CALL, rule('deny', 'no')],
    ['PostToolUse', CALL, () => block('bad')],
    ['PostToolBatch', payload.postToolBatch(), () => block('bad')],
    ['TaskCompleted', payload.taskCompleted(), () => block('bad')],
    ['TeammateIdle', payload.teammateIdle(), () => block('bad')],
  ])('on %s', async (event, input, known) => {
    const { fires } = await lived(hostOf({ [event]: [{ name: 'known', hooks: [known] }] } as Hooks), [event, input]);
    for (const hooks of [
      [known, never],
      [never, known],
    ]) {
      const now = {
        [event]: hooks.map((hook, at) => ({ name: hook === known ? 'known' : `new${at}`, hooks: [hook] })),
      };
      const old = hostOf({ [event]: [{ name: 'known', hooks: [known] }] } as Hooks);
      const host = hostOf(now as Hooks);
      const [since] = await all(replay(host, fires));
      const [between] = await all(replay(host, fires, { against: old }));
      expect([since, between].map((found) => [found?.changed, found?.by?.name?.slice(0, 3)])).toEqual([
        ['unknown', 'new'],
        ['unknown', 'new'],
      ]);
    }
  });
});

test('a list that a later hook adds to is not settled by it', async () => {
  for (const event of ['CwdChanged', 'FileChanged'] as const) {
    const known = () => own({ watchPaths: ['/known'] });
    const { fires } = await lived(hostOf({ [event]: [{ name: 'known', hooks: [known] }] } as Hooks), [
      event,
      inputOf(event),
    ]);
    for (const hooks of [
      [() => own({ watchPaths: ['/more'] }), known],
      [known, () => own({ watchPaths: ['/more'] })],
    ]) {
      const now = {
        [event]: hooks.map((hook) => ({
          name: hook === known ? 'known' : 'more',
          mode: 'parallel',
          hooks: [hook],
        })),
      };
      expect((await all(replay(hostOf(now as Hooks), fires))).map(({ changed }) => changed)).toEqual(['unknown']);
    }
  }
});

describe('beside a block after the fact', () => {
  const SECRET = { ...bash('ls'), tool_name: 'mcp__a__b', tool_response: 'secret' };
  const mask = () => rewrite('masked');
  const on = (...hooks: (readonly [string, unknown])[]): Hooks =>
    ({ PostToolUse: hooks.map(([name, hook]) => ({ name, mode: 'parallel', hooks: [hook] })) }) as Hooks;
  const replayed = async (old: Hooks, now: Hooks) => {
    const { fires } = await lived(hostOf(old), ['PostToolUse', SECRET]);
    const [found] = await all(replay(hostOf(now), fires));
    return [found?.changed, found?.by?.name];
  };

  test.each<[string, () => unknown]>([
    ['a block', () => block('look')],
    ['an end of the loop', () => stop('enough')],
  ])('the output that the model gets counts: %s', async (_, says) => {
    const masks = ['mask', mask] as const;
    const speaks = ['speaks', says] as const;
    expect(await replayed(on(speaks, masks), on(speaks))).toEqual(['rewritten', 'mask']);
    expect(await replayed(on(speaks), on(speaks, masks))).toEqual(['unknown', 'mask']);
  });

  test('a session’s model gets the secret without the mask', async () => {
    const model = async (hooks: Hooks) => {
      const host: Host = hostOf(hooks);
      const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
      const { content } = await session.tool({ name: 'mcp__a__b', input: {}, execute: () => 'secret' });
      await host.close();
      return JSON.stringify(content);
    };
    const speaks = ['speaks', () => block('look')] as const;
    expect(await model(on(speaks, ['mask', mask]))).not.toContain('secret');
    expect(await model(on(speaks))).toContain('secret');
  });
});

test('a call that is denied runs with no input, rewritten or not; what the model is told beside it counts', async () => {
  const denies = ['denies', () => deny('no')] as const;
  const on = (...hooks: (readonly [string, unknown])[]): Hooks =>
    ({ PreToolUse: hooks.map(([name, hook]) => ({ name, hooks: [hook] })) }) as Hooks;
  const { fires } = await lived(
    hostOf(on(['context', () => addContext('c')], ['rewrites', () => rewrite({ command: 'x' })], denies)),
    ['PreToolUse', bash('ls')],
  );
  const replayed = async (...hooks: (readonly [string, unknown])[]) => {
    const [found] = await all(replay(hostOf(on(...hooks)), fires, { runCallbacks: true }));
    return [found?.changed, found?.by?.name];
  };
  expect(await replayed(['context', () => addContext('c')], denies)).toEqual([undefined, undefined]);
  expect(await replayed(denies)).toEqual(['said', 'context']);
});
