import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { withName } from '../../src/events/define.js';
import { helperToOutput } from '../../src/events/output/helper-words.js';
import { addContext, allow, ask, defer, deny } from '../../src/events/output/helpers.js';
import { type Outcome, type OutputOptions, readOutput } from '../../src/events/output/outcome.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { EventSpec } from '../../src/events/spec.js';

type Json = Record<string, unknown>;
const entryOf = (name: HookEvent): EventSpec => CATALOGUE[name];

function read(
  name: HookEvent,
  output: unknown,
  how: Partial<OutputOptions> = {},
): Outcome & { warnings: readonly string[] } {
  const result = readOutput(entryOf(name), output, { eventName: name, nameRequired: true, ...how });
  if ('bad' in result) throw new Error(result.bad);
  return { ...result.outcome, warnings: result.warnings };
}

function bad(name: HookEvent, output: unknown, how: Partial<OutputOptions> = {}): string | undefined {
  const result = readOutput(entryOf(name), output, { eventName: name, nameRequired: true, ...how });
  return 'bad' in result ? result.bad : undefined;
}

const specific = (name: HookEvent, keys: Json): Json => ({ hookSpecificOutput: { hookEventName: name, ...keys } });

/** What `decision: "block"` is on each event; `nothing`: a warning; `error`: the event has other words for it. */
const BLOCK: Record<HookEvent, 'deny' | 'block' | 'decline' | 'nothing' | 'error'> = {
  PreToolUse: 'deny',
  PostToolUse: 'block',
  PostToolUseFailure: 'block',
  PermissionRequest: 'error',
  UserPromptSubmit: 'block',
  SessionStart: 'nothing',
  SessionEnd: 'nothing',
  Setup: 'nothing',
  Stop: 'block',
  SubagentStart: 'nothing',
  SubagentStop: 'block',
  PreCompact: 'block',
  Notification: 'nothing',
  TeammateIdle: 'block',
  TaskCompleted: 'block',
  PostToolBatch: 'block',
  PermissionDenied: 'nothing',
  UserPromptExpansion: 'block',
  StopFailure: 'nothing',
  PostCompact: 'nothing',
  PreModelSwitch: 'deny',
  PostModelSwitch: 'nothing',
  MessageDisplay: 'nothing',
  TaskCreated: 'block',
  Elicitation: 'decline',
  ElicitationResult: 'decline',
  ConfigChange: 'block',
  InstructionsLoaded: 'nothing',
  CwdChanged: 'nothing',
  DirectoryAdded: 'nothing',
  FileChanged: 'nothing',
  WorktreeCreate: 'block',
  WorktreeRemove: 'nothing',
};

const CONTEXT: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'Setup',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'Notification',
  'TeammateIdle',
  'TaskCompleted',
  'PostToolBatch',
  'UserPromptExpansion',
  'PostModelSwitch',
  'TaskCreated',
  'ConfigChange',
];

