import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentCodec, TABLES } from '../../src/agents/agents.js';
import type { Answer } from '../../src/agents/codec.js';
import { supports } from '../../src/agents/supports.js';
import { SAYABLE } from '../../src/agents/table.js';
import { wishesOf } from '../../src/agents/wishes.js';
import { createHost } from '../../src/create-host.js';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { ROOT } from '../package/sources.js';

const FOLDER = join(ROOT, 'src/agents');

test('what reads the tables knows no agent by name', () => {
  // Each agent's own files are in a folder of theirs; one file lists them.
  const engine = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && file !== 'agents.ts');
  expect(engine.length).toBeGreaterThan(8);
  for (const file of engine) {
    const code = readFileSync(join(FOLDER, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(code, file).not.toMatch(/codex|copilot|gemini|cursor|claude.?code/i);
  }
});

describe.each(TABLES.map((table) => [table.name, table] as const))('%s', (name, table) => {
  test('says everything as something that it has words for', () => {
    for (const { name: event, says } of table.events)
      for (const [what, entry] of Object.entries(says)) {
        expect(SAYABLE, `${event} ${what}`).toContain(what);
        if ('as' in entry) expect(says[entry.as], `${event} ${what}`).toBeDefined();
        if ('say' in entry && entry.needs) expect(says[entry.needs], `${event} ${what}`).toBeDefined();
      }
  });

  test('maps only events that there are, and describes its own', () => {
    for (const { ours, own } of table.events) {
      if (own === undefined) expect(HOOK_EVENTS).toContain(ours);
      else expect(ours in CATALOGUE, ours).toBe(false);
    }
  });

  test('answers the question of each event and each thing to say', () => {
    for (const event of HOOK_EVENTS) {
      const row = table.events.find((one) => one.name === event) ?? table.events.find((one) => one.ours === event);
      for (const what of SAYABLE) {
        const { carried, why, source } = supports(name, event, what);
        expect(carried !== 'no' || why !== undefined, `${event} ${what}`).toBe(true);
        // What is known from documents alone is never said to have been seen.
        expect(source, `${event} ${what}`).toBe(row?.source ?? table.source);
      }
    }
  });

  test('waits no longer than it does', () => {
    const codec = agentCodec(name);
    for (const { name: event, timeout } of table.events) {
      expect(codec.timeout(event)).toBeLessThanOrEqual(timeout?.usual ?? table.limits.timeout);
      if (timeout?.most !== undefined) expect(codec.timeout(event, 10_000)).toBe(timeout.most);
    }
    const { usual, unit } = table.files.timeout;
    expect(unit === 'ms' ? usual / 1000 : usual).toBe(table.limits.timeout);
  });
});

test('docs/agents.md has as many noes of each agent as were recorded, and all of them through hookscope', () => {
  const page = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8');
  expect(page).toContain(
    '| noes heard | 10 of 13 | 13 of 13 | 5 of 13 | 13 of 13 | 7 of 13 | 13 of 13 | 7 of 13 | 13 of 13 |',
  );
  expect(page).toContain(
    '| broken guards stopped | 0 of 5 | 5 of 5 | 0 of 5 | 5 of 5 | 4 of 5 | 5 of 5 | 2 of 5 | 5 of 5 |',
  );
});

test('of an agent that nobody here has run everything is from documents', () => {
  const { source } = supports('cursor', 'PreToolUse', 'deny');
  expect(source).toBe('documents');
  expect(TABLES.filter((table) => table.source === 'documents').map((table) => table.name)).toEqual(['cursor']);
});

test('every field of a decision that asks something is read', () => {
  /** What a decision tells, and asks nothing by. */
  const told = [
    'event',
    'fold',
    'decidedBy',
    'overruled',
    'failures',
    'answered',
    'conflicts',
    'endedBy',
    'outcomes',
    'toJSON',
  ] as const satisfies readonly (keyof AnyDecision)[];
  type Asking = Exclude<keyof AnyDecision, (typeof told)[number]>;
  const everything: Required<Pick<AnyDecision, Asking>> & Answer = {
    verdict: 'ask',
    blocked: true,
    continues: true,
    continue: true,
    reason: 'r',
    stopReason: 's',
    updatedInput: {},
    updatedOutput: 'x',
    value: 'v',
    suppressOutput: true,
    additionalContext: ['c'],
    systemMessages: ['m'],
    interrupt: true,
    updatedPermissions: [{}],
    retry: true,
    sessionTitle: 't',
    initialUserMessage: 'i',
    watchPaths: ['/p'],
    suppressOriginalPrompt: true,
    reloadSkills: true,
    classifierContext: 'k',
    terminalSequence: 'q',
  };
  const asked = new Set(wishesOf(everything).map(({ what }) => what));
  expect(SAYABLE.filter((what) => !asked.has(what))).toEqual(['allow', 'deny', 'defer', 'stop']);
});

describe('host.supports', () => {
  const host = createHost();

  test('says what an agent can be told, and by its own name of an event too', async () => {
    expect(await host.supports('copilot', 'preToolUse', 'ask')).toEqual({ carried: 'yes', source: 'seen' });
    expect(await host.supports('gemini', 'PreToolUse', 'ask')).toMatchObject({
      carried: 'as',
      as: 'deny',
      attended: true,
    });
    expect(await host.supports('codex', 'PreToolUse', 'allow')).toMatchObject({ carried: 'silent' });
    expect(await host.supports('codex', 'MessageDisplay', 'value')).toMatchObject({
      carried: 'no',
      why: 'Codex CLI has no such event',
    });
    expect(await host.supports('claude-code', 'MessageDisplay', 'value')).toMatchObject({ carried: 'yes' });
  });

  test('refuses names that are none, with the nearest', async () => {
    await expect(host.supports('coplot', 'Stop', 'stop')).rejects.toThrow('Did you mean "copilot"?');
    await expect(host.supports('codex', 'Stop', 'contxt' as never)).rejects.toThrow('Did you mean "context"?');
  });
});
