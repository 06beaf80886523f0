import { expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/record.js';
import { createHost, type HookEvent } from '../../src/index.js';
import { answerFor } from '../../src/why/answer.js';
import { inputOf } from '../host/inputs.js';
import { anyHooks, fireAny } from '../host/kit.js';

// What a hook hides is said of it, also where the rest of its answer is wrong.

const FLAGS = [
  ['SessionStart', { suppressOutput: true }, 'hid the output'],
  ['PostToolUse', { suppressOutput: true }, 'hid the output'],
  [
    'UserPromptSubmit',
    { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true } },
    'hid the prompt as it was written',
  ],
] as const satisfies readonly (readonly [HookEvent, object, string])[];

const CASES = FLAGS.flatMap(([event, said, words]) => [
  [event, said, {}, `hider (callback, the program that registered it) ${words}`] as const,
  [event, { ...said, systemMessage: 5 }, {}, `besides, it ${words}`] as const,
  [event, said, { phase: 'observe' }, undefined] as const,
]);

test.each(CASES)('%s %j %j', async (event, said, more, expected) => {
  const host = createHost({ logger: () => undefined, session: { session_id: 's', cwd: '/w', transcript_path: '/t' } });
  let record: FireRecord | undefined;
  host.events$.subscribe((one) => {
    if (one.type === 'hook_fire') record = structuredClone(one);
  });
  const hider = () => said;
  host.register(anyHooks({ [event]: [{ hooks: [hider], ...more }] }));
  await fireAny(host, event, inputOf(event));
  const facts = { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] };
  const { asked } = answerFor(record as FireRecord, facts);
  const text = JSON.stringify(asked);
  if (expected === undefined) expect(text).not.toContain('hid ');
  else expect(text).toContain(expected);
});