describe.each(HOOK_EVENTS)('an output of %s', (name) => {
  it('may say nothing', () => {
    expect(read(name, {})).toEqual({ output: {}, warnings: [] });
    expect(read(name, { continue: true, async: false, reason: undefined })).toEqual({
      output: { continue: true },
      continue: true,
      warnings: [],
    });
  });

  it.each(['block', 'deny'])('is read with decision %j', (decision) => {
    if (BLOCK[name] === 'error') {
      expect(bad(name, { decision, reason: 'no' })).toMatch(/^a deny in words that/);
      return;
    }
    const { verdict, block, value, warnings } = read(name, { decision, reason: 'no' });
    const answer = {
      deny: { verdict: 'deny' },
      block: { block: true },
      decline: { block: true, value: { action: 'decline' } },
      nothing: {},
    };
    expect(JSON.parse(JSON.stringify({ verdict, block, value }))).toEqual(answer[BLOCK[name]]);
    expect(warnings).toHaveLength(BLOCK[name] === 'nothing' ? 1 : 0);
  });

  it.each(['approve', 'allow'])('is read with decision %j', (decision) => {
    const { verdict, block, value } = read(name, { decision, reason: 'yes' });
    expect({ verdict, block, value }).toEqual({
      verdict: BLOCK[name] === 'deny' ? 'allow' : undefined,
      block: undefined,
      value: undefined,
    });
  });

  it('has the fields of every event', () => {
    const said = {
      continue: false,
      stopReason: 'stop',
      suppressOutput: true,
      systemMessage: 'hi',
      terminalSequence: '\x07',
    };
    const { warnings, ...outcome } = read(name, said);
    expect(warnings).toEqual([]);
    expect(outcome).toEqual({
      output: said,
      continue: false,
      stopReason: 'stop',
      reason: 'stop',
      suppressOutput: true,
      systemMessage: 'hi',
      specific: { terminalSequence: '\x07' },
    });
  });

  it('is read with preventContinuation', () => {
    const { continue: continues, warnings } = read(name, { continue: true, preventContinuation: true });
    if (name === 'PermissionRequest') expect([continues, warnings.length]).toEqual([true, 1]);
    else expect([continues, warnings.length]).toEqual([false, 0]);
    expect(read(name, { preventContinuation: false }).continue).toBeUndefined();
  });

  it('has context only where the event takes it', () => {
    const { additionalContext, warnings } = read(name, specific(name, { additionalContext: 'ctx' }));
    const takes = CONTEXT.includes(name);
    expect(additionalContext).toBe(takes ? 'ctx' : undefined);
    expect(warnings).toEqual(takes ? [] : [expect.stringContaining(`does nothing on ${name}`)]);
  });

  it('must be for this event', () => {
    const other = name === 'Stop' ? 'SubagentStop' : 'Stop';
    const message = `hookSpecificOutput.hookEventName: expected "${name}", got`;
    expect(bad(name, specific(other, {}))).toBe(`${message} "${other}"`);
    expect(bad(name, specific(other, {}), { nameRequired: false })).toBe(`${message} "${other}"`);
    expect(bad(name, { hookSpecificOutput: {} })).toBe(`${message} nothing`);
    expect(bad(name, { hookSpecificOutput: {} }, { nameRequired: false })).toBeUndefined();
  });

  it('fails by the name of the field that has a wrong type', () => {
    const wrong: [Json, string][] = [
      [{ continue: 'no' }, 'continue: expected boolean, got string'],
      [{ stopReason: 1 }, 'stopReason: expected string, got number'],
      [{ suppressOutput: 'yes' }, 'suppressOutput: expected boolean, got string'],
      [{ systemMessage: ['a'] }, 'systemMessage: expected string, got array'],
      [{ decision: 'maybe' }, 'decision: expected one of "block", "allow", "approve", "deny", got "maybe"'],
      [{ reason: null }, 'reason: expected string, got null'],
      [{ terminalSequence: {} }, 'terminalSequence: expected string, got object'],
      [{ preventContinuation: 1 }, 'preventContinuation: expected boolean, got number'],
      [{ hookSpecificOutput: 'x' }, 'hookSpecificOutput: expected object, got string'],
      [{ hookSpecificOutput: null }, 'hookSpecificOutput: expected object, got null'],
      [{ async: 'yes' }, 'async: expected boolean, got string'],
      [{ async: true, asyncTimeout: '5' }, 'asyncTimeout: expected number, got string'],
      [{ async: true, asyncTimeout: -1 }, 'asyncTimeout: expected at least 0, got -1'],
    ];
    for (const [output, message] of wrong) expect(bad(name, output)).toBe(message);
    for (const key of Object.keys(entryOf(name).output.shape).filter((k) => !/^updated(MCP)?ToolOutput$/.test(k))) {
      expect(bad(name, specific(name, { [key]: 12 }))).toMatch(`hookSpecificOutput.${key}: expected `);
    }
  });

  it.each([['text'], [3], [true], [[]], [[{ decision: 'block' }]], [() => ({})]])('is an object, not %j', (output) => {
    expect(bad(name, output)).toMatch(/^expected an object, got /);
  });

  it('may go to the background, and nothing else is read then', () => {
    expect(read(name, { async: true })).toEqual({ output: { async: true }, async: {}, warnings: [] });
    const later = { async: true, asyncTimeout: 5, result: Promise.resolve() };
    expect(read(name, later)).toEqual({
      output: { async: true, asyncTimeout: 5 },
      async: { timeout: 5 },
      warnings: [],
    });
    const { verdict, block, warnings } = read(name, { async: true, decision: 'block', reason: 'x' });
    expect([verdict, block, warnings]).toEqual([undefined, undefined, [expect.stringContaining('decision, reason')]]);
  });

  it('keeps keys that nobody knows, with a warning', () => {
    const output = { metrics: { ms: 3 }, ...specific(name, { colour: 'red' }) };
    const { output: kept, warnings } = read(name, output);
    expect(kept).toEqual(output);
    expect(warnings).toEqual(['unknown key "metrics"', 'unknown key "colour" in hookSpecificOutput']);
  });
});

