import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { withName } from '../../src/events/define.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import type { HandlerResult } from '../../src/host/decide/fold-common.js';
import { entryOf, folded, permutations, said, specific } from './said.js';

const failure = { cause: 'exit_code', message: 'It exited with code 1.' } as const;
const context = (text: string) => specific({ additionalContext: text });
const block = (reason?: string) => ({ decision: 'block', ...(reason === undefined ? {} : { reason }) });

describe('every event', () => {
  test.each(HOOK_EVENTS)('%s: nobody having said anything is the quiet decision of its fold', (event) => {
    const { fold } = entryOf(event);
    const quiet: Record<string, unknown> = { event, fold, continue: true, suppressOutput: false };
    for (const list of ['overruled', 'additionalContext', 'systemMessages', 'failures', 'conflicts']) quiet[list] = [];
    if (fold === 'gate') quiet['verdict'] = 'none';
    if (fold === 'block' || fold === 'replace') quiet['blocked'] = false;
    if (fold === 'stop') quiet['continues'] = false;
    expect({ ...folded(event, []) }).toEqual(quiet);
    expect({ ...folded(event, [said(event, 'a', undefined), said(event, 'b', {})]) }).toEqual(quiet);
    expect(folded(event, []).toJSON()).toEqual({});
  });

  test.each(HOOK_EVENTS)('%s: system messages are kept in plan order, an empty one is none', (event) => {
    const voices = ['one', '', 'two'].map((systemMessage, i) => said(event, `h${i}`, { systemMessage }));
    expect(folded(event, voices).systemMessages).toEqual(['one', 'two']);
  });

  test.each(HOOK_EVENTS)('%s: context is kept in plan order where the event has context', (event) => {
    const voices = ['one', '', 'two'].map((text, i) => said(event, `h${i}`, context(text)));
    const has = 'additionalContext' in entryOf(event).output.shape;
    expect(folded(event, voices).additionalContext).toEqual(has ? ['one', 'two'] : []);
  });

  const ENDS: HookEvent[] = [
    'PreToolUse',
    'PostToolUse',
    'PostToolBatch',
    'PermissionRequest',
    'UserPromptSubmit',
    'UserPromptExpansion',
    'Stop',
    'SubagentStop',
    'TeammateIdle',
    'TaskCompleted',
  ];
  test.each(HOOK_EVENTS)(
    '%s: continue: false ends the loop where the catalogue says so, from code and from files',
    (event) => {
      for (const dialect of ['code', 'claude'] as const) {
        const voices = [
          said(event, 'a', { continue: true }, { dialect }),
          said(event, 'b', { continue: false }, { dialect }),
          said(event, 'c', { continue: false, stopReason: 'enough' }, { dialect }),
          said(event, 'd', { continue: false, stopReason: 'too much' }, { dialect }),
        ];
        const decision = folded(event, voices);
        expect(decision.continue).toBe(!ENDS.includes(event));
        expect(decision.stopReason).toBe(ENDS.includes(event) ? 'enough' : undefined);
        expect(decision.outcomes[1]?.continue).toBe(false);
      }
    },
  );

  test.each(HOOK_EVENTS)('%s: suppressOutput counts from code and not from files', (event) => {
    expect(folded(event, [said(event, 'a', { suppressOutput: true })]).suppressOutput).toBe(true);
    expect(folded(event, [said(event, 'a', { suppressOutput: true }, { dialect: 'claude' })]).suppressOutput).toBe(
      false,
    );
    expect(folded(event, [said(event, 'a', { suppressOutput: false })]).suppressOutput).toBe(false);
  });

  test.each(HOOK_EVENTS)('%s: terminal sequences are all handed on', (event) => {
    const voices = ['\u001b[1m', '\u001b[0m'].map((terminalSequence, i) => said(event, `h${i}`, { terminalSequence }));
    const decision = folded(event, voices);
    expect(decision.terminalSequence).toBe('\u001b[1m\u001b[0m');
    expect(decision.toJSON()).toEqual({ terminalSequence: '\u001b[1m\u001b[0m' });
  });

  test('what each said is listed in plan order, as the early designs return it', () => {
    const voices = [
      said('PreToolUse', 'a', undefined),
      said('PreToolUse', 'b', {
        systemMessage: 'for you',
        suppressOutput: true,
        continue: false,
        stopReason: 'halt',
        ...specific({ permissionDecision: 'deny', permissionDecisionReason: 'why' }),
      }),
      said('PreToolUse', 'c', { decision: 'approve', reason: 'fine' }),
    ];
    expect(folded('PreToolUse', voices).outcomes).toEqual([
      { id: 'a', name: 'a' },
      {
        id: 'b',
        name: 'b',
        decision: 'deny',
        message: 'for you',
        continue: false,
        systemMessage: 'for you',
        suppressOutput: true,
        stopReason: 'halt',
        reason: 'why',
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'why' },
      },
      { id: 'c', name: 'c', decision: 'allow', message: 'fine', reason: 'fine' },
    ]);
  });
});

