import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lifecyclePage } from '../../scripts/lifecycle-page.js';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import type { AnyDecision } from '../../src/host/decide/decision.js';
import { INPUTS } from '../host/inputs.js';
import { anyHooks, fireAny, testHost } from '../host/kit.js';
import { on, opened } from '../session/kit.js';

const page = readFileSync(new URL('../../docs/lifecycle.md', import.meta.url), 'utf8');
const diagram = /```mermaid\n([\s\S]*?)\n```/.exec(page)?.[1] ?? '';

/** The table as one reads it: by event, by column. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const [head = [], , ...body] = rows;
const cells = new Map(
  body.map((row) => [/\[(\w+)\]/.exec(row[0] ?? '')?.[1], Object.fromEntries(head.map((h, i) => [h, row[i] ?? '']))]),
);
const cell = (event: HookEvent, column: string): string => {
  const found = cells.get(event)?.[column];
  if (found === undefined) throw new Error(`The table has no ${column} of ${event}.`);
  return found;
};

test('docs/lifecycle.md says what the catalogue says (else: npm run generate)', () => {
  expect(page).toBe(lifecyclePage());
});

test('the table has every event once', () => {
  expect(body).toHaveLength(HOOK_EVENTS.length);
  expect([...cells.keys()].sort()).toEqual([...HOOK_EVENTS].sort());
});

test('the diagram draws every event, as a box of the flow and in the colour of its kind', () => {
  const flow = diagram.split('\n').filter((line) => !/^ {2}class(Def)? /.test(line));
  const drawn = (event: string): boolean => flow.some((line) => new RegExp(`(^|[\\s>|])${event}(\\s|$)`).test(line));
  expect(HOOK_EVENTS.filter((event) => !drawn(event))).toEqual([]);
  const coloured = diagram.split('\n').flatMap((line) => /^ {2}class (\S+) /.exec(line)?.[1]?.split(',') ?? []);
  expect(coloured.sort()).toEqual([...HOOK_EVENTS].sort());
});

test('no box of the diagram has a name that is a word of Mermaid itself', () => {
  const ids = [...diagram.matchAll(/(?:subgraph |\| |--> )(\w+)/g)].map(([, id]) => id);
  const reserved = ['call', 'class', 'click', 'default', 'end', 'graph', 'href', 'style', 'subgraph'];
  expect(ids.filter((id) => reserved.includes(id as string))).toEqual([]);
});

/** What a real fire comes to when its only hook says that. */
async function decide(event: HookEvent, output: unknown): Promise<AnyDecision> {
  const { host } = testHost();
  host.register(anyHooks({ [event]: [{ hooks: [() => output] }] }));
  try {
    return await fireAny(host, event, INPUTS[event]);
  } finally {
    await host.close();
  }
}

const specific = (own: object) => ({ hookSpecificOutput: own });

describe.each([...HOOK_EVENTS])('what the table says of %s', (event) => {
  test('a hook denies or blocks where it says so, and nowhere else', async () => {
    const nested = event === 'PermissionRequest';
    const no = nested ? specific({ decision: { behavior: 'deny' } }) : { decision: 'block', reason: 'no' };
    const { verdict, blocked = false, value } = await decide(event, no);
    const said = verdict === 'deny' ? 'deny' : blocked ? 'blocked' : value === undefined ? '' : 'decline';
    const word = cell(event, 'Deny or block');
    expect(said).toBe(['', 'deny', 'decline'].includes(word) ? word : 'blocked');
  });

  test('a hook gives context to the model', async () => {
    const { additionalContext } = await decide(event, specific({ additionalContext: 'c' }));
    expect(additionalContext).toEqual(cell(event, 'Inject context') === '' ? [] : ['c']);
  });

  test('a hook modifies what goes in, or what comes out', async () => {
    const inputs = specific({ updatedInput: { a: 1 }, decision: { behavior: 'allow', updatedInput: { a: 1 } } });
    const { updatedInput } = await decide(event, inputs);
    expect(updatedInput).toEqual(cell(event, 'Modify input') === '' ? undefined : { a: 1 });
    const outputs = {
      updatedToolOutput: 'x',
      updatedError: 'x',
      displayContent: 'x',
      worktreePath: '/x',
      action: 'accept',
    };
    const { updatedOutput, value } = await decide(event, specific(outputs));
    expect(updatedOutput !== undefined || value !== undefined).toBe(cell(event, 'Modify output') !== '');
  });

  test('a hook keeps the agent working', async () => {
    const { continues, blocked } = await decide(event, { decision: 'block', reason: 'on' });
    const word = cell(event, 'Continue override');
    expect(continues === true).toBe(word === 'yes');
    if (word === 'by a block') expect(blocked).toBe(true);
  });

  test('a hook ends the loop', async () => {
    const decision = await decide(event, { continue: false });
    expect(decision.continue).toBe(cell(event, 'End the loop') === '');
    expect(decision.interrupt === true).toBe(cell(event, 'End the loop') === 'interrupt');
  });
});

test("suppressOutput hides what the table says: a tool's output and a notification", async () => {
  const hiding = HOOK_EVENTS.filter((event) => cell(event, 'Suppress output') !== '');
  expect([...hiding].sort()).toEqual(['Notification', 'PostToolUse']);
  const { host, session } = await opened();
  for (const event of hiding) on(host, event, () => ({ suppressOutput: true }));
  const tool = await session.tool({ name: 'Read', input: {}, execute: () => 'the secret' });
  expect(tool).toMatchObject({ hidden: true });
  expect(tool.content).not.toContain('the secret');
  expect(await session.notify({ message: 'm' })).toMatchObject({ shown: false });
});

test('a block of a managed policy has no effect, as the table says', async () => {
  expect(cell('ConfigChange', 'Deny or block')).toContain('policy_settings');
  const { host } = testHost();
  host.register({ ConfigChange: [{ hooks: [() => ({ decision: 'block' })] }] });
  expect(await host.fire('ConfigChange', { source: 'policy_settings' })).toMatchObject({ blocked: false });
});
