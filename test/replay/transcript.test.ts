import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createHost } from '../../src/index.js';
import type { RecordedFire } from '../../src/replay/recorded.js';
import { isTranscriptLine, transcriptFires } from '../../src/replay/transcript.js';
import { generated } from '../seed.js';
import { readRecording } from '../session/recorded-session.js';
import { all } from './all.js';

const FOLDER = fileURLToPath(new URL('../fixtures/transcripts/', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'hookscope-transcript-'));
afterAll(() => rmSync(dir, { recursive: true }));

const read = (file: string, note?: (text: string) => void): Promise<RecordedFire[]> =>
  all(transcriptFires(file, note ? { note } : {}));

/** Events that a transcript does not tell of; docs/replay.md says so. */
const UNTOLD = ['InstructionsLoaded', 'PermissionRequest', 'Notification', 'SessionEnd'];
/** Fields of hooks that a transcript does not hold. */
const NOT_HELD = ['duration_ms', 'permission_suggestions', 'transcript_path', 'agent_transcript_path', 'effort'];

interface Told {
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** By agent, in order; what runs beside each other comes in any order, so that neighbours of one kind are sorted by their call. */
function byAgent(told: readonly Told[]): Record<string, unknown[]> {
  const agents: Record<string, { key: string; input: object }[]> = {};
  for (const { event, input } of told) {
    const fields = Object.entries(input).filter(([key, value]) => !NOT_HELD.includes(key) && value !== undefined);
    const agent = String(input['agent_id'] ?? 'main');
    const list = agents[agent] ?? [];
    agents[agent] = list;
    const entry = { key: `${event} ${String(input['tool_use_id'] ?? '')}`, input: Object.fromEntries(fields) };
    let at = list.length;
    while (at > 0 && list[at - 1]?.key.split(' ')[0] === event && (list[at - 1] as { key: string }).key > entry.key)
      at--;
    list.splice(at, 0, entry);
  }
  return agents;
}

describe('the same sessions, by their transcripts and by what the real client sent to its hooks', () => {
  test.each([
    ['simple', 'simple'],
    ['permission-denied', 'permissions'],
    ['with-subagents', 'two-parallel-subagents'],
  ])('%s', async (transcript, session) => {
    const fires = await read(join(FOLDER, `${transcript}.jsonl`));
    const sent = readRecording(session).filter(({ event }) => !UNTOLD.includes(event));
    // Of subagents' calls a transcript has the text that the model got.
    const without = fires.flatMap(({ inferred, toolUse }) =>
      inferred.includes('input.tool_response') ? [toolUse] : [],
    );
    const comparable = ({ event, input }: Told): Told => {
      const { tool_response: _, ...rest } = input;
      return event === 'PostToolUse' && without.includes(String(input['tool_use_id']))
        ? { event, input: rest }
        : { event, input };
    };
    const found = byAgent(fires.filter(({ event }) => !UNTOLD.includes(event)).map(comparable));
    const wanted = byAgent(sent.map(comparable));
    expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
    for (const [agent, list] of Object.entries(wanted)) expect([agent, found[agent]]).toEqual([agent, list]);
    for (const fire of fires) expect(fire.inferred).toContain('decision');
  });
});

const of = (fires: readonly RecordedFire[], toolUse: string): RecordedFire =>
  fires.find((fire) => fire.toolUse === toolUse && fire.event === 'PreToolUse') as RecordedFire;
const WHOLE = join(FOLDER, 'hooks-and-compaction.jsonl');

describe('what a transcript tells of hooks', () => {
  test('a deny with its reason, a rewrite, a stop that went on, a compaction, and the agent among it all', async () => {
    const fires = await read(WHOLE);
    expect(of(fires, 'toolu_main_1_0').decision).toMatchObject({ verdict: 'deny', reason: 'Push by hand.' });
    const rewritten = of(fires, 'toolu_main_2_0');
    expect(rewritten.input).toMatchObject({ tool_input: { command: 'echo rewrite me' } });
    expect(rewritten.versions).toEqual([{ command: 'echo rewritten', description: 'Echo' }]);
    expect(rewritten.inferred).toEqual(['decision', 'input.tool_input', 'versions']);
    const after = fires.find(({ toolUse, event }) => toolUse === 'toolu_main_2_0' && event === 'PostToolUse');
    expect(after?.input).toMatchObject({ tool_input: { command: 'echo rewritten' } });
    const stops = fires.filter(({ event }) => event === 'Stop');
    expect(stops.map(({ input, decision }) => [input['stop_hook_active'], decision?.['continues']])).toEqual([
      [false, true],
      [true, false],
      [false, false],
    ]);
    expect(stops[0]?.decision?.['reason']).toBe('Say more.');
    expect(fires.slice(-3).map(({ event, input }) => [event, input['trigger'] ?? input['source']])).toEqual([
      ['PreCompact', 'manual'],
      ['SessionStart', 'compact'],
      ['PostCompact', 'auto'],
    ]);
    const agent = fires.filter(({ scope }) => scope === 'ab0cf2a10669b217e');
    expect(agent.map(({ event }) => event)).toEqual([
      'SubagentStart',
      'PreToolUse',
      'PreToolUse',
      'PostToolUse',
      'PostToolBatch',
      'SubagentStop',
    ]);
    expect(agent.every(({ agentType, session }) => agentType === 'surveyor' && session === fires[0]?.session)).toBe(
      true,
    );
    // Among the main agent's, at its time.
    expect(fires.indexOf(agent[0] as RecordedFire)).toBeGreaterThan(fires.indexOf(of(fires, 'toolu_main_3_0')));
    expect(new Set(fires.map(({ id }) => id)).size).toBe(fires.length);
  });

  test('who was asked about the permission and said no', async () => {
    const fires = await read(join(FOLDER, 'permission-denied.jsonl'));
    const asked = fires.filter(({ event }) => event === 'PermissionRequest');
    expect(asked.map(({ toolUse, decision }) => [toolUse, decision?.['verdict'], decision?.['reason']])).toEqual([
      ['toolu_main_1_0', 'deny', 'Publishing needs a human.'],
    ]);
    // A hook allowed it, and nobody knows on which event.
    expect(of(fires, 'toolu_main_0_0').decision).toBeUndefined();
    expect(of(fires, 'toolu_main_3_0').decision).toMatchObject({ verdict: 'none' });
  });

  test('an interruption is no stop, and a call that the client refuses is none', async () => {
    const [prompt, , call, result] = lines('simple.jsonl') as [string, string, string, string];
    const said = { ...(JSON.parse(lines('simple.jsonl').at(-1) as string) as object), uuid: 'u' };
    const interrupted = JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    });
    const { fires } = await readText([prompt, JSON.stringify(said), interrupted].join('\n'));
    expect(shape(fires).map(([event]) => event)).toEqual(['SessionStart', 'UserPromptSubmit']);
    const refused = result.replace(
      '"CLAUDE.md\\ngreet.js","is_error":false',
      '"<tool_use_error>InputValidationError: x</tool_use_error>","is_error":true',
    );
    expect(refused).not.toBe(result);
    const { fires: none } = await readText([prompt, call, refused].join('\n'));
    expect(shape(none).map(([event]) => event)).toEqual(['SessionStart', 'UserPromptSubmit', 'PostToolBatch']);
  });