describe('an event that can be blocked', () => {
  const EVENTS = HOOK_EVENTS.filter((e) => entryOf(e).fold === 'block');

  test.each(EVENTS)('%s: is blocked by any, whatever the order, with every reason', (event) => {
    const voices = [
      said(event, 'a', context('c')),
      said(event, 'b', block('one')),
      said(event, 'c', undefined),
      said(event, 'd', { decision: 'approve' }),
      said(event, 'e', block('two')),
    ];
    for (const order of permutations(voices)) expect(folded(event, order).blocked).toBe(true);
    expect(folded(event, voices)).toMatchObject({ blocked: true, decidedBy: 'b', reason: 'one\ntwo' });
  });

  test.each(EVENTS)('%s: context and approval block nothing', (event) => {
    const decision = folded(event, [said(event, 'a', context('c')), said(event, 'b', { decision: 'approve' })]);
    expect(decision.blocked).toBe(false);
    expect(decision).not.toHaveProperty('decidedBy');
  });

  test.each(EVENTS)('%s: a stop is no block', (event) => {
    expect(folded(event, [said(event, 'a', { continue: false, stopReason: 'x' })]).blocked).toBe(false);
  });

  test('a block without a reason says none', () => {
    expect(folded('UserPromptSubmit', [said('UserPromptSubmit', 'a', block())])).not.toHaveProperty('reason');
  });

  test('the reason of a block is its reason, else its stopReason, else what failed', () => {
    const voices = [
      said('PostToolUse', 'a', { decision: 'block', reason: 'r', stopReason: 's' }),
      said('PostToolUse', 'b', { decision: 'block', stopReason: 's' }),
      said('PostToolUse', 'c', undefined, { failure, onFailure: 'block' }),
    ];
    expect(folded('PostToolUse', voices).reason).toBe('r\ns\nIt exited with code 1.');
  });

  test('a failure whose policy lets it pass lends no reason to a block of others', () => {
    const voices = [said('PostToolUse', 'a', undefined, { failure }), said('PostToolUse', 'b', block('r'))];
    expect(folded('PostToolUse', voices)).toMatchObject({ decidedBy: 'b', reason: 'r' });
  });

  test('a managed policy that changed can be blocked by nobody, and nothing says it was', () => {
    const voices = [
      said('ConfigChange', 'a', block('no')),
      said('ConfigChange', 'b', undefined, { failure, onFailure: 'block' }),
    ];
    expect(folded('ConfigChange', voices, { subject: 'policy_settings' }).blocked).toBe(false);
    expect(folded('ConfigChange', voices, { subject: 'policy_settings' }).failures[0]?.blocked).toBe(false);
    expect(folded('ConfigChange', voices, { subject: 'user_settings' }).blocked).toBe(true);
  });

  test('specific keys: lists are joined, of the others the last counts', () => {
    const one = { sessionTitle: 'one', suppressOriginalPrompt: true };
    const voices = [
      said('UserPromptSubmit', 'a', specific(one)),
      said('UserPromptSubmit', 'b', specific({ sessionTitle: 'two' })),
    ];
    expect(folded('UserPromptSubmit', voices)).toMatchObject({ sessionTitle: 'two', suppressOriginalPrompt: true });
    const paths = ['a', 'b'].map((p) => said('FileChanged', p, specific({ watchPaths: [`/${p}`] })));
    expect(folded('FileChanged', paths).watchPaths).toEqual(['/a', '/b']);
  });

  test('a rewritten output is in the decision, also beside a block', () => {
    const decision = folded('PostToolUse', [said('PostToolUse', 'a', block('r'))], { rewritten: { value: null } });
    expect(decision).toMatchObject({ blocked: true, updatedOutput: null });
    expect(decision).not.toHaveProperty('updatedInput');
  });
});

