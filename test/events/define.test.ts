import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHost } from '../../src/create-host.js';
import { withName } from '../../src/events/define.js';
import { checkInput } from '../../src/events/guard.js';
import { allow, ask, deny } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { EventSpec } from '../../src/events/spec.js';

const base = { session_id: 's', transcript_path: '', cwd: '/', hook_event_name: 'Deploy' };

describe('defineEvent', () => {
  it.each(['gate', 'block', 'stop'] as const)('has the defaults of a %s', (fold) => {
    const spec = withName('Deploy', defineEvent({ input: z.object({}), fold }));
    expect(spec).toMatchObject({ name: 'Deploy', fold, exit2: 'block', endsLoop: true, failure: 'policy' });
    expect(spec).not.toHaveProperty('value');
  });

  it.each(['context', 'replace', 'observe'] as const)('has the defaults of a %s', (fold) => {
    const spec = withName('Deploy', defineEvent({ input: z.object({}), fold }));
    expect(spec).toMatchObject({ fold, exit2: 'user', endsLoop: false, failure: 'policy' });
  });

  it('has defaults whatever the fold', () => {
    const spec: EventSpec = withName('Deploy', defineEvent({ input: z.object({}), fold: 'observe' }));
    expect(spec).toMatchObject({
      plainStdout: 'none',
      types: ['command', 'http', 'mcp_tool', 'prompt', 'agent'],
      tool: false,
      group: 'custom',
      askOnFailure: true,
      namedBySubject: false,
      classic: false,
    });
    expect(spec).not.toHaveProperty('subject');
    expect(spec).not.toHaveProperty('subjectField');
  });

  it('gives each fold the output keys it needs', () => {
    const keys = (options: Parameters<typeof defineEvent>[0]): string[] =>
      Object.keys(defineEvent(options).output.shape);
    const input = z.object({ target: z.string() });
    expect(keys({ input, fold: 'gate' })).toEqual([
      'permissionDecision',
      'permissionDecisionReason',
      'additionalContext',
    ]);
    expect(keys({ input, fold: 'gate', rewrites: { field: 'target', keys: ['updatedInput'] } })).toContain(
      'updatedInput',
    );
    expect(keys({ input, fold: 'block' })).toEqual(['additionalContext']);
    expect(keys({ input, fold: 'stop' })).toEqual(['additionalContext']);
    expect(keys({ input, fold: 'context' })).toEqual(['additionalContext']);
    expect(keys({ input, fold: 'replace' })).toEqual(['value']);
    expect(keys({ input, fold: 'observe' })).toEqual([]);
  });

  it('makes all output keys of a replace event its value, unless told which', () => {
    const output = z.object({ html: z.string().optional(), title: z.string().optional() });
    expect(defineEvent({ input: z.object({}), fold: 'replace', output }).value).toEqual(['html', 'title']);
    expect(defineEvent({ input: z.object({}), fold: 'replace', output, value: ['html'] }).value).toEqual(['html']);
  });

  it('takes a field or a function for the subject', () => {
    const input = z.object({ target: z.string() });
    const byField: EventSpec = withName('Deploy', defineEvent({ input, fold: 'gate', subject: 'target' }));
    const byFunction: EventSpec = withName(
      'Deploy',
      defineEvent({ input, fold: 'gate', subject: (i) => i.target.slice(1) }),
    );
    expect([byField.subject?.({ target: 'prod' }), byField.subjectField]).toEqual(['prod', 'target']);
    expect([byFunction.subject?.({ target: 'prod' }), byFunction.subjectField]).toEqual(['rod', undefined]);
    expect([byField.namedBySubject, byFunction.namedBySubject]).toEqual([true, true]);
  });

  it('adds the base fields, lets unknown fields pass and keeps its own', () => {
    const spec: EventSpec = withName('Deploy', defineEvent({ input: z.object({ target: z.string() }), fold: 'gate' }));
    expect(checkInput(spec, { ...base, target: 'prod', ticket: 1 })).toBeUndefined();
    expect(checkInput(spec, { ...base })?.field).toBe('target');
    expect(checkInput(spec, { target: 'prod' })?.field).toBe('session_id');
    expect(checkInput(spec, { ...base, target: 'prod', hook_event_name: 'Other' })?.field).toBe('hook_event_name');
  });

  it('lets an own field be stricter than the base field of that name', () => {
    const spec: EventSpec = withName(
      'Deploy',
      defineEvent({ input: z.object({ agent_id: z.string() }), fold: 'gate' }),
    );
    expect(checkInput(spec, base)?.field).toBe('agent_id');
  });

  it('refuses a refinement of the whole input, which it could not keep', () => {
    const input = z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a < b);
    expect(() => defineEvent({ input, fold: 'gate' })).toThrow(/refine its fields instead/);
  });

  const target = z.object({ target: z.string() });
  it.each<readonly [string, object, RegExp]>([
    ['a misspelt key', { onFailur: 'x', failre: 'ignored' }, /defineEvent: onFailur: is not a known option/],
    ['a key that is nearly right', { failre: 'ignored' }, /failre: is not a known option.*Did you mean "failure"/],
    ['a misspelt subject', { subject: 'traget' }, /subject: expected a field.*Did you mean "target"/],
    ['a subject that every object has', { subject: 'constructor' }, /subject: expected a field/],
    ['a fold that is none', { fold: 'vote' }, /fold: expected "gate" or .*got "vote"/],
    ['no fold', { fold: undefined }, /fold: is missing/],
    ['no input', { input: undefined }, /input: is missing/],
    ['an input that is no object', { input: z.string() }, /input: expected an object schema/],
    ['a key within a key', { rewrites: { field: 'target', key: ['x'] } }, /rewrites.key:.*Did you mean "keys"/],
    ['a key within a key that is missing', { rewrites: { field: 'target' } }, /rewrites.keys: is missing/],
    ['a value within a key', { timeout: { claude: '5' } }, /timeout.claude: expected seconds/],
    ['a kind that is none', { types: ['comand'] }, /types: expected an array of "callback"/],
  ])('refuses %s', (_, more, message) => {
    const event = (): unknown => defineEvent({ input: target, fold: 'gate', ...more });
    expect(event).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', message: expect.stringMatching(message) }),
    );
  });

  it('refuses an output key that would overwrite a field of the decision', async () => {
    const held = new Set<string>(['toJSON', 'outcomes']);
    for (const fold of ['gate', 'block', 'stop', 'context', 'replace', 'observe'] as const) {
      const host = createHost({ events: { Deploy: defineEvent({ input: target, fold }) } });
      host.register({
        Deploy: [{ hooks: [() => ({ continue: false, stopReason: 's', systemMessage: 'm' })] }],
      } as never);
      for (const key of Object.keys(await host.fire('Deploy', { target: 'x' }))) held.add(key);
      await host.close();
    }
    // What hooks say in these words is what becomes the field.
    for (const key of ['additionalContext', 'updatedInput', 'updatedOutput', 'value']) held.delete(key);
    expect(held.size).toBeGreaterThan(12);
    for (const key of [...held, 'reason', 'decidedBy', 'endedBy', 'answered'])
      expect(() => defineEvent({ input: target, fold: 'gate', output: z.object({ [key]: z.any() }) }), key).toThrow(
        `defineEvent: output.${key}: expected another name`,
      );
  });

  it('takes a field of every event for the subject, and what is undefined for what is left out', () => {
    const entry = withName(
      'Deploy',
      defineEvent({ input: target, fold: 'gate', exit2: undefined, subject: 'cwd' } as never),
    );
    expect(entry).toMatchObject({ exit2: 'block', subjectField: 'cwd' });
    expect(() => defineEvent(undefined as never)).toThrow(/defineEvent: expected an object/);
  });

  it('can give one definition two names', () => {
    const definition = defineEvent({ input: z.object({}), fold: 'gate' });
    const [one, two]: EventSpec[] = [withName('One', definition), withName('Two', definition)];
    expect([one?.name, two?.name]).toEqual(['One', 'Two']);
    expect(checkInput(one as EventSpec, { ...base, hook_event_name: 'One' })).toBeUndefined();
    expect(checkInput(one as EventSpec, { ...base, hook_event_name: 'Two' })?.field).toBe('hook_event_name');
    expect(Object.isFrozen(one)).toBe(true);
  });
});

it("a gate of one's own takes the verdict of helpers, also with an output of its own", async () => {
  for (const output of [undefined, z.object({ note: z.string().optional() })]) {
    const Deploy = defineEvent({ fold: 'gate', input: z.object({ target: z.string() }), ...(output && { output }) });
    for (const [answer, verdict] of [
      [deny('not on friday'), 'deny'],
      [ask('sure?'), 'ask'],
      [allow(), 'allow'],
    ] as const) {
      const host = createHost({ events: { Deploy }, logger: () => undefined });
      host.register({ Deploy: [{ hooks: [() => answer] }] } as never);
      const decision = await host.fireAny('Deploy', { target: 'x' });
      expect(decision).toMatchObject({ verdict, failures: [] });
      await host.close();
    }
  }
});