describe('a gate', () => {
  const both = (flat: string, legacy: string): Outcome =>
    read('PreToolUse', {
      decision: legacy,
      reason: 'legacy',
      ...specific('PreToolUse', { permissionDecision: flat, permissionDecisionReason: 'flat' }),
    });

  it.each(['allow', 'ask', 'defer', 'deny'])('is read with permissionDecision %j', (verdict) => {
    const output = specific('PreToolUse', { permissionDecision: verdict, permissionDecisionReason: 'why' });
    expect(read('PreToolUse', output)).toEqual({ output, verdict, reason: 'why', warnings: [] });
  });

  it('takes the stronger of two spellings, with its own reason', () => {
    const rows: [flat: string, legacy: string, verdict: string, reason: string][] = [
      ['allow', 'block', 'deny', 'legacy'],
      ['ask', 'deny', 'deny', 'legacy'],
      ['deny', 'approve', 'deny', 'flat'],
      ['ask', 'approve', 'ask', 'flat'],
      ['defer', 'allow', 'defer', 'flat'],
      ['allow', 'approve', 'allow', 'flat'],
      ['deny', 'block', 'deny', 'flat'],
    ];
    for (const [flat, legacy, verdict, reason] of rows) expect(both(flat, legacy)).toMatchObject({ verdict, reason });
  });

  it('does not lend the reason of the spelling that lost', () => {
    const reasonless = {
      decision: 'block',
      ...specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'safe' }),
    };
    expect(read('PreToolUse', reasonless)).not.toHaveProperty('reason');
    const deny = { decision: 'approve', reason: 'safe', ...specific('PreToolUse', { permissionDecision: 'deny' }) };
    expect(read('PreToolUse', deny)).not.toHaveProperty('reason');
    expect(read('PreToolUse', { ...deny, stopReason: 'halt' }).reason).toBe('halt');
  });

  it('looks for a reason in permissionDecisionReason, reason and stopReason, and takes no empty one', () => {
    const said = (own: string, reason: string, stopReason: string): string | undefined =>
      read('PreToolUse', {
        reason,
        stopReason,
        ...specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: own }),
      }).reason;
    expect([said('a', 'b', 'c'), said('', 'b', 'c'), said('', '', 'c'), said('', '', '')]).toEqual([
      'a',
      'b',
      'c',
      undefined,
    ]);
  });

  it('cannot defer a change of model', () => {
    expect(bad('PreModelSwitch', specific('PreModelSwitch', { permissionDecision: 'defer' }))).toBe(
      'hookSpecificOutput.permissionDecision: expected one of "allow", "deny", "ask", got "defer"',
    );
    expect(read('PreModelSwitch', specific('PreModelSwitch', { permissionDecision: 'ask' })).verdict).toBe('ask');
  });

  it('replaces the input by an object and by nothing else', () => {
    const output = specific('PreToolUse', { updatedInput: { command: 'ls' } });
    expect(read('PreToolUse', output)).toEqual({ output, rewrite: { value: { command: 'ls' } }, warnings: [] });
    for (const updatedInput of ['ls', null, [1], 3]) {
      expect(bad('PreToolUse', specific('PreToolUse', { updatedInput }))).toMatch(
        'hookSpecificOutput.updatedInput: expected object',
      );
    }
  });
});

