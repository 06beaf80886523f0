import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { RULES } from '../../src/check/rules/rules.js';
import { HANDLER_KEYS } from '../../src/claude-code/files/schema.js';
import { handlerSchema } from '../../src/emit/fire-schema.js';
import { kindSchema } from '../../src/emit/schema.js';
import { CATALOGUE, CLAUDE_EVENTS, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { CLAUDE_KINDS, EXTERNAL_KINDS, HANDLER_KINDS, keysOfKind } from '../../src/events/handler-kinds.js';
import type { EventSpec } from '../../src/events/spec.js';
import { createExternalServices } from '../../src/handlers/external.js';
import { handlerFor } from '../../src/handlers/kinds.js';
import * as api from '../../src/index.js';
import { SKIP_REASONS } from '../../src/scopes/skip.js';
import { INPUTS } from '../host/inputs.js';
import { registerAs, testHost } from '../host/kit.js';

/** What docs/architecture.md says under "Adding things": each thing stands in one table, and the rest is taken from there. */
describe('what can be added stands in one place', () => {
  test('the reasons of a skip in records are those of the table', () => {
    expect(handlerSchema.shape.reason.unwrap().options).toEqual(Object.keys(SKIP_REASONS));
  });

  test('the handler types in records are those of the table', () => {
    expect(kindSchema.options).toEqual([...HANDLER_KINDS, 'tap', 'unknown']);
  });

  test.each(EXTERNAL_KINDS)('the maker of a %s handler is exported', (kind) => {
    const maker = kind.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(api).toHaveProperty(maker, expect.any(Function));
  });

  test.each([
    ['nobody', true, true],
    ['process', true, true],
    ['machine', true, true],
    ['network', true, false],
    ['model', false, false],
  ] as const)(
    'a further handler type that asks "%s" is taken by every event that can wait for it',
    async (asks, ...taken) => {
      const source = readFileSync(new URL('../../src/events/handler-kinds.ts', import.meta.url), 'utf8');
      const added = source.replace(
        /^ {2}agent: \{/m,
        `  echo: { asks: '${asks}', keys: ['text'], binds: 'nothing', ours: true },\n$&`,
      );
      const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
      const { outputText } = ts.transpileModule(added, options);
      const kinds = (await import(`data:text/javascript,${encodeURIComponent(outputText)}`)) as Record<
        string,
        string[]
      >;
      expect(kinds['HANDLER_KINDS']).toContain('echo');
      const taking = ['EXTERNAL_KINDS', 'PROGRAMS', 'LOCAL'].map((name) => kinds[name]?.includes('echo'));
      expect(taking).toEqual([true, ...taken]);
      expect(kinds['CLAUDE_KINDS']).not.toContain('echo');
    },
  );

  test.each([
    ["asks: 'machine'", 'binds', 'keys'],
    ["asks: 'machine', binds: 'command'", 'keys'],
    ["asks: 'machine', keys: ['text']", 'binds'],
    ["asks: 'machine', keys: ['text'], binds: 'command'"],
  ])(
    'a handler type { %s } compiles only with its keys, and if it says whether it names files that consent binds',
    (facts, ...lacking) => {
      const path = fileURLToPath(new URL('../../src/events/handler-kinds.ts', import.meta.url));
      const options = {
        strict: true,
        noEmit: true,
        types: [],
        lib: ['lib.es2022.d.ts'],
        target: ts.ScriptTarget.ES2022,
      };
      const compiler = ts.createCompilerHost(options);
      const { readFile } = compiler;
      compiler.getSourceFile = (name, version) => {
        const text = readFile(name) ?? '';
        const added = name === path ? text.replace(/^ {2}agent: \{/m, `  echo: { ${facts}, ours: true },\n$&`) : text;
        return ts.createSourceFile(name, added, version);
      };
      const found = ts.getPreEmitDiagnostics(ts.createProgram([path], options, compiler));
      expect(found.length === 0).toBe(lacking.length === 0);
      for (const { messageText } of found)
        expect(lacking.some((fact) => JSON.stringify(messageText).includes(fact))).toBe(true);
    },
  );

  test("Claude Code's files may name its own types alone, and each of them has its keys", () => {
    expect(EXTERNAL_KINDS).toEqual(expect.arrayContaining([...CLAUDE_KINDS]));
    expect(Object.keys(HANDLER_KEYS).sort()).toEqual([...CLAUDE_KINDS].sort());
    for (const kind of CLAUDE_KINDS) {
      const needed = Object.entries(HANDLER_KEYS[kind] ?? {}).filter(([, key]) => key.required);
      expect([kind, needed.map(([name]) => name)]).toEqual([kind, keysOfKind(kind)]);
    }
    expect(RULES['unknown-type'].fix).toBe('Use one of command, http, mcp_tool, prompt and agent.');
  });

  test('a type is made only where it is known', () => {
    const external = createExternalServices({});
    const make = (known?: readonly string[]) => () =>
      handlerFor({ type: 'command', command: 'true' }, 'here', CATALOGUE.Stop, external, {}, known);
    expect(make()().handler.kind).toBe('command');
    expect(make(['http', 'rule'])).toThrow('"command" is not a known handler type; there are http, rule');
  });

  test.each(['rule', 'callback'])("a %s in Claude Code's files is listed and never runs", async (type) => {
    const { host, reports } = testHost();
    const hook = { type, decision: 'deny', reason: 'no' };
    registerAs(host, { PreToolUse: [{ hooks: [hook] }] }, { dialect: 'claude' });
    expect((await host.fire('PreToolUse', INPUTS.PreToolUse)).verdict).toBe('none');
    const [listed] = host.explain('PreToolUse', INPUTS.PreToolUse).hooks;
    expect([listed?.reason, listed?.why]).toEqual(['invalid', expect.stringContaining(CLAUDE_KINDS.join(', '))]);
    expect(listed?.why).not.toContain(', rule');
    expect(reports).toEqual([expect.stringContaining('the hook never runs')]);
  });

  test('every event of src/events is in the catalogue, under its own name', async () => {
    const files = readdirSync(new URL('../../src/events/groups', import.meta.url)).map((file) =>
      file.replace('.ts', '.js'),
    );
    const modules = await Promise.all(
      files.map((file) => import(`../../src/events/groups/${file}`) as Promise<object>),
    );
    const groups = modules.flatMap((module) => Object.entries(module).filter(([name]) => name.endsWith('_EVENTS')));
    const names = groups.flatMap(([name, group]) =>
      ['HOOK_EVENTS', 'CLAUDE_EVENTS'].includes(name) ? [] : Object.keys(group),
    );
    expect(names.toSorted()).toEqual([...HOOK_EVENTS].sort());
  });

  test('an event that Claude Code does not have is marked in its entry', () => {
    const specs: EventSpec[] = HOOK_EVENTS.map((name) => CATALOGUE[name]);
    const theirs = specs.filter((spec) => spec.claude?.sent !== 'unknown').map((spec) => spec.name);
    expect(CLAUDE_EVENTS).toEqual(theirs);
  });
});