describe.each(['Stop', 'SubagentStop'] as const)('%s', (event) => {
  type Row = [what: string, outputs: [output: unknown, dialect?: 'claude'][], is: Partial<AnyDecision>];
  const rows: Row[] = [
    ['nobody speaks', [[undefined]], { continues: false }],
    ['a block from code', [[block('next')]], { continues: true, reason: 'next', decidedBy: 'h0' }],
    ['a block from a file', [[block('next'), 'claude']], { continues: true, reason: 'next' }],
    ['deny, the older word', [[{ decision: 'deny', reason: 'n' }]], { continues: true, reason: 'n' }],
    ['approval', [[{ decision: 'approve' }]], { continues: false }],
    ['context from code', [[context('c')]], { continues: true, additionalContext: ['c'] }],
    ['context from a file', [[context('c'), 'claude']], { continues: true }],
    ['continue: true from code', [[{ continue: true, reason: 'on' }]], { continues: true, reason: 'on' }],
    ['continue: true from a file', [[{ continue: true, reason: 'on' }, 'claude']], { continues: false }],
    ['a system message', [[{ systemMessage: 'm' }]], { continues: false }],
    ['continue: false', [[{ continue: false, stopReason: 's' }]], { continues: false, continue: false, reason: 's' }],
    ['continue: false from a file', [[{ continue: false }, 'claude']], { continues: false, continue: false }],
    [
      'block, then continue: false',
      [[block('n')], [{ continue: false }]],
      { continues: false, decidedBy: 'h1', overruled: ['h0'] },
    ],
    [
      'continue: false, then block',
      [[{ continue: false }], [block('n')]],
      { continues: false, decidedBy: 'h0', overruled: ['h1'] },
    ],
    [
      'block and continue: false at once',
      [[{ ...block('n'), continue: false }]],
      { continues: false, reason: 'n', overruled: [] },
    ],
    ['two that block', [[block('a')], [block('b')]], { continues: true, reason: 'a\nb', decidedBy: 'h0' }],
  ];
  test.each(rows)('%s', (_, outputs, is) => {
    const voices = outputs.map(([output, dialect]) => ({ output, dialect: dialect ?? ('code' as const) }));
    const decision = folded(
      event,
      voices.map((v, i) => said(event, `h${i}`, v.output, { dialect: v.dialect })),
    );
    expect(decision).toMatchObject(is);
    if (is.continues === true) expect(decision.continue).toBe(true);
  });

  test('a failure keeps nothing going and ends nothing, whatever its policy', () => {
    for (const onFailure of ['continue', 'ask', 'block'] as const) {
      const failed = said(event, 'f', undefined, { failure, onFailure });
      expect(folded(event, [failed]).continues).toBe(false);
      expect(folded(event, [failed, said(event, 'b', block('n'))])).toMatchObject({ continues: true, reason: 'n' });
    }
  });

  test('ended for another reason, those that would go on are overruled', () => {
    const voices = [said(event, 'a', block('n')), said(event, 'b', undefined)];
    expect(folded(event, voices, { endedBy: 'cap' })).toMatchObject({
      continues: false,
      endedBy: 'cap',
      overruled: ['a'],
    });
    expect(folded(event, [said(event, 'b', undefined)], { endedBy: 'cap' })).not.toHaveProperty('endedBy');
  });
});