  test("a subagent's file alone is that agent's", async () => {
    const fires = await read(join(FOLDER, 'with-subagents.agent-a9e4887d034009bc4.jsonl'));
    expect(fires.map(({ event }) => event)).toEqual(expect.arrayContaining(['SubagentStart', 'SubagentStop']));
    expect(new Set(fires.map(({ scope, agentType }) => `${scope} ${agentType}`))).toEqual(
      new Set(['a9e4887d034009bc4 builder']),
    );
  });

  test('every input is one that its event takes, and a host decides it', async () => {
    for (const name of ['hooks-and-compaction', 'simple', 'permission-denied', 'with-subagents', 'hook-denied']) {
      const host = createHost({ logger: () => {} });
      host.events$.subscribe(() => {});
      for (const { event, input } of await read(join(FOLDER, `${name}.jsonl`))) await host.fireAny(event, { ...input });
      await host.close();
    }
  });
});

const lines = (name: string): string[] => readFileSync(join(FOLDER, name), 'utf8').trimEnd().split('\n');
let count = 0;
async function readText(text: string): Promise<{ fires: RecordedFire[]; notes: string[] }> {
  const notes: string[] = [];
  const file = join(dir, `t${count++}.jsonl`);
  writeFileSync(file, text);
  return { fires: await read(file, (note) => notes.push(note)), notes };
}
const shape = (fires: readonly RecordedFire[]) => fires.map(({ event, toolUse }) => [event, toolUse]);

