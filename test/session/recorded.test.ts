import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Input, Seen } from './kit.js';
import { readRecording, replay } from './recorded-session.js';

/**
 * Everything in which a session of ours differs from the recorded one that does the same; docs/compatibility.md says why, under
 * the same words. `-`: only the client fired it, `+`: only we did, `~`: another value.
 */
const DIFFERENCES: Readonly<Record<string, readonly { at: string; why: string }[]>> = {
  simple: [],
  'two-parallel-subagents': [],
  permissions: [{ at: 'main + PermissionDenied', why: 'PermissionDenied for deny rules' }],
  'interactive-permission': [{ at: 'main ~ SessionEnd.prompt_id', why: 'Commands that are not prompts' }],
  compaction: [{ at: 'af5a8bf29e406230c - SubagentStop', why: 'The agent that compacts' }],
};

/** The events of each scope. Of calls that run beside each other, equal events come in any order: they are sorted by call. */
function scopes(seen: readonly Seen[]): Map<string, Seen[]> {
  const found = new Map<string, Seen[]>();
  for (const { event, input } of seen) {
    const scope = String(input['agent_id'] ?? 'main');
    const list = found.get(scope) ?? [];
    const call = String(input['tool_use_id']);
    let at = list.length;
    while (
      at > 0 &&
      'tool_use_id' in input &&
      list[at - 1]?.event === event &&
      String(list[at - 1]?.input['tool_use_id']) > call
    )
      at--;
    list.splice(at, 0, { event, input });
    found.set(scope, list);
  }
  return found;
}

/** Ids that are made anew every time become numbers in the order they appear; time is no part of the comparison. */
function neutral(seen: readonly Seen[]): Seen[] {
  const prompts = new Map<unknown, string>();
  return seen.map(({ event, input }) => {
    const id = input['prompt_id'];
    if (id !== undefined && !prompts.has(id)) prompts.set(id, `prompt ${prompts.size + 1}`);
    const fixed: Record<string, unknown> = { ...input };
    if (id !== undefined) fixed['prompt_id'] = prompts.get(id);
    if ('duration_ms' in input) fixed['duration_ms'] = 'some time';
    return { event, input: fixed };
  });
}

function differences(recorded: readonly Seen[], driven: readonly Seen[]): string[] {
  const [a, b] = [scopes(neutral(recorded)), scopes(neutral(driven))];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((scope) =>
    align(a.get(scope) ?? [], b.get(scope) ?? []).map((d) => `${scope} ${d}`),
  );
}

/** Walks both lists; where the events differ, whichever side has the other's event further on has one too many. */
function align(recorded: readonly Seen[], driven: readonly Seen[]): string[] {
  const found: string[] = [];
  let [i, j] = [0, 0];
  while (i < recorded.length || j < driven.length) {
    const [theirs, ours] = [recorded[i], driven[j]];
    if (theirs && ours && theirs.event === ours.event) {
      found.push(...fields(theirs.event, theirs.input, ours.input));
      i++;
      j++;
    } else if (ours && (!theirs || driven.slice(j).some((s) => s.event === theirs.event))) {
      found.push(`+ ${ours.event}`);
      j++;
    } else {
      found.push(`- ${theirs?.event}`);
      i++;
    }
  }
  return found;
}

/** Values, and the order of the keys. */
function fields(event: string, theirs: Input, ours: Input): string[] {
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  const changed = keys.filter((key) => !isDeepStrictEqual(theirs[key], ours[key])).map((key) => `~ ${event}.${key}`);
  const sameKeys = Object.keys(theirs).join() === Object.keys(ours).join();
  return changed.length > 0 || sameKeys ? changed : [`~ ${event} (order of keys)`];
}

describe('a session with the same prompts, tools and persons fires what the real client was recorded to fire', () => {
  test.each(Object.entries(DIFFERENCES))('%s', async (name, known) => {
    const recording = readRecording(name);
    expect(differences(recording, await replay(recording))).toEqual(known.map(({ at }) => at));
  });
});

test('each difference is explained in docs/compatibility.md', () => {
  const page = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');
  for (const { why } of Object.values(DIFFERENCES).flat()) expect(page).toContain(`**${why}.**`);
});

test('the comparison sees a missing event, one too many, another value and another order of keys', () => {
  const recording = readRecording('simple');
  const changed = recording.flatMap((seen, i): Seen[] => {
    if (i === 1) return [];
    if (i === 2) return [seen, seen];
    if (i === 3) return [{ ...seen, input: { ...seen.input, tool_name: 'Other' } }];
    if (i !== 4) return [seen];
    const { session_id, ...rest } = seen.input;
    return [{ ...seen, input: { ...rest, session_id } }];
  });
  expect(differences(recording, changed)).toEqual([
    'main - InstructionsLoaded',
    'main + UserPromptSubmit',
    'main ~ PreToolUse.tool_name',
    'main ~ PostToolUse (order of keys)',
  ]);
});
