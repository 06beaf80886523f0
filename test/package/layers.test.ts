import { describe, expect, test } from 'vitest';
import { cycles, importsOf, readSources, type Source } from './sources.js';

/** What a file of the folder may import beside its own folder. `emit/bus` is a file, `emit` a whole folder. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  plain: [],
  errors: ['plain'],
  events: ['plain', 'errors'],
  scopes: ['plain', 'errors', 'events'],
  emit: ['plain', 'errors', 'events'],
  host: ['plain', 'errors', 'events', 'scopes', 'emit/bus', 'emit/record', 'emit/run-records'],
  plugins: ['plain', 'errors', 'events', 'scopes', 'host'],
  adapters: ['errors', 'events', 'scopes', 'host'],
  cli: ['plain', 'errors', 'events', 'scopes', 'emit', 'host', 'plugins', 'index'],
  index: ['errors', 'events', 'scopes', 'emit', 'host', 'plugins'],
  'claude-code': ['errors', 'events', 'scopes', 'emit', 'host', 'plugins'],
};

/** Where a package may be named. One that is not listed may be named in one file, whichever; types are free. */
const HOMES: Record<string, readonly string[]> = {
  execa: ['host/handlers/command', 'host/control/process'],
  'jsonc-parser': ['plugins/json-file', 'plugins/check/json-tree'],
  minimatch: ['scopes/matcher', 'scopes/rule'],
  rxjs: ['emit/bus', 'emit/guard'],
  tapable: ['host/hooks'],
  unbash: ['scopes/bash', 'plugins/check/shell'],
  yaml: ['plugins/agent-file', 'plugins/check/yaml-tree'],
};
/** Schemas are written where the data is declared. */
const ANYWHERE: readonly string[] = ['zod'];

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
      const allowed = [folder(name), ...(MAY_IMPORT[folder(name)] ?? [])];
      const isIndex = file.endsWith('/index') || (file === 'index' && folder(name) !== 'cli');
      return !isIndex && allowed.some((a) => file === a || folder(file) === a) ? [] : [`${name} -> ${file}`];
    }),
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

  test('imports one way: plain <- errors <- events <- scopes <- host <- plugins <- cli, and events <- emit', () => {
    expect(layerBreaks(sources)).toEqual([]);
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

  test('names each package in one file', () => {
    expect(strayPackages(sources)).toEqual([]);
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
    ['events/tool', "/**\n * import { a } from '../host/fire.js';\n */\n// import { a } from '../host/fire.js';"],
  ])('allow in %s: %s', (name, text) => {
    expect(layerBreaks([source(name, text)])).toEqual([]);
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