describe('PermissionRequest', () => {
  const answer = (decision: Json, beside: Json = {}): Outcome & { warnings: readonly string[] } =>
    read('PermissionRequest', { ...beside, ...specific('PermissionRequest', { decision }) });

  it('reads its decision object', () => {
    expect(
      answer({ behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [{ type: 'addRules' }] }),
    ).toMatchObject({
      verdict: 'allow',
      rewrite: { value: { a: 1 } },
      specific: { updatedPermissions: [{ type: 'addRules' }] },
      warnings: [],
    });
    expect(answer({ behavior: 'deny', message: 'no', interrupt: true })).toMatchObject({
      verdict: 'deny',
      reason: 'no',
      specific: { interrupt: true },
      warnings: [],
    });
  });

  it('reads no other spelling', () => {
    for (const decision of ['approve', 'allow']) {
      const { verdict, warnings } = read('PermissionRequest', { decision });
      expect([verdict, warnings]).toEqual([undefined, [expect.stringContaining('hookSpecificOutput.decision')]]);
    }
    const flat = read('PermissionRequest', specific('PermissionRequest', { permissionDecision: 'allow' }));
    expect([flat.verdict, flat.warnings]).toEqual([undefined, [expect.stringContaining('"permissionDecision"')]]);
  });

  const own = (keys: Json, beside: Json = {}): Json => ({ ...beside, ...specific('PermissionRequest', keys) });
  const onTool = (keys: Json, beside: Json = {}): Json => ({ ...beside, ...specific('PreToolUse', keys) });
  it.each([
    ['PermissionRequest', own({ permissionDecision: 'deny' })],
    ['PermissionRequest', own({}, { decision: 'block' })],
    ['PermissionRequest', own({}, { decision: 'deny', reason: 'no' })],
    ['PermissionRequest', own({ decision: { behavior: 'allow' } }, { decision: 'block' })],
    ['PermissionRequest', own({ decision: { behavior: 'allow' }, permissionDecision: 'deny' })],
    ['PreToolUse', onTool({ decision: { behavior: 'deny', message: 'no' } })],
    ['PreToolUse', onTool({ behavior: 'deny' })],
    ['PreToolUse', onTool({ permissionDecision: 'allow', decision: { behavior: 'deny' } })],
    ['PreModelSwitch', specific('PreModelSwitch', { decision: { behavior: 'deny' } })],
  ] as const)("%s: a deny in another gate's words is no silence: %j", (event, output) => {
    expect(bad(event, output)).toMatch(/^a deny in words that \w+ does not read: expected \{ hookSpecificOutput/);
    // Claude Code does not read it either.
    expect(bad(event, output, { dialect: 'claude' })).toBeUndefined();
  });

  it.each([
    ['PermissionRequest', own({ decision: { behavior: 'deny' }, permissionDecision: 'deny' })],
    ['PermissionRequest', own({ decision: { behavior: 'deny' } }, { decision: 'block' })],
    ['PermissionRequest', own({ permissionDecision: 'ask' })],
    ['PreToolUse', onTool({ permissionDecision: 'deny', decision: { behavior: 'deny' } })],
    ['PreToolUse', onTool({ behavior: 'deny' }, { decision: 'block' })],
    ['PreToolUse', onTool({ behavior: 'deny' }, { continue: false })],
  ] as const)('%s: where nothing is lost, it is a warning: %j', (event, output) => {
    expect(bad(event, output)).toBeUndefined();
  });

  /** Every word in which a program may say no or ask, at top level and inside `hookSpecificOutput`. */
  const keys = ['permissionDecision', 'behavior', 'decision', 'permission', 'verdict'];
  const words = keys.flatMap((key) => ['deny', 'block', 'ask', 'Deny'].map((word): Json => ({ [key]: word })));
  words.push({ decision: { behavior: 'deny' } }, { decision: { behavior: 'block' } });
  const gates: readonly EventSpec[] = [
    ...Object.values<EventSpec>(CATALOGUE).filter(({ fold }) => fold === 'gate'),
    withName('Deploy', defineEvent({ fold: 'gate', input: z.object({}) })),
    withName('Note', defineEvent({ fold: 'gate', input: z.object({}), output: z.object({ note: z.string() }) })),
  ];
  it.each(gates)('$name: a denial or an ask in any words is one, or it is bad_schema, never silence', (spec) => {
    const read: (string | undefined)[] = [];
    for (const said of words)
      for (const output of [said, { hookSpecificOutput: { hookEventName: spec.name, ...said } }])
        for (const more of [{}, { systemMessage: 'hi' }]) {
          const given = { ...output, ...more };
          const result = readOutput(spec, given, { eventName: spec.name, nameRequired: true });
          const verdict = 'bad' in result ? 'bad_schema' : result.outcome.verdict;
          const isAsk = Object.values(said).includes('ask');
          // On PermissionRequest no opinion is an ask; in its wrapper, where it was meant for this gate, it is only a warning.
          const same = isAsk && spec.nestedDecision && (verdict ?? 'none') === 'none';
          if (!same) expect([given, verdict]).toEqual([given, expect.stringMatching(/^(deny|ask|bad_schema)$/)]);
          read.push(verdict);
          const claude = readOutput(spec, given, { eventName: spec.name, nameRequired: true, dialect: 'claude' });
          if (!('bad' in claude) && 'bad' in result) expect(claude.outcome.verdict).not.toBe('deny');
        }
    expect(new Set(read)).toContain('deny');
    expect(new Set(read)).toContain('bad_schema');
  });

  it.each(['PermissionRequest', 'PreToolUse', 'PreModelSwitch'] as const)(
    '%s: no inner object goes unwrapped',
    (event) => {
      for (const key of ['permissionDecision', 'behavior'])
        for (const word of ['allow', 'ask', 'deny'])
          expect([key, word, bad(event, { [key]: word })]).toEqual([key, word, expect.any(String)]);
    },
  );

  it('takes a word that is no stricter than what is read beside it for a warning', () => {
    const allowed = { hookSpecificOutput: { decision: { behavior: 'allow' } } };
    const cases: readonly (readonly ['PreToolUse' | 'PermissionRequest', object, string | undefined])[] = [
      ['PreToolUse', { ...ask('sure?'), behavior: 'allow' }, 'ask'],
      ['PreToolUse', { ...ask('sure?'), permission: 'ask' }, 'ask'],
      ['PreToolUse', { ...allow(), behavior: 'allow' }, 'allow'],
      ['PreToolUse', { ...defer('later'), behavior: 'allow' }, 'defer'],
      ['PreToolUse', { ...addContext('c'), behavior: 'allow' }, undefined],
      ['PreToolUse', { hookSpecificOutput: { updatedInput: { command: 'ls' } }, behavior: 'allow' }, undefined],
      ['PermissionRequest', { ...allowed, permissionDecision: 'allow' }, 'allow'],
      ['PermissionRequest', { ...deny('no'), behavior: 'allow' }, 'deny'],
    ];
    for (const [event, answer, verdict] of cases) {
      const spec: EventSpec = CATALOGUE[event];
      const read = readOutput(spec, helperToOutput(spec, answer), { eventName: event, nameRequired: false });
      expect([answer, read]).toEqual([
        answer,
        { outcome: expect.objectContaining({ output: expect.anything() as object }), warnings: [expect.any(String)] },
      ]);
      expect('outcome' in read && read.outcome.verdict).toBe(verdict);
    }
  });

  it('keeps what is read of a wrong answer, except an allow', () => {
    const spec: EventSpec = CATALOGUE.PreToolUse;
    const how = { eventName: 'PreToolUse', nameRequired: false } as const;
    const asked = specific('PreToolUse', { permissionDecision: 'ask', updatedInput: { command: 'ls' } });
    for (const wrong of [{ permission: 'deny' }, { systemMessage: 5 }, { permissionDecision: 'deny' }]) {
      const kept = { verdict: 'ask', rewrite: { value: { command: 'ls' } } };
      expect(readOutput(spec, { ...asked, ...wrong }, how)).toMatchObject({ bad: expect.any(String), kept });
      const claude = readOutput(spec, { ...asked, ...wrong }, { ...how, nameRequired: true, dialect: 'claude' });
      expect(claude).not.toHaveProperty('kept');
    }
    const allowed = specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'ls' } });
    const read = readOutput(spec, { ...allowed, permission: 'deny' }, how);
    expect(read).toHaveProperty('kept.rewrite');
    expect(read).not.toHaveProperty('kept.verdict');
  });

  it('knows the words of verdicts by themselves, not those of every object', () => {
    for (const word of ['constructor', '__proto__', 'toString'])
      expect([word, bad('PreToolUse', { verdict: word, permission: word })]).toEqual([word, undefined]);
  });

  it('takes an input that a hook prints for no answer, but a word of it alone for one', () => {
    const spec = withName('Moved', defineEvent({ fold: 'gate', input: z.object({ permission: z.string() }) }));
    const how = { eventName: 'Moved', nameRequired: false };
    expect(readOutput(spec, { hook_event_name: 'Moved', permission: 'deny' }, how)).not.toHaveProperty('bad');
    expect(readOutput(spec, { permission: 'deny' }, how)).toHaveProperty('bad');
  });

  it('ignores what belongs to the other behavior', () => {
    const deny = answer({ behavior: 'deny', updatedInput: { a: 1 }, updatedPermissions: [] });
    expect(deny.rewrite).toBeUndefined();
    expect(deny.specific).toBeUndefined();
    expect(deny.warnings).toHaveLength(2);
    const allow = answer({ behavior: 'allow', message: 'no', interrupt: true });
    expect([allow.reason, allow.specific, allow.warnings.length]).toEqual([undefined, undefined, 2]);
    expect(answer({ behavior: 'deny', mesage: 'x' }).warnings).toEqual([
      'unknown key "mesage" in hookSpecificOutput.decision; did you mean "message"?',
    ]);
  });

  it('names what is wrong inside the decision', () => {
    const wrong = (decision: unknown): string | undefined =>
      bad('PermissionRequest', specific('PermissionRequest', { decision }));
    expect(wrong({ behavior: 'maybe' })).toBe(
      'hookSpecificOutput.decision.behavior: expected one of "allow", "deny", got "maybe"',
    );
    expect(wrong({})).toBe('hookSpecificOutput.decision.behavior: expected one of "allow", "deny", got nothing');
    expect(wrong({ behavior: 'deny', message: 3 })).toBe(
      'hookSpecificOutput.decision.message: expected string, got number',
    );
    expect(wrong({ behavior: 'allow', updatedInput: 'ls' })).toBe(
      'hookSpecificOutput.decision.updatedInput: expected object, got string',
    );
    expect(wrong('allow')).toBe('hookSpecificOutput.decision: expected object, got string');
  });

  it('says where misplaced keys belong', () => {
    const how = { eventName: 'PermissionRequest', nameRequired: false };
    const behavior = { behavior: 'deny', message: 'no' };
    for (const output of [behavior, specific('PermissionRequest', behavior)]) {
      // In Claude Code's own files it is the client's to say; from code it is a guard that would guard nothing.
      expect(readOutput(entryOf('PermissionRequest'), output, { ...how, dialect: 'claude' })).toMatchObject({
        outcome: expect.not.objectContaining({ verdict: expect.anything() as string }),
        warnings: expect.arrayContaining([expect.stringMatching(/"behavior".*hookSpecificOutput\.decision/)]),
      });
      expect(readOutput(entryOf('PermissionRequest'), output, how)).toEqual({
        bad: 'behavior belongs into decision: { hookSpecificOutput: { decision: { behavior: … } } }',
      });
    }
    // Also beside a decision that says otherwise; what ends the loop does so all the same.
    const allows = specific('PermissionRequest', { decision: { behavior: 'allow' } });
    expect(readOutput(entryOf('PermissionRequest'), { ...allows, ...behavior }, how)).toHaveProperty('bad');
    const both = specific('PermissionRequest', { decision: { behavior: 'allow' }, behavior: 'deny' });
    expect(readOutput(entryOf('PermissionRequest'), both, how)).toHaveProperty('bad');
    const same = specific('PermissionRequest', { decision: { behavior: 'deny' }, behavior: 'deny' });
    expect(read('PermissionRequest', same).verdict).toBe('deny');
    const ends = { continue: false, ...specific('PermissionRequest', { behavior: 'deny' }) };
    expect(readOutput(entryOf('PermissionRequest'), ends, how)).not.toHaveProperty('bad');
    expect(read('PermissionRequest', { updatedInput: {} }).warnings).toEqual([
      '"updatedInput" at top level does nothing; put it in hookSpecificOutput.decision',
    ]);
  });
});

