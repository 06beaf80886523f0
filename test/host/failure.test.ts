import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import type { Cause, OnFailure } from '../../src/events/failure.js';
import { type FailureEffect, failureEffect } from '../../src/events/failure.js';
import { command } from '../../src/handlers/command/spec.js';
import { INPUTS } from './inputs.js';
import { testHost } from './kit.js';
import { entryOf, folded, said } from './said.js';

/** docs/semantics.md 8: what `ask` and `block` do on each event; `continue` does nothing anywhere but on WorktreeCreate. */
const TABLE: Readonly<Record<HookEvent, [continues: FailureEffect, asks: FailureEffect, blocks: FailureEffect]>> = {
  PreToolUse: ['none', 'ask', 'deny'],
  PreModelSwitch: ['none', 'ask', 'deny'],
  PermissionRequest: ['none', 'none', 'deny'],
  PostToolUse: ['none', 'block', 'block'],
  PostToolUseFailure: ['none', 'block', 'block'],
  PostToolBatch: ['none', 'block', 'block'],
  UserPromptSubmit: ['none', 'block', 'block'],
  UserPromptExpansion: ['none', 'block', 'block'],
  PreCompact: ['none', 'block', 'block'],
  TaskCreated: ['none', 'block', 'block'],
  ConfigChange: ['none', 'block', 'block'],
  Stop: ['none', 'none', 'none'],
  SubagentStop: ['none', 'none', 'none'],
  TaskCompleted: ['none', 'none', 'none'],
  TeammateIdle: ['none', 'none', 'none'],
  WorktreeCreate: ['block', 'block', 'block'],
  SessionStart: ['none', 'none', 'none'],
  SessionEnd: ['none', 'none', 'none'],
  Setup: ['none', 'none', 'none'],
  SubagentStart: ['none', 'none', 'none'],
  Notification: ['none', 'none', 'none'],
  PermissionDenied: ['none', 'none', 'none'],
  StopFailure: ['none', 'none', 'none'],
  PostCompact: ['none', 'none', 'none'],
  PostModelSwitch: ['none', 'none', 'none'],
  MessageDisplay: ['none', 'none', 'none'],
  Elicitation: ['none', 'none', 'none'],
  ElicitationResult: ['none', 'none', 'none'],
  InstructionsLoaded: ['none', 'none', 'none'],
  CwdChanged: ['none', 'none', 'none'],
  DirectoryAdded: ['none', 'none', 'none'],
  FileChanged: ['none', 'none', 'none'],
  WorktreeRemove: ['none', 'none', 'none'],
};
const POLICIES: readonly OnFailure[] = ['continue', 'ask', 'block'];
const CAUSES: readonly Cause[] = [
  'threw',
  'timeout',
  'spawn_failed',
  'exit_code',
  'signal',
  'bad_json',
  'bad_schema',
  'too_large',
  'http_status',
  'connection',
  'aborted',
  'worker_died',
];

describe('what a failure does', () => {
  test.each(HOOK_EVENTS)('%s', (event) => {
    POLICIES.forEach((policy, i) => {
      expect(failureEffect(entryOf(event), policy), policy).toBe(TABLE[event][i]);
    });
  });

  test.each(HOOK_EVENTS)('%s: is in the decision, by every cause alike', (event) => {
    POLICIES.forEach((onFailure, i) => {
      for (const cause of CAUSES) {
        const effect = TABLE[event][i];
        const decision = folded(event, [
          said(event, 'h', undefined, { failure: { cause, message: 'why' }, onFailure }),
        ]);
        expect(decision.failures).toEqual([{ id: 'h', name: 'h', cause, message: 'why', blocked: effect !== 'none' }]);
        if (decision.fold === 'gate') expect(decision.verdict).toBe(effect);
        else if (effect === 'block') expect(decision).toMatchObject({ blocked: true, decidedBy: 'h', reason: 'why' });
        else expect(decision.blocked ?? decision.continues ?? false).toBe(false);
        if (effect === 'none') expect(decision).not.toHaveProperty('decidedBy');
      }
    });
  });

  test.each(HOOK_EVENTS)('%s: one that is untrusted asks at least, and blocks where nobody can be asked', (event) => {
    const [continues, asks, blocks] = TABLE[event];
    POLICIES.forEach((onFailure, i) => {
      const failure = { cause: 'untrusted', message: 'why' } as const;
      const counts = entryOf(event).fold === 'gate' && asks === 'none' ? blocks : asks;
      const effect = [counts, counts, blocks][i];
      const folds = (more: object) =>
        folded(event, [said(event, 'h', undefined, { failure: { ...failure, ...more }, onFailure })]);
      const decision = folds({});
      expect(decision.failures).toMatchObject([{ cause: 'untrusted', blocked: effect !== 'none' }]);
      expect(decision.verdict ?? (decision.blocked ? 'block' : 'none')).toBe(effect);
      const alone = folds({ blocks: true });
      expect(alone.verdict ?? (alone.blocked ? 'block' : 'none')).toBe(blocks);
      if (entryOf(event).fold === 'block' || entryOf(event).fold === 'gate') expect(continues).toBe('none');
    });
  });

  test('failures are listed in plan order, those that did nothing too', () => {
    const failure = { cause: 'threw', message: 'why' } as const;
    const voices = [
      said('PreToolUse', 'a', undefined, { failure }),
      said('PreToolUse', 'b', undefined),
      said('PreToolUse', 'c', undefined, { failure, onFailure: 'ask' }),
    ];
    expect(folded('PreToolUse', voices).failures.map((f) => [f.id, f.blocked])).toEqual([
      ['a', false],
      ['c', true],
    ]);
  });
});

describe('whose policy counts', () => {
  const throws = (): never => {
    throw new Error('broken');
  };
  const policies: [
    OnFailure | undefined,
    OnFailure | undefined,
    OnFailure | undefined,
    OnFailure | undefined,
    string,
  ][] = [
    ['ask', 'block', 'block', 'block', 'ask'],
    [undefined, 'ask', 'block', 'block', 'ask'],
    [undefined, undefined, 'ask', 'block', 'ask'],
    [undefined, undefined, undefined, 'ask', 'ask'],
    ['continue', 'block', 'block', 'block', 'none'],
    [undefined, 'continue', 'block', 'block', 'none'],
    [undefined, undefined, 'continue', 'block', 'none'],
    [undefined, undefined, undefined, undefined, 'none'],
  ];
  test.each(policies)(
    'the handler’s %s, else the group’s %s, else the call’s %s, else the host’s %s: %s',
    async (own, group, call, hosts, verdict) => {
      const given = (onFailure: OnFailure | undefined) => (onFailure === undefined ? {} : { onFailure });
      const { host } = testHost(given(hosts));
      host.register({ PreToolUse: [{ ...given(group), hooks: [{ ...given(own), handler: throws }] }] }, given(call));
      expect((await host.fire('PreToolUse', INPUTS.PreToolUse)).verdict).toBe(verdict);
    },
  );

  test('a command’s own goes first too', async () => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: process.cwd() } });
    host.register({ PreToolUse: [{ onFailure: 'block', hooks: [command('exit 1', { onFailure: 'ask' })] }] });
    expect((await host.fire('PreToolUse', INPUTS.PreToolUse)).verdict).toBe('ask');
    await host.close();
  });
});