describe('an event whose answer replaces something', () => {
  const show = (text: string) => specific({ displayContent: text });

  test('has the last value in plan order; every other is a conflict it won', () => {
    const voices = ['a', 'b', 'c'].map((id) => said('MessageDisplay', id, show(id)));
    const decision = folded('MessageDisplay', [...voices, said('MessageDisplay', 'd', undefined)]);
    expect(decision).toMatchObject({ value: 'c', decidedBy: 'c', overruled: ['a', 'b'], blocked: false });
    expect(decision.conflicts).toEqual([
      { winner: 'c', loser: 'a' },
      { winner: 'c', loser: 'b' },
    ]);
  });

  test('an empty text is a value', () => {
    expect(folded('MessageDisplay', [said('MessageDisplay', 'a', show(''))]).value).toBe('');
  });

  test('an elicitation is answered by an action and its content, and declined by a block', () => {
    const accept = specific({ action: 'accept', content: { x: 1 } });
    expect(folded('Elicitation', [said('Elicitation', 'a', accept)]).value).toEqual({
      action: 'accept',
      content: { x: 1 },
    });
    const decision = folded('Elicitation', [said('Elicitation', 'a', accept), said('Elicitation', 'b', block('no'))]);
    expect(decision).toMatchObject({ value: { action: 'decline' }, blocked: false, decidedBy: 'b' });
  });

  test.each(['Elicitation', 'ElicitationResult'] as const)(
    '%s: a block wins over every answer, whoever comes last',
    (event) => {
      const accept = said(event, 'yes', specific({ action: 'accept', content: { x: 1 } }));
      const declines = said(event, 'own', specific({ action: 'decline' }));
      const refuses = said(event, 'no', block('not that server'));
      const also = said(event, 'neither', block('nor this'));
      for (const order of permutations([accept, refuses, also])) {
        const [first, second] = order.filter((one) => one !== accept) as [HandlerResult, HandlerResult];
        expect(folded(event, order)).toMatchObject({
          value: { action: 'decline' },
          blocked: false,
          decidedBy: first.registration.id,
          reason: `${first.outcome?.reason}\n${second.outcome?.reason}`,
          overruled: ['yes'],
          conflicts: [{ winner: first.registration.id, loser: 'yes' }],
        });
      }
      // An answer of its own is one among others.
      expect(folded(event, [declines, accept])).toMatchObject({ value: { action: 'accept' }, decidedBy: 'yes' });
    },
  );

  test('a worktree is not made when a hook refuses it or fails, whatever the others answer', () => {
    const path = said('WorktreeCreate', 'path', specific({ worktreePath: '/w/side' }));
    const refused = said('WorktreeCreate', 'no', block('not now'));
    const failed = said('WorktreeCreate', 'broken', undefined, { failure });
    expect(folded('WorktreeCreate', [path])).toMatchObject({ value: '/w/side', blocked: false });
    for (const order of permutations([path, refused])) {
      const decision = folded('WorktreeCreate', order);
      expect(decision).toMatchObject({ blocked: true, decidedBy: 'no', reason: 'not now' });
      expect(decision).not.toHaveProperty('value');
    }
    for (const order of permutations([path, failed])) {
      expect(folded('WorktreeCreate', order)).toMatchObject({
        blocked: true,
        decidedBy: 'broken',
        reason: failure.message,
      });
    }
  });
});