describe('PostToolUse', () => {
  it('replaces the result by anything, null too', () => {
    for (const updatedToolOutput of ['text', null, false, { a: [1] }, [1]]) {
      const outcome = read('PostToolUse', specific('PostToolUse', { updatedToolOutput }));
      expect(outcome.rewrite).toEqual({ value: updatedToolOutput });
    }
    expect(read('PostToolUse', specific('PostToolUse', { updatedToolOutput: undefined })).rewrite).toBeUndefined();
  });

  it('reads updatedMCPToolOutput of MCP tools only, after updatedToolOutput', () => {
    const output = specific('PostToolUse', { updatedMCPToolOutput: 'mcp' });
    expect(read('PostToolUse', output, { mcpTool: true })).toMatchObject({ rewrite: { value: 'mcp' }, warnings: [] });
    const builtIn = read('PostToolUse', output);
    expect(builtIn.rewrite).toBeUndefined();
    expect(builtIn.warnings).toEqual([expect.stringContaining('"updatedMCPToolOutput" does nothing')]);
    const both = specific('PostToolUse', { updatedMCPToolOutput: 'mcp', updatedToolOutput: 'any' });
    expect(read('PostToolUse', both, { mcpTool: true }).rewrite).toEqual({ value: 'any' });
  });
});

