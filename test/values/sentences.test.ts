import { describe, expect, test } from 'vitest';
import { RULES } from '../../src/check/rules/rules.js';
import { ERROR_CODES, HookscopeError } from '../../src/errors.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { ended } from '../../src/plain.js';
import { nearest } from '../../src/values/nearest.js';
import { DOUBLE_STOP } from './double-stop.js';

/** How a text ends that is put into a message of ours. */
const ENDS = ['', '.', '. ', '?', '!', '…', '."', ')', '.)'];

describe('no message ends a sentence twice', () => {
  test.each(ERROR_CODES.flatMap((code) => ENDS.map((end) => [code, end] as const)))(
    '%s around "text%s"',
    (code, end) => {
      // Every detail that a message asks for is there, optional ones too.
      const details = new Proxy({}, { get: (_, key) => `the ${String(key)}${end}` });
      const { message } = new HookscopeError(code, details as never);
      expect(message).not.toMatch(DOUBLE_STOP);
      // These are the words of the other side.
      if (code !== 'CONTROL_REFUSED') expect(message).toMatch(/[.?!…]["\u201d)]?$/);
    },
  );

  test.each(Object.entries(RULES))('rule %s', (_, { why, fix }) => {
    expect(why).not.toMatch(DOUBLE_STOP);
    expect(ended(fix)).not.toMatch(DOUBLE_STOP);
  });

  test('what is a double stop is found, and dots are not', () => {
    for (const bad of ['a..', 'a.. b', 'a?.', 'a!. b', 'a….']) expect(bad).toMatch(DOUBLE_STOP);
    for (const good of ['a.', 'a. b.', '../x', 'a...', 'in "a.".', 'a…', 'a.b']) expect(good).not.toMatch(DOUBLE_STOP);
  });
});

describe('the nearest name', () => {
  /** Every beginning of every event's name, as people cut them: at a word. */
  const BEGINNINGS = HOOK_EVENTS.flatMap((event) => {
    const words = event.split(/(?=[A-Z])/);
    return words.slice(1).map((_, i) => [words.slice(0, i + 1).join(''), event] as const);
  });

  test.each(BEGINNINGS)('of %s is an event that begins so, as %s does', (begun, event) => {
    const exact = (HOOK_EVENTS as readonly string[]).includes(begun);
    for (const spelling of [begun, begun.toLowerCase(), begun.replace(/(?<=.)(?=[A-Z])/g, '-').toLowerCase()]) {
      const near = nearest(spelling, HOOK_EVENTS);
      if (exact) expect(near).toBe(begun);
      else {
        expect(near?.toLowerCase().startsWith(begun.toLowerCase())).toBe(true);
        expect((near as string).length).toBeLessThanOrEqual(event.length);
      }
    }
  });

  test.each([
    ['PreTool', 'PreToolUse'],
    ['PostTool', 'PostToolUse'],
    ['pre_tool', 'PreToolUse'],
    ['UserPrompt', 'UserPromptSubmit'],
    ['Notif', 'Notification'],
    ['PreTolUse', 'PreToolUse'],
  ])('of %s is %s', (given, wanted) => {
    expect(nearest(given, HOOK_EVENTS)).toBe(wanted);
  });

  test.each(['Xy', 'P', 'ToolUse', 'Deploy'])('of %s there is none', (given) => {
    expect(nearest(given, HOOK_EVENTS)).toBeUndefined();
  });
});
