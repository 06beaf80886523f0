import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Block } from './doc-blocks.js';
import { pathOf, ROOT, readSources } from './sources.js';

/** What an example of that file takes for granted, beside what hookscope exports. */
const SURROUNDINGS: Readonly<Record<string, string>> = {
  'adapters/ai':
    "import { generateText, type LanguageModel, type ToolSet } from 'ai'; declare const model: LanguageModel, tools: ToolSet, prompt: string, system: string;",
  'adapters/langchain': "import { createAgent } from 'langchain'; const model = 'openai:gpt-4o', tools: [] = [];",
  'adapters/openai-agents': "import { Agent } from '@openai/agents'; const agent = new Agent({ name: 'helper' });",
  'emit/sink': 'declare function post(url: string, body: unknown): Promise<void>;',
  'emit/sinks/contract':
    "import { test } from 'vitest'; import type { SinkUnderTest } from 'hookscope/sinks/contract'; declare const make: SinkUnderTest['make'], kept: SinkUnderTest['kept'];",
  'events/own-event': "import { z } from 'zod';",
  'plugins/define': "import { z } from 'zod'; declare function guard(paths: string[]): HookCallback<'PreToolUse'>;",
  'session/types':
    'declare const id: string, input: { command: string }, lastMessage: string; declare function run(line: string): Promise<string>;',
  'testing/clock': "const slow = command('sleep 100');",
  'testing/contract': "import { test } from 'vitest'; declare const plugin: Plugin;",
  'testing/expect': 'declare const fired: Fired;',
  'testing/fire-hook': "const noForcePush = rule('deny', 'no force', { if: 'Bash(git push --force *)' });",
  'testing/session':
    "import { z } from 'zod'; const budget = definePlugin({ name: 'budget', options: z.object({ calls: z.number() }), apply() {} });",
};
const HOST = 'declare const host: Host;';
const SHOW =
  "import { inspect } from 'node:util'; const show = (it: unknown) => console.log(inspect(it, { depth: 9, breakLength: Infinity }).replace(/(?<=\\[) | (?=\\])/g, ''));";

/** Where the names can be imported from, each with its source. */
const ENTRIES: Readonly<Record<string, string>> = {
  hookscope: 'index',
  'hookscope/claude-code': 'claude-code',
  'hookscope/agents': 'agents',
  'hookscope/fleet': 'fleet',
  'hookscope/replay': 'replay',
  'hookscope/testing': 'testing',
  'hookscope/adapters/ai': 'adapters/ai',
  'hookscope/adapters/langchain': 'adapters/langchain',
  'hookscope/adapters/openai-agents': 'adapters/openai-agents',
};

/**
 * The examples in the doc comments of `src/`, which docs/api shows, as blocks of a document. They are fragments: what they use of hookscope is
 * imported before their first line, `host` and the `SURROUNDINGS` of their file are declared there. They are compiled; one in which the value of
 * an expression stands behind it or below, as a comment, is also run, and has to give that value.
 */
export function exampleBlocks(): Block[] {
  const exported = new Map(Object.entries(ENTRIES).map(([entry, source]) => [entry, exportsOf(source)]));
  return readSources().flatMap(({ name }) => examplesIn(name, readFileSync(pathOf(name), 'utf8'), exported));
}

type Exported = ReadonlyMap<string, ReadonlySet<string>>;

function examplesIn(name: string, source: string, exported: Exported): Block[] {
  const blocks: Block[] = [];
  for (const { 1: words = '', 2: body = '', index } of source.matchAll(
    /^ *\* ```ts(.*)\n((?: *\*.*\n)*?) *\* ```$/gm,
  )) {
    const text = body.replace(/^ *\* ?/gm, '').trimEnd();
    const { shown, text: printing } = valuesIn(text);
    const isRun = shown.length > 0 && !words.includes('no-run');
    const needsHost = /\bhost\b/.test(text) && !/\bconst host\b/.test(text);
    const around = [needsHost && HOST, isRun && SHOW, SURROUNDINGS[name]].filter(Boolean).join(' ');
    blocks.push({
      file: `src/${name}.ts`,
      line: source.slice(0, index).split('\n').length,
      lang: 'ts',
      words: isRun ? [] : ['no-run'],
      text: `${importsFor(`${around}\n${text}`, name, exported)}${around} ${isRun ? printing : text}`,
      ...(isRun ? { prints: shown.join('\n') } : { reason: 'it shows a call, whose surroundings are declared' }),
    });
  }
  return blocks;
}

/** Imports of the exported names that a text uses and neither imports nor declares, from the entry that its file is part of first. */
function importsFor(text: string, name: string, exported: Exported): string {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const used = new Set<string>();
  const own = new Set<string>();
  const look = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const { parent } = node;
      const isName = (ts.isVariableDeclaration(parent) || ts.isFunctionDeclaration(parent)) && parent.name === node;
      if (isName || ts.isBindingElement(parent) || ts.isImportSpecifier(parent)) own.add(node.text);
      else if (!(ts.isPropertyAccessExpression(parent) && parent.name === node) && !ts.isPropertyAssignment(parent))
        used.add(node.text);
      else if (ts.isPropertyAssignment(parent) && parent.initializer === node) used.add(node.text);
    }
    ts.forEachChild(node, look);
  };
  look(file);
  const first = Object.keys(ENTRIES).filter((entry) => `${name}/`.startsWith(`${ENTRIES[entry]}/`));
  const from = new Map<string, string[]>();
  for (const one of [...used].filter((word) => !own.has(word))) {
    const entry = [...first, ...exported.keys()].find((candidate) => exported.get(candidate)?.has(one));
    if (entry !== undefined) from.set(entry, [...(from.get(entry) ?? []), one]);
  }
  return [...from].map(([entry, names]) => `import { ${names.join(', ')} } from '${entry}'; `).join('');
}

/** The names that a source of an entry exports. */
function exportsOf(source: string): ReadonlySet<string> {
  const file = ts.createSourceFile(
    'a.ts',
    readFileSync(join(ROOT, 'src', `${source}.ts`), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  return new Set(
    file.statements.flatMap((statement) => {
      if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
        return statement.exportClause.elements.map((element) => element.name.text);
      const isExported =
        ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      return isExported && ts.isFunctionDeclaration(statement) && statement.name ? [statement.name.text] : [];
    }),
  );
}

const SHOWN = /^\/\/ (?=[[{'"\d]|true\b|false\b|undefined\b)(.+)$/;

/** Prints each expression that a comment gives the value of, behind it or on the next line, and the values. */
function valuesIn(text: string): { readonly text: string; readonly shown: readonly string[] } {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const shown: string[] = [];
  let printed = text;
  for (const statement of [...file.statements].reverse()) {
    const after = text.slice(statement.end).trimStart().split('\n')[0] ?? '';
    const value = SHOWN.exec(after)?.[1];
    if (value === undefined || !ts.isExpressionStatement(statement)) continue;
    shown.unshift(value);
    const [from, to] = [statement.expression.getStart(), statement.expression.end];
    printed = `${printed.slice(0, from)}show(${text.slice(from, to)})${printed.slice(to)}`;
  }
  return { text: printed, shown };
}