describe('replace events', () => {
  it('have one value, or an object of several', () => {
    expect(read('MessageDisplay', specific('MessageDisplay', { displayContent: '' })).value).toBe('');
    expect(read('WorktreeCreate', specific('WorktreeCreate', { worktreePath: '/w' })).value).toBe('/w');
    const answer = { action: 'accept', content: { name: 'x' } };
    expect(read('Elicitation', specific('Elicitation', answer)).value).toEqual(answer);
    expect(read('ElicitationResult', specific('ElicitationResult', { action: 'cancel' })).value).toEqual({
      action: 'cancel',
    });
    expect(read('Elicitation', specific('Elicitation', {}))).not.toHaveProperty('value');
  });

  it('are declined by a block whatever else is said', () => {
    const output = { decision: 'block', reason: 'no', ...specific('Elicitation', { action: 'accept', content: {} }) };
    expect(read('Elicitation', output)).toMatchObject({ value: { action: 'decline' }, reason: 'no' });
    const worktree = { decision: 'block', ...specific('WorktreeCreate', { worktreePath: '/w' }) };
    expect(read('WorktreeCreate', worktree)).toMatchObject({ block: true });
    expect(read('WorktreeCreate', worktree)).not.toHaveProperty('value');
  });
});

describe('the other keys of an event', () => {
  it('are handed on as they are', () => {
    const rows: [HookEvent, Json][] = [
      ['PermissionDenied', { retry: true }],
      ['UserPromptSubmit', { sessionTitle: 't', suppressOriginalPrompt: true }],
      ['SessionStart', { initialUserMessage: 'hi', sessionTitle: 't', watchPaths: ['/a'], reloadSkills: true }],
      ['PostToolUse', { classifierContext: 'x' }],
      ['CwdChanged', { watchPaths: [] }],
      ['FileChanged', { watchPaths: ['a', 'b'] }],
    ];
    for (const [name, keys] of rows) {
      expect(read(name, specific(name, keys))).toMatchObject({ specific: keys, warnings: [] });
    }
    expect(bad('CwdChanged', specific('CwdChanged', { watchPaths: ['a', 1] }))).toBe(
      'hookSpecificOutput.watchPaths[1]: expected string, got number',
    );
  });
});

