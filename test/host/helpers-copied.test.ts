import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { addContext, allow, ask, block, combine, defer, deny, rewrite, stop } from '../../src/events/output/helpers.js';
import { mcpTool } from '../../src/handlers/mcp/spec.js';
import { validateOutput } from '../../src/plugins/validate.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fireAny, testHost, watch } from './kit.js';

/** Through a worker's port, as `postMessage` does it. */
function posted(value: unknown): unknown {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const message: unknown = receiveMessageOnPort(port2)?.message;
  port1.close();
  return message;
}

/** An answer that is known by its JSON alone. */
class Printed {
  readonly #said: unknown;

  constructor(said: unknown) {
    this.#said = said;
  }

  toJSON(): unknown {
    return this.#said;
  }
}

const partsPrinted = (answer: object): object =>
  Object.fromEntries(Object.entries(answer).map(([key, said]) => [key, new Printed(said)]));

/** What a program may do to a helper's answer before it hands it back. */
const WAYS: Readonly<Record<string, (answer: object) => unknown>> = {
  'of a toJSON': (answer) => ({ toJSON: () => answer }),
  "of a class's toJSON": (answer) => new Printed(answer),
  'promised by a toJSON': async (answer) => new Printed(answer),
  'whose parts have a toJSON': partsPrinted,
  'of a toJSON, beside context': (answer) => new Printed({ ...answer, ...addContext('more') }),
  'combined, of a toJSON': (answer) => combine(new Printed(answer) as never, addContext('more') as never),
  'combined, of a class with keys': (answer) => combine(Object.assign(new Printed({}), { toJSON: 1 }, answer) as never),
  'as it is': (answer) => answer,
  cloned: (answer) => structuredClone(answer),
  'as JSON': (answer) => JSON.parse(JSON.stringify(answer)),
  'from a worker': posted,
  'spread before context': (answer) => ({ ...answer, ...addContext('more') }),
  'spread behind context': (answer) => ({ ...addContext('more'), ...answer }),
  'spread before a rewrite': (answer) => ({ ...answer, ...rewrite({ command: 'ls' }) }),
  assigned: (answer) => Object.assign({}, addContext('more'), answer),
  'cloned and spread': (answer) => ({ ...structuredClone(answer), systemMessage: 'told' }),
  combined: (answer) => combine(answer as ReturnType<typeof deny>, addContext('more') as never),
  'combined with an output': (answer) => combine(answer as ReturnType<typeof deny>, { systemMessage: 'told' } as never),
};

describe.each(Object.entries(WAYS))("a helper's answer, %s", (_, way) => {
  test.each([
    ['PreToolUse', deny('no'), { verdict: 'deny', reason: 'no' }],
    ['PreToolUse', block('no'), { verdict: 'deny', reason: 'no' }],
    ['PreToolUse', ask('sure?'), { verdict: 'ask', reason: 'sure?' }],
    ['PreToolUse', stop('enough'), { verdict: 'deny', reason: 'enough', continue: false }],
    ['PermissionRequest', deny('no'), { verdict: 'deny', reason: 'no' }],
    ['UserPromptSubmit', block('no'), { blocked: true, reason: 'no' }],
    ['Stop', block('go on'), { continues: true, reason: expect.stringContaining('go on') }],
  ] as const)('on %s is heard', async (event, answer, expected) => {
    for (const watched of [false, true]) {
      const { host } = testHost();
      if (watched) watch(host);
      host.register(anyHooks({ [event]: [{ hooks: [() => way(answer)] }] }));
      expect(await host.fire(event, INPUTS[event] as never)).toMatchObject(expected);
    }
  });

  test('from outside the program is heard, too', async () => {
    const { host, reports } = testHost({ callTool: async () => JSON.stringify(await way(deny('no'))) });
    host.register({ PreToolUse: [{ hooks: [mcpTool('s', 't')] }] });
    expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
      verdict: 'deny',
      reason: 'no',
      failures: [],
    });
    expect(reports).toEqual([]);
  });
});

test('all that is spread into one answer counts; of two verdicts the last', async () => {
  const { host } = testHost();
  const both = () => ({ ...deny('no'), ...addContext('since'), ...rewrite({ command: 'ls' }) });
  host.on('PreToolUse', both);
  expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
    verdict: 'deny',
    additionalContext: ['since'],
    updatedInput: { command: 'ls' },
  });
  const { host: other } = testHost();
  other.on('PreToolUse', () => ({ ...allow(), ...deny('no') }));
  expect((await other.fire('PreToolUse', INPUTS.PreToolUse)).verdict).toBe('deny');
});

