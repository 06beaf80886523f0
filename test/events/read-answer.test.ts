import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { type Outcome, type OutputOptions, type ReadOutput, readOutput } from '../../src/events/output/outcome.js';
import { readAnswer } from '../../src/events/output/read-answer.js';
import type { EventSpec } from '../../src/events/spec.js';
import { isObject } from '../../src/values/shape.js';

type Json = Record<string, unknown>;

const INNER: readonly Json[] = [
  { permissionDecision: 'deny', permissionDecisionReason: 'no' },
  { permissionDecision: 'ask' },
  { updatedToolOutput: '***' },
  { updatedMCPToolOutput: '***' },
  { permissionDecision: 'allow', updatedInput: { command: 'ls' } },
  { decision: { behavior: 'deny', message: 'no', interrupt: true } },
  { decision: { behavior: 'allow' } },
  { additionalContext: 'c' },
  { action: 'decline' },
  { action: 'accept', content: { pw: 'x' } },
  { retry: true },
];
const TOP: readonly Json[] = [
  { decision: 'block', reason: 'no' },
  { decision: 'approve' },
  { continue: false, stopReason: 'enough' },
  { systemMessage: 's' },
  { preventContinuation: true },
];
const OWN_WRONG: readonly Json[] = [
  { decision: 'Block' },
  { continue: 'no' },
  { hookSpecificOutput: 'x' },
  { hookSpecificOutput: { hookEventName: '' } },
  { hookSpecificOutput: { additionalContext: 'without the name' } },
];
const HELPERS_WRONG: readonly Json[] = [
  { 'hookscope:verdict': { verdict: 'Deny' } },
  { 'hookscope:verdict': 'deny' },
  { 'hookscope:verdict': { verdict: 'deny', reason: 5 } },
  { 'hookscope:context': 5 },
  { 'hookscope:stop': false },
  { 'hookscope:rewrite': 'x' },
  { 'hookscope:rewrite': {} },
];
const HELPERS: readonly Json[] = [
  { 'hookscope:verdict': { verdict: 'deny', reason: 'no' } },
  { 'hookscope:verdict': { verdict: 'block', reason: 'no' } },
  { 'hookscope:verdict': { verdict: 'ask', reason: 'hm' } },
  { 'hookscope:stop': 'enough' },
  { 'hookscope:context': 'c' },
  { 'hookscope:verdict': { verdict: 'allow' } },
];

const howOf = (eventName: HookEvent): OutputOptions => ({
  eventName,
  nameRequired: true,
  dialect: 'claude',
  mcpTool: true,
});
const readOn = (name: HookEvent, answer: Json): ReadOutput => readAnswer(CATALOGUE[name], answer, howOf(name));

const ownWords = (name: HookEvent) =>
  fc.tuple(fc.subarray([...TOP]), fc.subarray([...INNER])).map(([top, inner]): Json => {
    const specific = Object.assign({}, ...inner) as Json;
    const named = inner.length > 0 && { hookSpecificOutput: { hookEventName: name, ...specific } };
    return { ...(Object.assign({}, ...top) as Json), ...named };
  });
const mixed = (names: readonly HookEvent[], of: readonly Json[]) =>
  fc
    .constantFrom(...names)
    .chain((name) =>
      fc.record({ name: fc.constant(name), own: ownWords(name), other: fc.constantFrom(...of), first: fc.boolean() }),
    );

const saidIn = (read: ReadOutput): Partial<Outcome> => ('bad' in read ? read.kept : read.outcome) ?? {};

/**
 * What a part of an answer says alone counts: on gates all of it but an allow, since the wrong word may have been meant as something stricter; on other events what restricts,
 * and nothing that accepts or changes.
 */
function expectKept(spec: EventSpec, read: ReadOutput, alone: ReadOutput): void {
  const [said, all] = [saidIn(read), saidIn(alone)];
  const isGate = spec.fold === 'gate';
  const { output: _, reason: _reason, ...counts } = all;
  if (isGate && all.verdict !== 'allow') expect(said).toMatchObject(counts);
  if (isGate && all.verdict === 'allow') expect(said.verdict).toBeUndefined();
  expect([said.block, said.continue === false]).toEqual([all.block, all.continue === false]);
  if (!isGate) expect([said.rewrite, said.specific?.['retry']]).toEqual([undefined, undefined]);
  expect(isObject(said.value) && said.value['action'] === 'accept').toBe(false);
}

const badOf = (read: ReadOutput): string | undefined => ('bad' in read ? read.bad : undefined);

test('in Claude Code’s own files a wrong word of a helper takes nothing away from Claude Code’s words', () => {
  fc.assert(
    fc.property(mixed(HOOK_EVENTS, HELPERS_WRONG), ({ name, own, other, first }) => {
      const alone = readOutput(CATALOGUE[name], own, howOf(name));
      fc.pre(!('bad' in alone) && badOf(readOn(name, other)) !== undefined);
      const read = readOn(name, first ? { ...other, ...own } : { ...own, ...other });
      expect(badOf(read)).toBeDefined();
      expectKept(CATALOGUE[name], read, alone);
    }),
    { numRuns: 2000 },
  );
});

test('nor is a word of a helper lost beside another wrong one, or beside a wrong word of Claude Code’s', () => {
  const wrong = fc.constantFrom(...OWN_WRONG, ...HELPERS_WRONG);
  fc.assert(
    fc.property(fc.constantFrom(...HOOK_EVENTS), fc.constantFrom(...HELPERS), wrong, (name, right, other) => {
      fc.pre(!Object.keys(other).some((key) => key in right));
      const alone = readOn(name, right);
      // Claude Code knows these words without the name, which a helper adds.
      fc.pre(!('bad' in alone) && badOf(readOn(name, other)) !== undefined);
      const read = readOn(name, { ...right, ...other });
      if (badOf(read) === undefined) return;
      expectKept(CATALOGUE[name], read, alone);
    }),
    { numRuns: 2000 },
  );
});

test('an ask with a rewrite, which has no place where the user decides, takes nothing else away', () => {
  const both = {
    'hookscope:verdict': { verdict: 'ask', reason: 'hm' },
    'hookscope:rewrite': { value: { command: 'x' } },
  };
  const said = { 'hookscope:stop': 'enough', ...both };
  expect(readOn('PermissionRequest', said)).toMatchObject({ outcome: { continue: false, stopReason: 'enough' } });
  expect(badOf(readOn('PermissionRequest', both))).toBeUndefined();
});

test('what Claude Code’s words alone have wrong is an error as a whole, as for Claude Code', () => {
  for (const name of HOOK_EVENTS)
    for (const wrong of OWN_WRONG) {
      const read = readOn(name, { continue: false, ...wrong });
      if ('bad' in read) expect(read.kept).toBeUndefined();
    }
});