describe('a warning', () => {
  const warnings = (name: HookEvent, output: Json): readonly string[] => read(name, output).warnings;

  it('says where a key belongs', () => {
    const how = { eventName: 'PreToolUse', nameRequired: false };
    // In Claude Code's own files it is the client's to say; from code it is a guard that would guard nothing.
    expect(readOutput(entryOf('PreToolUse'), { updatedInput: {} }, { ...how, dialect: 'claude' })).toMatchObject({
      warnings: ['"updatedInput" at top level does nothing; put it in hookSpecificOutput'],
    });
    for (const inner of [{ updatedInput: {} }, { permissionDecision: 'deny' }, { permissionDecisionReason: 'x' }])
      expect(readOutput(entryOf('PreToolUse'), inner, how)).toEqual({
        bad: expect.stringContaining('hookSpecificOutput'),
      });
    expect(warnings('ElicitationResult', { action: 'cancel', mode: 'form' })).toEqual([
      '"action" at top level does nothing; put it in hookSpecificOutput',
      'the output repeats fields of the input (mode), which does nothing',
    ]);
    expect(warnings('PreToolUse', specific('PreToolUse', { continue: false }))).toEqual([
      '"continue" in hookSpecificOutput does nothing; put it at top level',
    ]);
    expect(warnings('PostToolUse', specific('PostToolUse', { permissionDecision: 'deny' }))).toEqual([
      '"permissionDecision" in hookSpecificOutput does nothing on PostToolUse',
    ]);
    expect(warnings('Stop', { permissionDecision: 'deny' })).toEqual(['"permissionDecision" does nothing on Stop']);
    expect(warnings('SessionStart', { asyncTimeout: 3 })).toEqual([
      '"asyncTimeout" does nothing without "async": true',
    ]);
  });

  it('says what was probably meant', () => {
    expect(warnings('Stop', { sytemMessage: 'x' })).toEqual([
      'unknown key "sytemMessage"; did you mean "systemMessage"?',
    ]);
    expect(warnings('PreToolUse', { permisionDecision: 'deny' })).toEqual([
      'unknown key "permisionDecision"; did you mean "permissionDecision" in hookSpecificOutput?',
    ]);
    expect(warnings('PreToolUse', specific('PreToolUse', { aditionalContext: 'x' }))).toEqual([
      'unknown key "aditionalContext" in hookSpecificOutput; did you mean "additionalContext"?',
    ]);
  });

  it('is one for a hook that prints its whole input', () => {
    const input = { session_id: 's', transcript_path: 't', cwd: '/', tool_name: 'Bash', tool_input: {}, extra: 1 };
    expect(warnings('PreToolUse', input)).toEqual([
      'unknown key "extra"',
      'the output repeats fields of the input (session_id, transcript_path, cwd …), which does nothing',
    ]);
  });
});

describe('custom events', () => {
  const Deploy: EventSpec = withName('Deploy', defineEvent({ input: z.object({ target: z.string() }), fold: 'gate' }));
  const Publish: EventSpec = withName(
    'Publish',
    defineEvent({
      input: z.object({ page: z.unknown() }),
      fold: 'gate',
      rewrites: { field: 'page', keys: ['updatedInput'] },
    }),
  );
  const Draw: EventSpec = withName('Draw', defineEvent({ input: z.object({}), fold: 'replace' }));
  const readOf = (spec: EventSpec, keys: Json): unknown =>
    readOutput(spec, { hookSpecificOutput: keys }, { eventName: spec.name, nameRequired: false });

  it('are read by their fold', () => {
    expect(readOf(Deploy, { permissionDecision: 'defer', additionalContext: 'c' })).toMatchObject({
      outcome: { verdict: 'defer', additionalContext: 'c' },
      warnings: [],
    });
    expect(readOf(Draw, { value: 3 })).toMatchObject({ outcome: { value: 3 }, warnings: [] });
  });

  it('are rewritten only if they say what', () => {
    const ignored = readOf(Deploy, { updatedInput: 'x' });
    expect(ignored).toMatchObject({ warnings: ['"updatedInput" in hookSpecificOutput does nothing on Deploy'] });
    expect(ignored).not.toHaveProperty('outcome.rewrite');
    expect(ignored).not.toHaveProperty('outcome.specific');
    expect(readOf(Publish, { updatedInput: 'x' })).toMatchObject({
      outcome: { rewrite: { value: 'x' } },
      warnings: [],
    });
  });
});