describe('a transcript that is not whole', () => {
  test('a last line that is cut, lines that are no JSON, and one that is too long are noted with their place', async () => {
    const whole = lines('simple.jsonl');
    const { fires: expected } = await readText(whole.join('\n'));
    const huge = `{"type":"user","sessionId":"s","message":{"content":"${'x'.repeat(65 * 1024 * 1024)}"}}`;
    const odd = ['{ no', '[]', '7', '"text"', '', huge];
    const { fires, notes } = await readText([...odd, ...whole, (whole.at(-1) as string).slice(0, -20)].join('\n'));
    expect(shape(fires)).toEqual(shape(expected));
    expect(notes[0]).toMatch(/t\d+\.jsonl:1: this line is no JSON object, and is left out$/);
    expect(notes.join('\n')).toContain('its last line is not complete');
    expect(notes.join('\n')).toContain('2 more lines are no records');
  });

  test('types and fields of versions to come change nothing', async () => {
    const whole = lines('simple.jsonl');
    const { fires: expected } = await readText(whole.join('\n'));
    const more = whole.flatMap((line, i) => [
      JSON.stringify({ type: `later-${i}`, sessionId: 's', message: { role: 'user', content: 'not a prompt' } }),
      JSON.stringify({ type: 'attachment', attachment: 'text', sessionId: 'x' }),
      JSON.stringify({ type: 'system', subtype: 'later', content: null }),
      JSON.stringify({ ...(JSON.parse(line) as object), later: { a: [1] } }),
    ]);
    const { fires, notes } = await readText(more.join('\n'));
    expect(shape(fires)).toEqual(shape(expected));
    expect(notes).toEqual([]);
  });

  test('what is no file among the transcripts of subagents is left out', async () => {
    const own = join(dir, 'beside', 'main');
    for (const name of ['agent-a.jsonl', 'agent-a.meta.json'])
      mkdirSync(join(own, 'subagents', name), { recursive: true });
    copyFileSync(join(FOLDER, 'simple.jsonl'), `${own}.jsonl`);
    expect(await read(`${own}.jsonl`)).toHaveLength((await read(join(FOLDER, 'simple.jsonl'))).length);
  });

  test('older versions: lines of subagents within the main file, and no word on permissions', async () => {
    const agent = lines('with-subagents.agent-a4b31ea214a8f8e3d.jsonl').map((line) => {
      const { agentId: _, ...rest } = JSON.parse(line) as Record<string, unknown>;
      return JSON.stringify(rest);
    });
    const main = lines('with-subagents.jsonl').map((line) => {
      const { permissionDecision: _, toolDenialKind: __, ...rest } = JSON.parse(line) as Record<string, unknown>;
      return JSON.stringify(rest);
    });
    const { fires } = await readText([...main.slice(0, 7), ...agent, ...main.slice(7)].join('\n'));
    const scopes = new Set(fires.map(({ scope }) => scope));
    expect(scopes.size).toBe(2);
    expect(fires.filter(({ scope }) => scope === 'session').map(({ event }) => event)).toContain('Stop');
    expect(fires.filter(({ scope }) => scope !== 'session').map(({ event }) => event)).toEqual(
      expect.arrayContaining(['SubagentStart', 'PreToolUse', 'SubagentStop']),
    );
    expect(of(fires, 'toolu_main_0_0').decision).toMatchObject({ verdict: 'none' });
  });

  test('whatever is cut, doubled, moved or put into it, it is read to its end', async () => {
    const whole = lines('hooks-and-compaction.jsonl');
    const odd = fc.constantFrom(
      '{}',
      '{"type":"user"}',
      '{"type":"assistant","message":7}',
      '{"type":"user","message":{"content":[null,{"type":"tool_result"}]}}',
      '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"__proto__","name":"constructor","input":null}]}}',
      '{"type":"system","subtype":"compact_boundary","timestamp":"never"}',
      '{"__proto__":{"type":"user"},"type":"attachment","attachment":{"type":"hook_success","hookEvent":"PreToolUse","stdout":"{"}}',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constantFrom(...whole), odd), { maxLength: 40 }),
        fc.nat(200),
        async (some, cut) => {
          const text = some.join('\n');
          const { fires } = await readText(text.slice(0, Math.max(0, text.length - cut)));
          for (const { input, event, time } of fires) {
            expect(input['hook_event_name']).toBe(event);
            expect(Number.isNaN(Date.parse(time))).toBe(false);
          }
        },
      ),
      { numRuns: generated(25) },
    );
  });

  test('a prefix of it gives the same fires, as far as it goes', async () => {
    const whole = lines('simple.jsonl');
    const { fires: all } = await readText(whole.join('\n'));
    for (let end = 1; end < whole.length; end++) {
      const { fires } = await readText(whole.slice(0, end).join('\n'));
      // What came of the last calls is not known yet.
      const settled = shape(fires).slice(0, -2);
      expect(shape(all).slice(0, settled.length)).toEqual(settled);
    }
  });

  test('no file, an empty one, and a folder beside it that is none of its', async () => {
    await expect(read(join(dir, 'none.jsonl'))).rejects.toThrow(/none\.jsonl/);
    expect((await readText('')).fires).toEqual([]);
    copyFileSync(join(FOLDER, 'simple.jsonl'), join(dir, 'own.jsonl'));
    writeFileSync(join(dir, 'agent-other.jsonl'), lines('with-subagents.agent-a9e4887d034009bc4.jsonl').join('\n'));
    appendFileSync(join(dir, 'agent-empty.jsonl'), '');
    expect((await read(join(dir, 'own.jsonl'))).every(({ scope }) => scope === 'session')).toBe(true);
  });
});

