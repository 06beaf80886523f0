import { describe, expect, test } from 'vitest';
import { whyNotTaken } from '../../src/host/call/taken.js';
import { entryOf } from './said.js';

const AFTER = entryOf('PostToolUse');
const why = (tool_name: unknown, tool_response: unknown, value: unknown, spec = AFTER): string | undefined =>
  whyNotTaken(spec, { tool_name, tool_response }, { value });

/** What Claude Code 2.1.330 does without. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  Bash: ['isImage', 'noOutputExpected'],
  Write: ['userModified'],
  Glob: ['totalMatches', 'countIsComplete'],
  Grep: ['mode', 'totalFiles'],
  Agent: [
    'agentType',
    'harnessNoteCount',
    'harnessTailCount',
    'harnessSectionHash',
    'resolvedModel',
    'canContinueAgent',
    'toolsUsed',
    'usage',
  ],
};
const KEYS = [...new Set(Object.values(OPTIONAL).flat())];
const full = (...without: string[]): object =>
  Object.fromEntries(KEYS.filter((key) => !without.includes(key)).map((key) => [key, 'x']));

describe('whether Claude Code takes what is put in the place of a response', () => {
  test.each([...Object.keys(OPTIONAL), 'Read', 'Edit'])(
    '%s: without each key that it needs, no; without another, yes',
    (tool) => {
      const needed = KEYS.filter((key) => why(tool, full(), full(key)) !== undefined);
      expect(needed).toEqual(KEYS.filter((key) => !OPTIONAL[tool]?.includes(key)));
      // Deeper in it every key is needed.
      expect(why(tool, { in: full() }, { in: full('usage') })).toMatch(/"in\.usage" is missing$/);
    },
  );

  test('of a tool that nobody knows any key may be missing, also of one that is called as what every object has', () => {
    for (const tool of ['Later', 'constructor', 'toString'])
      expect(why(tool, full(), full('usage')), tool).toBeUndefined();
  });

  test('what was absent may stay so, and become anything; what was there keeps its type', () => {
    expect(why('Read', { a: undefined, b: null }, { b: 5 })).toBeUndefined();
    expect(why('Read', { a: undefined, b: null }, { a: [], b: 'x' })).toBeUndefined();
    expect(why('Read', { a: { b: 'x' } }, { a: { b: 5 } })).toMatch(/"a\.b" is a number, not a string$/);
    expect(why('Read', { a: [] }, { a: {} })).toMatch(/"a" is an object, not an array$/);
    expect(why('Read', { a: {} }, { a: null })).toMatch(/"a" is null, not an object$/);
    expect(why('Read', 'x', 5)).toMatch(
      /^Claude Code ignores updatedToolOutput .* tool_response of Read: it is a number, not a string$/,
    );
  });

  test('only of an event whose answer has to have that shape, of a built-in tool, and where there is a response', () => {
    expect(why('mcp__m__say', 'x', 5)).toBeUndefined();
    expect(why(undefined, 'x', 5)).toBeUndefined();
    expect(whyNotTaken(AFTER, { tool_name: 'Bash' }, { value: 5 })).toBeUndefined();
    expect(whyNotTaken(entryOf('PreToolUse'), { tool_name: 'Bash', tool_input: 'x' }, { value: {} })).toBeUndefined();
  });
});
