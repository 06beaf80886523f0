import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cycles, importsOf, ROOT, readSources, type Source } from './sources.js';

const BELOW_HOST = ['plain', 'errors', 'values', 'events', 'matching', 'scopes', 'handlers'];

/** What a file of the folder may import beside its own folder. `emit/bus` is a file, `emit` a whole folder. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  plain: [],
  errors: ['plain'],
  values: ['plain', 'errors'],
  events: ['plain', 'errors', 'values'],
  matching: ['plain', 'errors', 'values', 'events'],
  scopes: ['plain', 'errors', 'values', 'events', 'matching'],
  emit: ['plain', 'errors', 'values', 'events', 'scopes/skip', 'files/regular-file'],
  handlers: ['plain', 'errors', 'values', 'events', 'matching/wildcard', 'emit/redact/total'],
  agents: ['plain', 'errors', 'values', 'events', 'emit/redact/total'],
  foreign: [...BELOW_HOST, 'host', 'create-host', 'files', 'trust', 'agents'],
  host: [
    ...BELOW_HOST,
    'files/hash-file',
    'trust/bound-script',
    'emit/bus',
    'emit/guarded-tracing',
    'emit/record',
    'emit/redact/total',
    'emit/run-records',
    'emit/tracing',
  ],
  session: [...BELOW_HOST, 'emit/record', 'emit/tracing', 'host'],
  'create-host': [...BELOW_HOST, 'emit/bus', 'emit/redact/total', 'agents/supports', 'agents/table', 'host', 'session'],
  files: ['plain', 'errors', 'values'],
  store: ['plain', 'errors', 'values', 'events', 'emit', 'files'],
  why: ['plain', 'values', 'events', 'matching/tool-names', 'scopes/skip', 'emit', 'store'],
  replay: [...BELOW_HOST, 'emit', 'host', 'create-host', 'files', 'store'],
  trust: [...BELOW_HOST, 'files'],
  plugins: [...BELOW_HOST, 'host', 'create-host', 'files', 'trust'],
  fleet: [...BELOW_HOST, 'emit', 'host', 'create-host', 'files', 'store', 'why', 'replay', 'trust', 'plugins'],
  adapters: [...BELOW_HOST, 'host', 'session'],
  'claude-code': [...BELOW_HOST, 'emit', 'host', 'session', 'create-host', 'files', 'trust', 'plugins'],
  check: [
    ...BELOW_HOST,
    'agents',
    'foreign/matchers',
    'foreign/parse',
    'host',
    'files',
    'trust',
    'plugins',
    'claude-code',
  ],
  server: [
    ...BELOW_HOST,
    'agents',
    'emit',
    'host',
    'create-host',
    'files',
    'trust',
    'plugins',
    'claude-code/files/plugin-files',
  ],
  connect: ['plain', 'errors', 'values', 'events', 'emit/redact/total', 'files', 'agents'],
  testing: [
    ...BELOW_HOST,
    'emit',
    'host',
    'session',
    'create-host',
    'plugins',
    'claude-code',
    'agents',
    'foreign/load',
    'foreign/places',
  ],
  probe: [
    ...['plain', 'errors', 'values', 'events', 'agents', 'plugins/own-folder', 'server/client/thin'],
    ...['handlers/command/process-group', 'handlers/command/run-mark', 'files/find-program'],
  ],
  cli: [
    ...BELOW_HOST,
    'emit',
    'host',
    'session',
    'create-host',
    'files',
    'store',
    'why',
    'replay',
    'trust',
    'plugins',
    'claude-code',
    'check',
    'server',
    'fleet',
    'agents',
    'foreign',
    'connect',
    'probe',
    'testing',
    'adapters/anthropic',
    'index',
  ],
  page: ['plain', 'values', 'events', 'scopes/skip', 'emit', 'store', 'why'],
  index: [...BELOW_HOST, 'emit', 'host', 'session', 'create-host', 'plugins'],
};

/** What the pure folders of the host may import of it. */
const PURE: Record<string, readonly string[]> = { 'host/decide': [], 'host/plan': ['host/decide'] };

/** Rooms that know nothing of those behind them, types included. */
const BENEATH: Record<string, readonly string[]> = {
  'check/files': ['check/scripts', 'check/rules'],
  'check/rules': ['check/files', 'check/scripts'],
  'check/scripts': ['check/rules'],
  'host/call': ['host/fire', 'host/tell', 'host/register'],
  'host/alarms': ['host/fire', 'host/call', 'host/register'],
  'host/tell': ['host/fire', 'host/register'],
  'host/fire': ['host/register'],
  'values/waiting': ['values/copies'],
  'events/groups': ['events/output'],
  'session/tool': ['session/steps'],
  'claude-code/control/peer': ['claude-code/control/client', 'claude-code/control/server'],
  'adapters/ai': ['adapters/langchain', 'adapters/openai-agents'],
  'adapters/langchain': ['adapters/ai', 'adapters/openai-agents'],
  'adapters/openai-agents': ['adapters/ai', 'adapters/langchain'],
};