describe("an answer is its JSON, of a helper's answer too", () => {
  const said = fc.constantFrom<object>(
    ...[deny('no'), allow(), ask('sure?'), defer('later'), block('no'), stop('enough'), stop()],
    ...[addContext('c'), rewrite({ command: 'ls' }), combine(deny('no'), addContext('c') as never), {}],
    ...[
      { ...deny('no'), hookSpecificOutput: { additionalContext: 'c' } },
      { decision: 'block', reason: 'no' },
    ],
    { hookSpecificOutput: { permissionDecision: 'deny' } },
  );
  const hidden = (value: unknown, at: readonly boolean[]): unknown => {
    const [here = false, ...below] = at;
    const isPlain = typeof value === 'object' && value !== null;
    const inner = isPlain
      ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hidden(part, below)]))
      : value;
    return here ? new Printed(inner) : inner;
  };

  test.each(HOOK_EVENTS)('on %s', async (event) => {
    const decided = async (answer: unknown) => {
      const { host } = testHost({ onFailure: 'block' });
      host.register(anyHooks({ [event]: [{ hooks: [() => answer] }] }));
      const { outcomes, ...decision } = await fireAny(host, event, INPUTS[event]);
      return { ...decision, outcomes };
    };
    await fc.assert(
      fc.asyncProperty(said, fc.array(fc.boolean(), { maxLength: 4 }), async (said, at) => {
        const answer = hidden(said, at);
        const now = await decided(answer);
        expect(now).toEqual(await decided(JSON.parse(JSON.stringify(answer))));
        expect(validateOutput(event, answer)).toEqual(validateOutput(event, JSON.parse(JSON.stringify(answer))));
      }),
      { numRuns: generated(40) },
    );
  });

  test('a toJSON is asked once', async () => {
    const { host, reports } = testHost();
    const twice = new Printed(Object.assign(new Printed(allow()), deny('no')));
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => twice] }] }));
    expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({ verdict: 'deny', failures: [] });
    expect(reports).toEqual([]);
  });

  test('one that says to go on in the background is obeyed', async () => {
    const { host, reports } = testHost();
    const later = new Printed({ async: true, result: Promise.resolve(addContext('late')) });
    host.register(anyHooks({ UserPromptSubmit: [{ hooks: [() => later] }] }));
    const seen = watch(host);
    await host.fire('UserPromptSubmit', INPUTS.UserPromptSubmit);
    await host.close();
    const fire = seen.find((record) => record.type === 'hook_fire');
    expect([fire?.handlers.map(({ status }) => status), reports]).toEqual([['background'], []]);
  });

  test.each<[string, () => unknown]>([
    ['throws', () => oops()],
    ['gives a text', () => 'deny'],
    ['gives a date', () => new Date(0)],
    ['gives a boxed text', () => Object('deny')],
    ['gives a list', () => [deny('no')]],
    ['gives nothing', () => undefined],
    ['gives a promise', () => Promise.resolve(deny('no'))],
  ])('a toJSON that %s is a failure and no silence', async (_, toJSON) => {
    const oddDate = Object.assign(new Date(0), { toJSON });
    for (const answer of [{ toJSON }, oddDate, { ...deny('no'), toJSON }]) {
      const { host } = testHost({ onFailure: 'block' });
      host.register(anyHooks({ PreToolUse: [{ hooks: [() => answer] }] }));
      expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
        verdict: 'deny',
        failures: [{ cause: 'bad_schema' }],
      });
      expect(validateOutput('PreToolUse', answer).ok).toBe(false);
    }
  });

  test.each<[string, unknown]>([
    ['a promise', Promise.resolve(deny('no'))],
    ['a map', new Map(Object.entries(deny('no')))],
    ['a text', JSON.stringify(deny('no'))],
    ['a function', () => deny('no')],
    ['an answer by its prototype alone', Object.create(deny('no'))],
    ['an answer with a verdict by its prototype', Object.assign(Object.create(deny('no')), addContext('more'))],
  ])('combine() loses no part that is %s: it throws', (_, part) => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTIONS' });
    expect(() => combine(part as never, addContext('more') as never)).toThrow(refused);
    expect(() => combine(part as never, allow() as never)).toThrow(refused);
    // Nothing is looser for it.
    for (const no of [deny('no'), block('no'), stop('no')]) {
      expect(combine(no, part as never)).toEqual(no);
      expect(combine(part as never, no)).toEqual(no);
    }
  });

  test('combine() leaves out what is no part', () => {
    for (const none of [false, true, undefined, null, '', 0, 7, 7n, Symbol('none')]) {
      expect(combine(none as never, deny('no'))).toEqual(deny('no'));
      expect(combine(allow(), none as never)).toEqual(allow());
    }
  });
});

const oops = (): never => {
  throw new Error('oops');
};

describe.each(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'PostToolUse', 'Stop'] as const)(
  'on %s',
  (event) => {
    const failures = async (helper: object, said: unknown) => {
      const { host } = testHost({ onFailure: 'block' });
      const answer = Object.fromEntries(Object.keys(helper).map((key) => [key, said]));
      host.register(anyHooks({ [event]: [{ hooks: [() => answer] }] }));
      const decision = await fireAny(host, event, INPUTS[event]);
      return decision.failures.map(({ cause }) => cause);
    };

    test.each([
      ...[null, 5, 'deny', {}, { verdict: 'no' }, { verdict: 'constructor' }, { verdict: 7 }, []],
      { verdict: { verdict: 'deny' } },
    ])('a verdict that is none, %j, is a failure and no silence', async (said) => {
      expect(await failures(deny('no'), said)).toEqual(['bad_schema']);
    });

    test.each([null, 5, 'deny', true, []])('a rewrite that is none, %j, is one too', async (said) => {
      expect(await failures(rewrite({ command: 'ls' }), said)).toEqual(['bad_schema']);
    });
  },
);