test('a transcript is told from what sinks write by its first line', () => {
  for (const name of ['simple', 'hooks-and-compaction', 'with-subagents'])
    expect(isTranscriptLine(JSON.parse(lines(`${name}.jsonl`)[0] as string))).toBe(true);
  expect(isTranscriptLine({ type: 'summary', summary: 's', leafUuid: 'u' })).toBe(true);
  expect(isTranscriptLine({ seq: 1, type: 'hook_fire', session_id: 's' })).toBe(false);
  expect(isTranscriptLine({ at_ms: 1, event: 'Stop', input: {} })).toBe(false);
  expect(isTranscriptLine({})).toBe(false);
});

test('subagents whose transcripts are not beside it are told of', async () => {
  const told = async (file: string): Promise<string[]> => {
    const notes: string[] = [];
    await read(file, (note) => notes.push(note));
    return notes;
  };
  const folder = mkdtempSync(join(dir, 'alone-'));
  const alone = join(folder, 'alone.jsonl');
  copyFileSync(join(FOLDER, 'with-subagents.jsonl'), alone);
  expect(await told(alone)).toEqual([
    expect.stringMatching(/alone\.jsonl: the transcript of 2 subagents \(a[0-9a-f]+, …\) is not beside it, so that/),
  ]);
  copyFileSync(
    join(FOLDER, 'with-subagents.agent-a4b31ea214a8f8e3d.jsonl'),
    join(folder, 'alone.agent-a4b31ea214a8f8e3d.jsonl'),
  );
  expect(await told(alone)).toEqual([expect.stringContaining('of the subagent a9e4887d034009bc4 is not beside it')]);
  expect(await told(join(FOLDER, 'with-subagents.jsonl'))).toEqual([]);
});