/** Where a package may be named. One that is not listed may be named in one file, whichever; types are free. */
const HOMES: Record<string, readonly string[]> = {
  '@modelcontextprotocol/sdk': ['handlers/mcp/client', 'handlers/mcp/stdio'],
  diff: ['files/text-diff', 'page/parts/text'],
  execa: ['handlers/command/launch', 'claude-code/control/client/process'],
  'jsonc-parser': ['files/json-file', 'check/files/json-tree', 'connect/settings-text'],
  rxjs: ['emit/observable'],
  tapable: ['host/hooks'],
  unbash: ['matching/bash/bash'],
  yaml: ['claude-code/files/agent-file', 'check/files/yaml-tree'],
};
/** Schemas are written where the data is declared. */
const ANYWHERE: readonly string[] = ['zod'];

/** What users import, beside the folder of the same name: it also names what stands above that folder. */
const ENTRY: Record<string, readonly string[]> = { agents: ['foreign/load', 'foreign/consent', 'foreign/parse'] };

const folder = (name: string): string => name.split('/')[0] as string;
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The imports that break a folder's rule, as `from -> to`. */
function layerBreaks(sources: readonly Source[]): string[] {
  return sources.flatMap(({ name, imports }) =>
    imports.flatMap(({ file }) => {
      if (file === undefined) return [];
      const allowed = [folder(name), ...(MAY_IMPORT[folder(name)] ?? []), ...(ENTRY[name] ?? [])];
      const isIndex = file.endsWith('/index') || (file === 'index' && folder(name) !== 'cli');
      return !isIndex && allowed.some((a) => file === a || folder(file) === a) ? [] : [`${name} -> ${file}`];
    }),
  );
}