describe('of several verdicts in one answer the strictest counts, with its own reason', () => {
  const WORDS = ['allow', 'ask', 'defer', 'deny'] as const;
  const HELPERS = { allow, ask, defer, deny };
  const verdict = fc.record({ word: fc.constantFrom(...WORDS), why: fc.constantFrom('one', 'two', undefined) });
  type Said = { readonly word: (typeof WORDS)[number]; readonly why: string | undefined };
  const helper = ({ word, why }: Said) => HELPERS[word](why as string);
  const strictest = (all: readonly Said[]): Said =>
    all.reduce((a, b) => (WORDS.indexOf(b.word) > WORDS.indexOf(a.word) ? b : a));

  async function decisionOn(event: HookEvent, answer: unknown) {
    const { host, reports } = testHost();
    host.register(anyHooks({ [event]: [{ hooks: [() => answer] }] }));
    const { verdict, blocked, reason, failures } = await fireAny(host, event, INPUTS[event]);
    expect([failures, reports]).toEqual([[], []]);
    return { verdict, blocked, reason };
  }

  test('combined', () =>
    fc.assert(
      fc.asyncProperty(fc.array(verdict, { minLength: 1, maxLength: 4 }), async (said) => {
        const { word, why } = strictest(said);
        const answer = combine(...(said.map(helper) as ReturnType<typeof deny>[]), addContext('more') as never);
        expect(await decisionOn('PreToolUse', answer)).toMatchObject({ verdict: word, reason: why });
      }),
      { numRuns: generated(100) },
    ));

  test('beside the words of the event', () =>
    fc.assert(
      fc.asyncProperty(verdict, verdict, async (one, other) => {
        const own = { permissionDecision: other.word, permissionDecisionReason: other.why };
        const { word, why } = strictest([one, other]);
        const answer = { ...helper(one), hookSpecificOutput: JSON.parse(JSON.stringify(own)) };
        const both = one.word === other.word ? { verdict: word } : { verdict: word, reason: why };
        expect(await decisionOn('PreToolUse', answer)).toMatchObject(both);
      }),
      { numRuns: generated(100) },
    ));

  test.each<[HookEvent, object, object]>([
    ['PreToolUse', combine(deny('no'), block('never')), { verdict: 'deny', reason: 'no' }],
    ['PreToolUse', { ...stop('enough'), continue: true }, { verdict: 'deny', reason: 'enough' }],
    ['PreToolUse', combine(deny('no'), null as never, undefined as never), { verdict: 'deny', reason: 'no' }],
    [
      'PermissionRequest',
      { ...deny('no'), hookSpecificOutput: { decision: { behavior: 'allow' } } },
      { verdict: 'deny', reason: 'no' },
    ],
    ['PermissionRequest', { ...allow(), hookSpecificOutput: { decision: { behavior: 'deny' } } }, { verdict: 'deny' }],
    ['UserPromptSubmit', { ...block('no'), decision: 'approve', reason: 'fine' }, { blocked: true, reason: 'no' }],
    ['UserPromptSubmit', { ...block('no'), reason: 'really' }, { blocked: true, reason: 'really' }],
    ['PreToolUse', { ...deny('no'), hookSpecificOutput: null }, { verdict: 'deny', reason: 'no' }],
    ['PostToolUse', combine(block('no'), block('never')), { blocked: true, reason: 'no\nnever' }],
  ])('on %s: %j', async (event, answer, expected) => {
    expect(await decisionOn(event, answer)).toMatchObject(expected);
  });

  test('a rewrite beside an allow of its event is kept', async () => {
    const { host } = testHost();
    const permissions = [{ type: 'setMode', mode: 'default', destination: 'session' }];
    const own = { decision: { behavior: 'allow', updatedPermissions: permissions } };
    host.register(
      anyHooks({ PermissionRequest: [{ hooks: [() => ({ ...rewrite({ a: 1 }), hookSpecificOutput: own })] }] }),
    );
    expect(await host.fire('PermissionRequest', INPUTS.PermissionRequest)).toMatchObject({
      verdict: 'allow',
      updatedInput: { a: 1 },
      updatedPermissions: permissions,
    });
  });

  test('one that is none is an error beside any other', async () => {
    const { host } = testHost({ onFailure: 'block' });
    const answer = { ...allow(), hookSpecificOutput: { permissionDecision: 'yes' } };
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => answer] }] }));
    expect(await host.fire('PreToolUse', INPUTS.PreToolUse)).toMatchObject({
      verdict: 'deny',
      failures: [{ cause: 'bad_schema' }],
    });
  });
});
