import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HookscopeError } from '../../src/errors.js';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { withName } from '../../src/events/define.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { Dialect, EventSpec } from '../../src/events/spec.js';
import { compileMatcher, type Matcher } from '../../src/matching/matcher.js';
import { TOOL_ALIASES } from '../../src/matching/tool-names.js';

const where = 'PreToolUse[0].matcher';

function compiled(matcher: unknown, dialect: Dialect, event: EventSpec = CATALOGUE.PreToolUse) {
  return compileMatcher(matcher, { dialect, event, where });
}
const code = (matcher: unknown, event?: EventSpec): Matcher => compiled(matcher, 'code', event).matcher;
const claude = (matcher: unknown, event?: EventSpec): Matcher => compiled(matcher, 'claude', event).matcher;
const matches = (matcher: Matcher, subject: string | undefined): boolean => matcher.matches(subject, {});

function refusal(matcher: unknown, dialect: Dialect = 'code'): string {
  try {
    compiled(matcher, dialect);
  } catch (error) {
    if (error instanceof HookscopeError && error.code === 'INVALID_HOOKS') return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('every matcher', () => {
  it.each([undefined, '', '*'])('%j matches all, the empty and the missing subject too', (text) => {
    for (const dialect of ['code', 'claude'] as const) {
      const { matcher, warnings } = compiled(text, dialect);
      expect(matcher).toMatchObject({ all: true, static: true, text: '*' });
      expect([matches(matcher, 'Bash'), matches(matcher, ''), matches(matcher, undefined)]).toEqual([true, true, true]);
      expect(warnings).toEqual([]);
    }
  });

  it('matches no empty and no missing subject unless it matches all', () => {
    const some = [code('B*'), code('!Bash'), code(/.*/), code(() => true), claude('.*'), claude('B*'), claude('Bash')];
    for (const matcher of some) {
      expect(matcher.all).toBe(false);
      expect([matches(matcher, ''), matches(matcher, undefined)]).toEqual([false, false]);
    }
  });

  it('is ignored on an event without a subject, with a warning when one was given', () => {
    for (const dialect of ['code', 'claude'] as const) {
      const { matcher, warnings } = compiled('nomatch', dialect, CATALOGUE.UserPromptSubmit);
      expect(matcher.all && matches(matcher, undefined)).toBe(true);
      expect(warnings).toEqual([
        `${where}: UserPromptSubmit has nothing to match; the matcher "nomatch" is ignored and the hook runs`,
      ]);
      expect(compiled('', dialect, CATALOGUE.Stop).warnings).toEqual([]);
    }
  });

  it('is told apart by whether its answer depends on the subject alone', () => {
    expect([code('Bash'), code('B*'), code(/B/), claude('B.*')].every((matcher) => matcher.static)).toBe(true);
    expect(code(() => true).static).toBe(false);
  });

  it('prints itself', () => {
    function isRisky() {
      return true;
    }
    expect([code('Edit|Write').text, code(/^mcp__/i).text, code(isRisky).text, claude('mcp__.*').text]).toEqual([
      'Edit|Write',
      '/^mcp__/i',
      'predicate isRisky',
      'mcp__.*',
    ]);
  });

  it('means a tool by any of its names, both ways, but only tools', () => {
    expect(TOOL_ALIASES['Agent']).toEqual(['Task']);
    for (const [now, former] of Object.entries(TOOL_ALIASES)) {
      for (const name of former) {
        for (const compile of [code, claude]) {
          expect(matches(compile(name), now) && matches(compile(now), name) && matches(compile(`X|${name}`), now)).toBe(
            true,
          );
        }
        expect(matches(code(new RegExp(`^${name}$`)), now) && matches(claude(`^${now}$`), name)).toBe(true);
        expect(matches(code(`!${name}`), now) || matches(code(`!(${now}|X)`), name)).toBe(false);
      }
    }
    expect(matches(code('Task', CATALOGUE.SubagentStart), 'Agent')).toBe(false);
    expect(matches(claude('Task', CATALOGUE.SubagentStart), 'Agent')).toBe(false);
  });
});

describe('a matcher in code', () => {
  it.each([
    ['Bash', 'Bash', true],
    ['Bash', 'bash', false],
    ['Bash', 'BashOutput', false],
    ['Edit|Write', 'Write', true],
    ['Edit, Write', 'Write', true],
    [' Edit ,Write| Read', 'Edit', true],
    ['Edit|Write', 'Edit|Write', false],
    ['Bash|', 'Bash', true],
    ['mcp__*', 'mcp__memory__create', true],
    ['mcp__*__write*', 'mcp__fs__write_file', true],
    ['mcp__*__write*', 'mcp__fs__read_file', false],
    ['*Edit', 'NotebookEdit', true],
    ['*Edit', 'EditNot', false],
    ['B?sh', 'Bash', true],
    ['[BD]ash', 'Dash', true],
    ['{Edit,Write}', 'Write', true],
    ['{Edit,Write}|Bash', 'Bash', true],
    ['{Edit,Write}', 'Read', false],
    ['@(Edit|Write)', 'Write', true],
    ['@(Edit|Write)', 'Read', false],
    ['!Bash', 'Read', true],
    ['!Bash', 'Bash', false],
    ['!(Bash|Read)', 'Read', false],
    ['!(Bash|Read)', 'Edit', true],
    ['#Bash', '#Bash', true],
    ['#B*', '#Bash', true],
    ['mcp__*', 'mcp__org/server__tool', true],
    ['org/*', 'org/a/b', true],
    ['**', 'a/b', true],
    ['my-plugin:reviewer', 'my-plugin:reviewer', true],
    ['my-plugin:*', 'my-plugin:reviewer', true],
    ['deploy,rollback', 'rollback', true],
  ])('%j on %j is %j', (text, subject, expected) => {
    expect(matches(code(text), subject)).toBe(expected);
  });

  it('matches names that begin with a dot', () => {
    expect(matches(code('*', CATALOGUE.FileChanged), '.env')).toBe(true);
    expect(matches(code('*env', CATALOGUE.FileChanged), '.env')).toBe(true);
  });

  it.each([
    'mcp__.*',
    '^Bash',
    'Bash$',
    'a\\b',
    'mcp__.+',
    '(Edit|Write)',
    'Bash|Edit.*',
    '/Write/',
    '/Bash/i',
    '/Edit|Write/',
    '/mcp__x/gi',
  ])('refuses the regular expression %j and says to pass a RegExp', (text) => {
    const message = refusal(text);
    expect(message).toContain(where);
    expect(message).toContain('pass a RegExp');
  });

  it.each([
    ['/Bash/|Edit', '/Bash|Edit/'],
    ['Edit,/^Ba/gI', '/Edit|^Ba/gi'],
    [' /Bash/ ', '/Bash/'],
    ['/Bash/I', '/Bash/i'],
    ['/(Bash|Edit)/i|Write', '/(Bash|Edit)|Write/i'],
    ['/src/lib/', '/src\\/lib/'],
    ['/Bash|Edit/', '/Bash|Edit/'],
    ['/Bash/|/Edit/i', '/Bash|Edit/i'],
    ['/Bash/i|/Edit/i', '/Bash|Edit/i'],
    ['/Bash/|Edit|/Write/', '/Bash|Edit|Write/'],
    ['/a\\/|b/', '/a\\/|b/'],
  ])('refuses %j, with a name in slashes, and says what to pass: %s', (text, pattern) => {
    const named = `"${text}" looks like a regular expression (`;
    expect(refusal(text)).toContain(named);
    expect(refusal(text)).toContain(`: pass a RegExp, ${pattern}, or in JSON write a glob`);
  });

  it.each(['Bash(', '/Bash/zz', '(Bash', '/Bash/i|*Edit'])('advises no RegExp that does not compile for %j', (text) => {
    expect(refusal(text)).toContain('): write a glob ("mcp__*") or a list ("Edit|Write")');
  });

  it('takes slashes where the subject is no tool', () => {
    expect(matches(code('/tmp/', CATALOGUE.FileChanged), '/tmp/')).toBe(true);
  });

  it.each([
    ...['Bash Edit', 'Edit + Write', 'Bash+', 'Bash;Edit', '"Bash"', "'Bash'", '`Bash`', 'Read|Bash Edit'],
    ...['Edit/Write', 'Bash&Edit', 'Bash:Edit', 'Bash+Edit', '/Bash', 'Bash/'],
  ])('says of %j that a list is written otherwise, and takes it as it is', (text) => {
    const { matcher, warnings } = compileMatcher(text, { dialect: 'code', event: CATALOGUE.PreToolUse, where });
    expect(warnings).toEqual([expect.stringContaining('a list is written "Edit|Write"')]);
    expect(matcher.matches(text.split('|').at(-1) as string)).toBe(true);
    expect(compileMatcher(text, { dialect: 'code', event: CATALOGUE.FileChanged, where }).warnings).toEqual([]);
  });

  it.each([
    'Bash',
    'mcp__a_b__c-d',
    'mcp__c++__run',
    'mcp__a/b__Edit',
    'org/tool',
    'a.b',
    'ns:tool',
    'Edit|Write, Read',
    'my tool*',
  ])('says nothing of %j', (text) =>
    expect(compileMatcher(text, { dialect: 'code', event: CATALOGUE.PreToolUse, where }).warnings).toEqual([]),
  );

  it.each(['Bash(git *)', 'Edit(src/**)', 'WebFetch(domain:example.com)', 'Bash(npm:*)'])(
    'refuses the permission rule %j and says where it goes',
    (text) => expect(refusal(text)).toContain(`write "matcher": "${text.replace(/\(.*/, '')}", "if": "${text}".`),
  );

  it.each([
    ['Bash(*)', 'write "matcher": "Bash", "if": "Bash(*)".'],
    ['Bash(git)', 'write "matcher": "Bash", "if": "Bash(git)".'],
    ['Edit|Bash(*)', 'write "matcher": "Bash", "if": "Bash(*)", in its own group.'],
    ['Bash(git "x" *)', 'write "matcher": "Bash", "if": "Bash(git \\"x\\" *)".'],
  ])('refuses the permission rule in %j and says what to write', (text, instead) => {
    expect(refusal(text)).toContain(`is a permission rule: ${instead}`);
  });

  it.each(['Bash(.*)', 'Notebook(Edit|Read)', 'Notebook(?:Edit|Read)', 'Notebook(Edit)', 'mcp__github__(create)'])(
    'takes %j for a regular expression',
    (text) => expect(refusal(text)).toContain(`pass a RegExp, /${text}/`),
  );

  it.each([null, 1, true, {}, [], Symbol('x'), '|', ' , ', 'a*'.repeat(40_000)])('refuses %o', (matcher) => {
    expect(refusal(matcher)).toContain(where);
  });

  it('takes a RegExp, whose g and y flags keep nothing from one test to the next', () => {
    const matcher = code(/bash/giy);
    expect([1, 2, 3].map(() => matches(matcher, 'Bash'))).toEqual([true, true, true]);
    expect(matches(code(/ash/y), 'Bash')).toBe(true);
    expect(matches(code(/^b/), 'Bash')).toBe(false);
  });

  it('takes a predicate over subject and input', () => {
    const matcher = code((subject: string, input: { tool_input: { command: string } }) => {
      return subject === 'Bash' && input.tool_input.command.startsWith('rm');
    });
    expect(matcher.matches('Bash', { tool_input: { command: 'rm x' } })).toBe(true);
    expect(matcher.matches('Bash', { tool_input: { command: 'ls' } })).toBe(false);
    expect(code(() => undefined).matches('Bash', {})).toBe(false);
  });

  it('runs the hook when a predicate throws or answers with a promise, and reports it', async () => {
    const told: unknown[] = [];
    const how = { dialect: 'code', event: CATALOGUE.PreToolUse, where, onError: (error: unknown) => told.push(error) };
    const broken = new Error('no such field');
    const failing = () => {
      throw broken;
    };
    expect(compileMatcher(failing, { ...how, dialect: 'code' }).matcher.matches('Bash', {})).toBe(true);
    expect(compileMatcher(async () => false, { ...how, dialect: 'code' }).matcher.matches('Bash', {})).toBe(true);
    expect(compileMatcher(async () => failing(), { ...how, dialect: 'code' }).matcher.matches('Bash', {})).toBe(true);
    await new Promise(setImmediate);
    expect(told).toEqual([broken, expect.any(TypeError), expect.any(TypeError), broken]);
  });

  it('warns the process of a failing predicate when nobody else listens', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const matcher = code(() => {
      throw new Error('boom');
    });
    expect(matches(matcher, 'Bash')).toBe(true);
    expect((await warned).message).toBe(`${where}: Error: boom; the hook runs`);
  });

  it('is exact for any plain name', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{1,12}$/), fc.stringMatching(/^[\w-]{1,12}$/), (name, other) => {
        const custom = withName(
          'Deploy',
          defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' }),
        );
        expect(matches(code(name, custom), other)).toBe(name === other);
        expect(matches(code(`${name}|${other}`, custom), other)).toBe(true);
      }),
    );
  });
});