describe('an event whose output lacks the keys of its fold', () => {
  const Bare: EventSpec = withName('Bare', defineEvent({ input: z.object({}), fold: 'gate', output: z.object({}) }));

  it('does not read what it has no schema for, and checks a verdict', () => {
    const how = { eventName: 'Bare', nameRequired: false };
    const context = { additionalContext: 7 };
    const result = readOutput(Bare, { hookSpecificOutput: context }, how);
    expect(result).toEqual({ outcome: { output: { hookSpecificOutput: context } }, warnings: [expect.any(String)] });
    for (const keys of [{ permissionDecision: 7 }, { permissionDecisionReason: 7 }])
      expect(readOutput(Bare, { hookSpecificOutput: keys }, how)).toHaveProperty('bad');
  });
});

describe('an output made of code', () => {
  it('is copied at once, so that nobody can change it afterwards', () => {
    const mine = { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { list: [{ a: 1 }] } } };
    const outcome = read('PreToolUse', mine);
    (mine.hookSpecificOutput.updatedInput.list[0] as Json)['a'] = 2;
    expect(outcome.rewrite).toEqual({ value: { list: [{ a: 1 }] } });
    expect(outcome.output).toEqual(specific('PreToolUse', { updatedInput: { list: [{ a: 1 }] } }));
  });

  it('may hold read-only views', () => {
    const view = new Proxy({ command: 'ls', env: new Proxy({ A: '1' }, {}) }, { set: () => false });
    const outcome = read('PreToolUse', specific('PreToolUse', { updatedInput: view }));
    const value = outcome.rewrite?.value as Json;
    expect(value).toEqual({ command: 'ls', env: { A: '1' } });
    expect(structuredClone(value)).toEqual(value);
  });

  it('never throws, whatever it does when it is read', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const boom = (): never => {
      throw new Error('boom');
    };
    const hostile = new Proxy({}, { ownKeys: boom, get: boom });
    const unprintable = {
      get reason(): never {
        throw Object.defineProperty(new Error(), 'message', { get: boom });
      },
    };
    for (const output of [
      hostile,
      unprintable,
      revoked.proxy,
      {
        get decision() {
          return boom();
        },
      },
    ]) {
      expect(bad('PreToolUse', output)).toMatch(/^it cannot be read: /);
    }
    expect(bad('PreToolUse', specific('PreToolUse', { updatedInput: { f: boom } }))).toBe(
      'hookSpecificOutput.updatedInput.f: expected JSON data, got function',
    );
  });

  it('does not fail for what an unknown key holds', () => {
    const output = {
      decision: 'block',
      helper: () => 1,
      state: new Map(),
      get broken() {
        throw new Error('x');
      },
    };
    const { verdict, output: kept, warnings } = read('PreToolUse', output);
    expect([verdict, kept, warnings.length]).toEqual(['deny', { decision: 'block' }, 3]);
  });

  it('cannot reach a prototype', () => {
    const outcome = read(
      'PreToolUse',
      JSON.parse(
        '{"__proto__":{"decision":"block"},"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"__proto__":{"x":1}}}}',
      ),
    );
    expect(outcome.verdict).toBeUndefined();
    expect(Object.getPrototypeOf(outcome.rewrite?.value)).toBe(Object.prototype);
    expect(JSON.stringify(outcome.rewrite?.value)).toBe('{"__proto__":{"x":1}}');
  });

  it('keeps long strings whole', () => {
    const long = 'x'.repeat(200_000);
    expect(read('Stop', { decision: 'block', reason: long }).reason).toBe(long);
    expect(read('Stop', specific('Stop', { additionalContext: long })).additionalContext).toBe(long);
  });
});

it('a key of a gate outside hookSpecificOutput is nothing if its value is undefined', () => {
  const keys = ['permissionDecision', 'permissionDecisionReason', 'updatedInput'];
  for (const key of keys) {
    const how = { nameRequired: false };
    expect(bad('PreToolUse', { [key]: undefined }, how)).toBeUndefined();
    const said = { ...specific('PreToolUse', { permissionDecision: 'allow' }), [key]: undefined };
    expect(read('PreToolUse', said, how)).toMatchObject({ verdict: 'allow', warnings: [] });
    expect(bad('PreToolUse', { [key]: 'x' }, how)).toContain(`${key} belongs into hookSpecificOutput`);
  }
});