/** The folders of docs/architecture.md, in the order of their table. */
function tableOrder(): string[] {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const table = text.slice(text.indexOf('| Folder | Question |')).split('\n\n')[0] as string;
  const named = [...table.matchAll(/^\| `([\w-]+)(?:\/|\.ts)[^`]*`/gm)].map(([, name]) => name as string);
  return [...new Set(named)];
}

/** The imports from a folder that stands below in the table, as `from -> to`. What users import (`agents.ts`) is no folder. */
function orderBreaks(sources: readonly Source[], order: readonly string[]): string[] {
  const entry = (name: string): boolean => !name.includes('/') && name !== 'create-host';
  return sources.flatMap(({ name, imports }) =>
    imports.flatMap(({ file }) =>
      !entry(name) && file !== undefined && order.indexOf(folder(file)) > order.indexOf(folder(name))
        ? [`${name} -> ${file}`]
        : [],
    ),
  );
}

/** The imports of a pure folder from the rest of the host, as `from -> to`. */
function pureBreaks(sources: readonly Source[]): string[] {
  return Object.entries(PURE).flatMap(([room, others]) =>
    sources
      .filter(({ name }) => name.startsWith(`${room}/`))
      .flatMap(({ name, imports }) =>
        imports.flatMap(({ file }) =>
          file?.startsWith('host/') && ![room, ...others].some((at) => file.startsWith(`${at}/`))
            ? [`${name} -> ${file}`]
            : [],
        ),
      ),
  );
}

/** The imports of a room from one that stands above it, as `from -> to`. */
function roomBreaks(sources: readonly Source[]): string[] {
  return Object.entries(BENEATH).flatMap(([room, above]) =>
    sources
      .filter(({ name }) => name.startsWith(`${room}/`))
      .flatMap(({ name, imports }) =>
        imports.flatMap(({ file }) => (above.some((at) => file?.startsWith(`${at}/`)) ? [`${name} -> ${file}`] : [])),
      ),
  );
}

/** The packages named outside their home, as `package in file`. */
function strayPackages(sources: readonly Source[]): string[] {
  const users = new Map<string, Set<string>>();
  for (const { name, imports } of sources) {
    for (const { specifier, file, typeOnly } of imports) {
      if (file !== undefined || typeOnly || specifier.startsWith('node:')) continue;
      const id = packageOf(specifier);
      users.set(id, (users.get(id) ?? new Set()).add(name));
    }
  }
  return [...users].flatMap(([id, files]) => {
    if (ANYWHERE.includes(id)) return [];
    const home = HOMES[id];
    const stray = home === undefined ? (files.size > 1 ? [...files] : []) : [...files].filter((f) => !home.includes(f));
    return stray.map((file) => `${id} in ${file}`);
  });
}

describe('the source tree', () => {
  const sources = readSources();

  test('has only the folders that have a rule', () => {
    expect([...new Set(sources.map((s) => folder(s.name)))].filter((f) => !(f in MAY_IMPORT))).toEqual([]);
  });

  test('imports one way: values <- events <- matching <- scopes <- handlers <- host <- session <- plugins <- claude-code <- check <- cli', () => {
    expect(layerBreaks(sources)).toEqual([]);
  });

  test('is listed from the bottom up in docs/architecture.md', () => {
    const order = tableOrder();
    const folders = sources.flatMap(({ name }) => (name.includes('/') ? [folder(name)] : []));
    expect([...order].sort()).toEqual([...new Set([...folders, 'create-host'])].sort());
    expect(orderBreaks(sources, order)).toEqual([]);
  });

  test('keeps what decides and what plans apart from what runs', () => {
    expect(pureBreaks(sources)).toEqual([]);
    expect(sources.filter(({ name }) => name.startsWith('host/decide/')).length).toBeGreaterThan(1);
  });

  test('keeps one call from knowing the fire around it', () => {
    expect(roomBreaks(sources)).toEqual([]);
    const call = { name: 'host/call/x', lines: 1, imports: importsOf('host/call/x', "import '../fire/walk.js';") };
    expect(roomBreaks([call])).toEqual(['host/call/x -> host/fire/walk']);
  });

  test('has no circle of imports', () => {
    expect(cycles(sources)).toEqual([]);
  });

  test('imports only files that exist', () => {
    const names = new Set(sources.map((s) => s.name));
    expect(
      sources.flatMap((s) =>
        s.imports.flatMap(({ file }) => (file && !names.has(file) ? [`${s.name} -> ${file}`] : [])),
      ),
    ).toEqual([]);
  });

  test('names each package in one file, or in the few that are listed', () => {
    expect(strayPackages(sources)).toEqual([]);
    const named = (id: string, file: string): boolean =>
      sources.some((s) => s.name === file && s.imports.some((i) => !i.typeOnly && packageOf(i.specifier) === id));
    const homes = Object.entries(HOMES).flatMap(([id, files]) => files.map((file) => [id, file] as const));
    expect(homes.filter(([id, file]) => !named(id, file))).toEqual([]);
  });
});

describe('the rules themselves', () => {
  const source = (name: string, text: string): Source => ({ name, lines: 1, imports: importsOf(name, text) });

  test.each([
    ['scopes/view', "import { fire } from '../host/fire.js';"],
    ['host/fire', "export { file } from '../emit/sinks/ndjson.js';"],
    ['plugins/load', "import type { Bus } from '../emit/bus.js';"],
    ['host/run', "const { main } = await import('../cli/main.js');"],
    ['host/run', "import { a } from '../index.js';"],
    ['index', "export { drive } from './adapters/ai.js';"],
    ['adapters/ai', "import { loadPlugin } from '../plugins/load.js';"],
    ['host/run', "import { a } from './handlers/index.js';"],
    ['index', "export { main } from './cli/main.js';"],
    ['events/tool', "import {\n  a,\n  type B,\n} from '../scopes/matcher.js';"],
  ])('refuse in %s: %s', (name, text) => {
    expect(layerBreaks([source(name, text)])).toHaveLength(1);
  });

  test.each([
    ['host/fire', "import { b } from '../emit/bus.js';\nimport type { R } from '../emit/record.js';"],
    ['index', "export { sink } from './emit/sinks/ndjson.js';"],
    ['cli/run', "import { createHost } from '../index.js';"],
    [
      'events/groups/tool',
      "/**\n * import { a } from '../host/fire.js';\n */\n// import { a } from '../host/fire.js';",
    ],
  ])('allow in %s: %s', (name, text) => {
    expect(layerBreaks([source(name, text)])).toEqual([]);
  });

  test('find an import from further down the table, but not of what users import', () => {
    const up = "import { a } from '../cli/a.js';";
    const used = [source('host/run', up), source('cli/run', up), source('agents', "export { a } from './cli/a.js';")];
    expect(orderBreaks(used, ['host', 'agents', 'cli'])).toEqual(['host/run -> cli/a']);
  });

  test('find a circle through three files', () => {
    const circle = [
      source('host/a', "import { b } from './b.js';"),
      source('host/b', "import type { c } from '../events/c.js';"),
      source('events/c', "import { a } from '../host/a.js';"),
    ];
    expect(cycles(circle)).toEqual(['host/a -> host/b -> events/c -> host/a']);
  });

  test('find a package away from home, or in two homes, but not its types', () => {
    const used = [
      source('host/run', "import { Subject } from 'rxjs';"),
      source('emit/record', "import type { Subject } from 'rxjs';"),
      source('cli/a', "import { x } from '@scope/pkg/sub';"),
      source('cli/b', "await import('@scope/pkg');"),
      source('events/base', "import { z } from 'zod';"),
    ];
    expect(strayPackages(used)).toEqual(['rxjs in host/run', '@scope/pkg in cli/a', '@scope/pkg in cli/b']);
  });
});