describe("a matcher in Claude Code's files", () => {
  it.each([
    ['mcp__mem', 'mcp__mem__echo', false],
    ['mcp__.*', 'mcp__mem__echo', true],
    ['code-reviewer', 'senior-code-reviewer', false],
    ['Edit.*', 'NotebookEdit', true],
    ['Edit , Write', 'Write', true],
    ['^my-plugin:reviewer$', 'my-plugin:reviewer', true],
    ['!Bash', 'Read', false],
    ['bash', 'Bash', false],
  ])('%j on %j is %j', (text, subject, expected) => {
    expect(matches(claude(text), subject)).toBe(expected);
  });

  it('knows fewer characters for lists of names on FileChanged and StopFailure', () => {
    const file = CATALOGUE.FileChanged;
    expect(matches(claude('.envrc|.env', file), '.env')).toBe(true);
    expect(matches(claude('my-file', file), 'not-my-file-either')).toBe(true);
    expect(matches(claude('my-file'), 'not-my-file-either')).toBe(false);
    expect(matches(claude('Makefile|README', file), 'README')).toBe(true);
    expect(matches(claude('Makefile', file), 'Makefile2')).toBe(false);
    expect(matches(claude('rate_limit, overloaded', CATALOGUE.StopFailure), 'overloaded')).toBe(false);
    expect(matches(claude('rate_limit|overloaded', CATALOGUE.StopFailure), 'overloaded')).toBe(true);
  });

  it.each([
    ['[invalid', 'does not compile'],
    ['*ash', 'does not compile'],
    ['Write(docs/prds/**)', 'go in "if"'],
    ['Bash(git commit:*)', 'go in "if"'],
    [' | ', 'names nothing'],
  ])('warns of %j, which matches no tool: %s', (text, warning) => {
    const { matcher, warnings } = compiled(text, 'claude');
    expect(matches(matcher, 'Bash') || matches(matcher, 'Write')).toBe(false);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(where);
    expect(warnings[0]).toContain(warning);
  });

  it.each(['mcp__.*', 'Notebook(Edit|Read)', '(Edit|Write)', 'Edit|Write'])('has nothing to say of %j', (text) => {
    expect(compiled(text, 'claude').warnings).toEqual([]);
  });

  it.each([null, 1, /Bash/, () => true, ['Bash']])('refuses what is not a string: %o', (matcher) => {
    expect(refusal(matcher, 'claude')).toContain('must be a string');
  });

  it('never throws for a string, nor does the matcher', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 20 }), (text, subject) => {
        const { matcher } = compiled(text, 'claude');
        expect([true, false]).toContain(matches(matcher, subject));
        // A word is that word and no other.
        if (/^\w+$/.test(text)) expect([matches(matcher, text), matches(matcher, `${text}x`)]).toEqual([true, false]);
      }),
    );
  });

  const vectors = JSON.parse(readFileSync(new URL('../fixtures/vectors/matcher.json', import.meta.url), 'utf8')) as {
    name: string;
    event: keyof typeof CATALOGUE;
    input: Record<string, unknown>;
    settings: { hooks: Record<string, { matcher?: string; hooks: { command: string }[] }[]> };
    expect: { ran: string[]; notRan: string[] };
  }[];

  it.each(vectors.map((vector) => [vector.name, vector] as const))('decides as the client did: %s', (_name, vector) => {
    const event: EventSpec = CATALOGUE[vector.event];
    const ran: string[] = [];
    const notRan: string[] = [];
    for (const { matcher, hooks } of vector.settings.hooks[vector.event] ?? []) {
      const tag = /TAG=(\w+)/.exec(hooks[0]?.command ?? '')?.[1] ?? '';
      const subject = event.subject?.(event.input.parse(vector.input)) ?? undefined;
      (matches(claude(matcher, event), subject) ? ran : notRan).push(tag);
    }
    expect({ ran, notRan }).toEqual({ ran: vector.expect.ran, notRan: vector.expect.notRan });
    expect(ran.length + notRan.length).toBeGreaterThan(1);
  });
});