describe('events where hooks only watch or add context', () => {
  test.each(HOOK_EVENTS.filter((e) => ['observe', 'context'].includes(entryOf(e).fold)))(
    '%s: nothing decides',
    (event) => {
      const voices = [
        said(event, 'a', { decision: 'block', reason: 'no' }),
        said(event, 'b', { decision: 'approve' }),
        said(event, 'c', undefined, { failure, onFailure: 'block' }),
      ];
      const decision = folded(event, voices);
      for (const field of ['verdict', 'blocked', 'continues', 'value', 'decidedBy'])
        expect(decision).not.toHaveProperty(field);
      expect(decision.continue).toBe(true);
    },
  );

  test('a denied call may be tried again', () => {
    expect(folded('PermissionDenied', [said('PermissionDenied', 'a', specific({ retry: true }))]).retry).toBe(true);
  });
});

describe('an event of one’s own', () => {
  const gate = withName(
    'Deploy',
    defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' }),
  );
  const shout = withName(
    'Shout',
    defineEvent({
      input: z.object({ text: z.string() }),
      fold: 'block',
      output: z.object({ louder: z.string().optional() }),
      rewrites: { field: 'text', keys: ['louder'] },
    }),
  );

  test('is folded like any other of its kind', () => {
    const voices = [said(gate, 'a', { decision: 'approve' }), said(gate, 'b', specific({ permissionDecision: 'ask' }))];
    expect(folded(gate, voices)).toMatchObject({ event: 'Deploy', verdict: 'ask', decidedBy: 'b' });
  });

  test('says what it rewrote under its own key', () => {
    const decision = folded(shout, [said(shout, 'a', specific({ louder: 'HI' }))], { rewritten: { value: 'HI' } });
    expect(decision.updatedOutput).toBe('HI');
    expect(decision.toJSON()).toEqual({ hookSpecificOutput: { hookEventName: 'Shout', louder: 'HI' } });
  });
});

describe('in the phase rewrite a hook has no verdict', () => {
  const phase = { phase: 'rewrite' } as const;
  const VERDICT = [
    'PostToolUse',
    'UserPromptSubmit',
    'TaskCreated',
    'Stop',
    'SubagentStop',
    'WorktreeCreate',
    'Elicitation',
  ] as const;

  test.each(VERDICT)('%s: its block is ignored, what it says besides counts', (event) => {
    const output = { ...block('no'), systemMessage: 'told' };
    const { systemMessages, ...decision } = folded(event, [said(event, 'a', output, phase)]);
    expect({ ...decision, systemMessages: [] }).toEqual({ ...folded(event, []) });
    expect(systemMessages).toEqual(['told']);
    const both = folded(event, [said(event, 'a', output, phase), said(event, 'b', block('really'))]);
    expect(both).toMatchObject({ decidedBy: 'b', reason: 'really' });
  });

  test.each(['Stop', 'SubagentStop'] as const)(
    '%s: nothing that it says keeps the loop going, and it may end it',
    (event) => {
      const goesOn = [{ continue: true }, context('more')];
      for (const output of goesOn) expect(folded(event, [said(event, 'a', output, phase)]).continues).toBe(false);
      expect(folded(event, [said(event, 'a', context('more'), phase)]).additionalContext).toEqual(['more']);
      const ends = [said(event, 'a', { continue: false }, phase), said(event, 'b', block('more'))];
      expect(folded(event, ends)).toMatchObject({ continues: false, decidedBy: 'a', overruled: ['b'] });
    },
  );

  test('its failure counts, with its own message', () => {
    const voice = { ...phase, failure, onFailure: 'block' } as const;
    expect(folded('UserPromptSubmit', [said('UserPromptSubmit', 'a', block('no'), voice)])).toMatchObject({
      blocked: true,
      reason: failure.message,
    });
  });

  test('a value that it gives counts, since that is what it rewrites', () => {
    const event = 'MessageDisplay';
    const value = specific({ displayContent: 'masked' });
    expect(folded(event, [said(event, 'a', value, phase)])).toMatchObject({ value: 'masked', decidedBy: 'a' });
  });
});
