// What is loaded: `src/` and the packages that only we use, as few files (docs/decisions/0014-bundle.md).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { copyJiti } from './jiti.js';
import { page } from './page.js';
import { packTables } from './tables.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const COMMENTS = { legal: false, jsdoc: false, annotation: true };
/** The name of what is built of a file, and the file. Whatever two of them need is a chunk, so that there is one of it. */
const ENTRIES = {
  index: 'src/index.ts',
  'claude-code': 'src/claude-code.ts',
  agents: 'src/agents.ts',
  'adapters/ai': 'src/adapters/ai.ts',
  'adapters/kit': 'src/adapters/kit.ts',
  'adapters/openai-agents': 'src/adapters/openai-agents.ts',
  'adapters/langchain': 'src/adapters/langchain.ts',
  'models/anthropic': 'src/adapters/anthropic.ts',
  ...publicSinks(),
  fleet: 'src/fleet.ts',
  replay: 'src/replay.ts',
  testing: 'src/testing.ts',
  'testing/vitest': 'src/testing/vitest.ts',
  'cli/main': 'src/cli/main.ts',
  // The same in a process that goes on, which tests call.
  'cli/program': 'src/cli/program.ts',
  // Drives an agent, in a process without a network.
  'probe-inside': 'src/probe/inside.ts',
  // Threads of their own.
  'cli/keep-thread': 'src/cli/server/keep-thread.ts',
  'cli/alarm-thread': 'src/cli/server/alarm-thread.ts',
  'fleet/log-thread': 'src/fleet/log/thread.ts',
};

/** Each file directly in `src/emit/sinks` is a sink of its own: `hookscope/sinks/NAME`. */
function publicSinks() {
  const files = readdirSync(join(ROOT, 'src/emit/sinks')).filter((file) => file.endsWith('.ts'));
  return Object.fromEntries(files.map((file) => [`sinks/${file.slice(0, -3)}`, `src/emit/sinks/${file}`]));
}

/** Packages that are copied as they are, or bundled on their own, since they are loaded with `require` or load files of their own. */
const VENDORED = {
  ignore: '../vendor/ignore.cjs',
  jiti: '../vendor/jiti/lib/jiti.mjs',
  scslre: '../vendor/scslre.cjs',
  unbash: '../vendor/unbash.cjs',
  zod: '../vendor/zod.cjs',
};
/**
 * Folders of which most programs call no function. Each is built as one CommonJS file, which is loaded when one of these functions is first called: who imports them
 * from outside the folder gets functions that do so. What a folder imports from outside is handed to it, so there is one instance of each module (docs/decisions/0014-bundle.md).
 */
const LATE = {
  'src/emit/redact': {
    'find/names.ts': ['nameKind'],
    'key.ts': ['machineKey'],
    'part.ts': ['beginning', 'ending'],
    'redactor.ts': ['createRedactor', 'redactorOf'],
  },
  'src/matching/bash': {
    'bash.ts': ['forEachChild', 'parse', 'readBash'],
    'glob-name.ts': ['nameTest'],
    'lookup.ts': ['bashProgram'],
    'reading.ts': ['isTooLong', 'isTooNested'],
    'texts.ts': ['beginsIn', 'longestIn'],
    'words.ts': ['hidesCommand', 'withoutBraces'],
    'written.ts': ['withoutWritten'],
  },
  'src/trust/named': {
    'named-files.ts': ['namedBy', 'namedFiles', 'runNames'],
    'shell/words.ts': ['shellCommands'],
  },
};
/** In such a folder, but part of what is always loaded. */
const ALWAYS = ['src/emit/redact/options.ts', 'src/emit/redact/total.ts'];
const LATE_ID = '\0late:';
const OUTER = 'outer:';
const sourceOf = (id, importer) => relative(ROOT, join(dirname(importer), id)).replace(/\.js$/, '.ts');
const roomOf = (file) =>
  ALWAYS.includes(file) ? undefined : Object.keys(LATE).find((room) => file.startsWith(room + sep));
const lateName = (room) => `late/${room.slice('src/'.length).replaceAll('/', '-')}.cjs`;
/** The code that each late folder's file needs from outside, by the folder: `{ 'src/errors.ts': ['HookscopeError'] }`. */
const needs = {};
/** What each late folder's file says of itself, by the folder: under a running program the package may be replaced by another version. */
const builds = {};

/** Builds a late folder as a function of the `require` that it is to use. */
async function buildLate(room, out) {
  const first = `late-first:${room}`;
  const one = await rolldown({
    cwd: ROOT,
    input: first,
    platform: 'node',
    transform: options.transform,
    plugins: [
      {
        name: 'one late folder',
        resolveId: {
          order: 'pre',
          handler(id, importer) {
            if (id === first) return id;
            if (id === 'unbash') return { id: VENDORED.unbash, external: true };
            if (!id.startsWith('.') || packageOf(importer) !== undefined) return null;
            const file = sourceOf(id, importer);
            return roomOf(file) === room ? null : { id: OUTER + file, external: true };
          },
        },
        load: (id) =>
          id === first
            ? Object.entries(LATE[room])
                .map(([file, names]) => `export { ${names.join(', ')} } from '${join(ROOT, room, file)}';`)
                .join('\n')
            : null,
      },
    ],
  });
  const file = join(out, lateName(room));
  const { output } = await one.write({ file, format: 'cjs', comments: COMMENTS });
  await one.close();
  const { code } = output[0];
  builds[room] = createHash('sha256').update(code).digest('hex').slice(0, 16);
  needs[room] = {};
  for (const [, name, outer] of code.matchAll(/(?:let|const|var) (\w+) = require\("outer:([^"]+)"\)/g)) {
    const used = [...code.matchAll(new RegExp(`(?<![\\w$])${name}\\.(\\w+)`, 'g'))].map(([, member]) => member);
    needs[room][outer] = [...new Set(used)].sort();
  }
  if (Object.keys(needs[room]).length !== code.split(`require("${OUTER}`).length - 1)
    throw new Error(`${room}: what it needs from outside cannot be read from its code`);
  // In brackets, a function is compiled as it is first read: V8 takes it that it is called at once. Without them all of it is read twice.
  writeFileSync(
    file,
    `module.exports = (function (require) { const exports = {};\n${code}return exports; });\nmodule.exports.build = '${builds[room]}';\n`,
  );
  return output[0];
}

const late = {
  name: 'late',
  resolveId: {
    order: 'pre',
    handler(id, importer) {
      if (importer === undefined || !id.startsWith('.')) return null;
      const file = sourceOf(id, importer);
      const room = roomOf(file);
      if (room === undefined || room === roomOf(relative(ROOT, importer))) return null;
      return file.slice(room.length + 1) in LATE[room] ? LATE_ID + room : null;
    },
  },
  load(id) {
    if (!id.startsWith(LATE_ID)) return null;
    const room = id.slice(LATE_ID.length);
    const outer = Object.entries(needs[room]);
    return [
      "import { createRequire } from 'node:module';",
      `import { NotLoaded } from '${join(ROOT, 'src/values/not-loaded.ts')}';`,
      ...outer.map(
        ([file, names], i) =>
          `import { ${names.map((name) => `${name} as o${i}${name}`).join(', ')} } from '${join(ROOT, file)}';`,
      ),
      `const outer = () => ({ ${outer.map(([file, names], i) => `'${OUTER}${file}': { ${names.map((name) => `${name}: o${i}${name}`).join(', ')} }`).join(', ')} });`,
      'let room;',
      'function load() {',
      '  if (room !== undefined) return room;',
      '  const [own, require] = [outer(), createRequire(import.meta.url)];',
      '  try {',
      `    const made = require('../${lateName(room)}');`,
      `    if (made.build !== '${builds[room]}') throw new Error('it is of another build');`,
      '    return (room = made((id) => own[id] ?? require(id)));',
      '  } catch (error) {',
      `    throw new NotLoaded('dist/${lateName(room)}', error);`,
      '  }',
      '}',
      ...Object.values(LATE[room]).flatMap((names) =>
        names.map((name) => `export const ${name} = (...args) => load().${name}(...args);`),
      ),
    ].join('\n');
  },
};

/** Commands that agents start for each call. */
const ONCE = ['src/cli/fire.ts', 'src/cli/server/hook-alone.ts'];
/** What runs beside a warm host, in processes and threads of its own, and has no host. */
const LIGHT = [
  'src/cli/server/serve.ts',
  'src/server/primary.ts',
  'src/cli/server/keep-thread.ts',
  'src/emit/sinks/sqlite.ts',
  'src/emit/sinks/ndjson.ts',
  'src/fleet/log/thread.ts',
];

const EXTERNAL = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const isExternal = (id) => id.startsWith('node:') || EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`));

/** The folder of the package that a module is of; undefined: ours. */
function packageOf(id) {
  const parts = id.split(`${sep}node_modules${sep}`);
  if (parts.length < 2) return undefined;
  const name = parts.pop().split(sep);
  return join(
    parts.join(`${sep}node_modules${sep}`),
    'node_modules',
    ...name.slice(0, name[0].startsWith('@') ? 2 : 1),
  );
}

/** Names in stack traces: that of the file a chunk begins with, or of the package. */
function chunkName({ name, moduleIds }) {
  const last = moduleIds.at(-1);
  const folder = last === undefined ? undefined : packageOf(last);
  return `chunks/${folder === undefined ? name : folder.split(`${sep}node_modules${sep}`).pop().replace(/\W+/g, '-')}.js`;
}

const vendored = {
  name: 'vendored',
  resolveId: (id) => (id === 'jiti' ? { id: VENDORED.jiti, external: true } : null),
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: "createRequire(import.meta.url)('" },
    handler: (code) => ({
      code: code.replace(
        /createRequire\(import\.meta\.url\)\('(ignore|scslre|zod)'\)/,
        (_, name) => `createRequire(import.meta.url)('${VENDORED[name]}')`,
      ),
      map: null,
    }),
  },
};

/** Of zod what our sources call, without its sixty languages. */
const USED = join(ROOT, 'zod-as-used.js');
const zodAsUsed = {
  name: 'zod as used',
  resolveId: (id, importer) => (id === 'zod' && importer === undefined ? USED : null),
  load: (id) =>
    id === USED
      ? `import * as zod from 'zod'; export const z = { ${[...zodNames()].map((name) => `${name}: zod.${name}`).join(', ')} };`
      : null,
};

function zodNames() {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true }).filter((file) => file.endsWith('.ts'));
  return new Set(
    files
      .flatMap((file) => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/\bzod\(\)(?!:)\s*(?:\.(\w+))?/g)])
      .map(([text, name]) => {
        if (name === undefined) throw new Error(`${text}: write zod().name, so that what is used can be bundled`);
        return name;
      }),
  );
}

const packed = {
  name: 'packed tables',
  transform: {
    filter: { id: /\/node_modules\/refa\/index\.js$/ },
    handler: (code) => ({ code: packTables(code), map: null }),
  },
};

const options = {
  cwd: ROOT,
  input: ENTRIES,
  platform: 'node',
  external: isExternal,
  // A package's own modules where it has them: the other form of some loads its files at run time.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [late, vendored],
  transform: { target: 'es2023' },
};

/** The modules that are loaded with a file of ours, whether or not anything of it is called. */
function loadedWith(file, output) {
  const chunks = new Map(output.map((one) => [one.fileName, one]));
  const first = output.find(({ facadeModuleId }) => facadeModuleId === join(ROOT, file));
  if (first === undefined) throw new Error(`${file} is no chunk of its own: it has no import().`);
  const files = new Set([first.fileName]);
  for (const name of files) for (const other of chunks.get(name)?.imports ?? []) files.add(other);
  return new Set([...files].flatMap((name) => chunks.get(name)?.moduleIds ?? []));
}

/**
 * What is loaded together is one chunk, since each file that is loaded takes time: what the program needs for its help, what it needs to ask
 * a server, in another agent's words too, the rest of what a host needs, and what is around a host that fires once.
 */
async function groups() {
  const plain = await rolldown(options);
  const { output } = await plain.generate({ format: 'esm' });
  await plain.close();
  const [program, asks, words, host] = [
    'src/cli/program.ts',
    'src/cli/server/hook.ts',
    'src/server/agent-words.ts',
    'src/index.ts',
  ].map((file) => loadedWith(file, output));
  const run = loadedWith('src/handlers/command/run.ts', output);
  const light = new Set(LIGHT.flatMap((file) => [...loadedWith(file, output)]));
  const once = new Set(ONCE.flatMap((file) => [...loadedWith(file, output)]));
  const inputs = Object.values(ENTRIES).map((file) => join(ROOT, file));
  const isChunkOf = (modules) => (id) => modules.has(id) && !inputs.includes(id);
  const isOf = (name) => (id) => packageOf(id)?.endsWith(`${sep}node_modules${sep}${name}`) === true;
  return [
    // Large packages: apart they can be made smaller.
    { name: 'acorn', test: isOf('acorn') },
    { name: 'undici', test: isOf('undici') },
    { name: 'execa', test: (id) => packageOf(id) !== undefined && run.has(id) && !host.has(id) },
    { name: 'base', test: (id) => isChunkOf(program)(id) && [host, asks, once].some((others) => others.has(id)) },
    { name: 'events', test: (id) => isChunkOf(host)(id) && (asks.has(id) || words.has(id)) },
    { name: 'records', test: (id) => isChunkOf(host)(id) && light.has(id) },
    { name: 'host', test: isChunkOf(host) },
    { name: 'ask', test: isChunkOf(asks) },
    { name: 'words', test: isChunkOf(words) },
    { name: 'beside', test: (id) => isChunkOf(once)(id) && light.has(id) },
    { name: 'once', test: isChunkOf(once) },
  ];
}

async function bundle(out) {
  const rooms = [];
  for (const room of Object.keys(LATE)) rooms.push(await buildLate(room, out));
  const main = await rolldown(options);
  const { output } = await main.write({
    dir: out,
    format: 'esm',
    comments: COMMENTS,
    entryFileNames: '[name].js',
    chunkFileNames: chunkName,
    codeSplitting: { groups: await groups() },
  });
  await main.close();
  checkOnce(output, rooms);
  for (const chunk of output) shrink(out, chunk);
  const written = [];
  for (const name of ['ignore', 'scslre', 'unbash', 'zod']) {
    const one = await rolldown({ cwd: ROOT, input: name, platform: 'node', plugins: [zodAsUsed, packed] });
    written.push(...(await one.write({ file: join(out, `vendor/${name}.cjs`), format: 'cjs', minify: true })).output);
    await one.close();
  }
  // What is loaded into threads before any other code has to be CommonJS.
  const before = await rolldown({ cwd: ROOT, input: 'src/cli/thread-stdout.ts', platform: 'node' });
  await before.write({ file: join(out, 'cli/thread-stdout.cjs'), format: 'cjs' });
  await before.close();
  copyJiti(join(out, 'vendor/jiti'));
  const chunks = [...output, ...written].filter((one) => one.type === 'chunk');
  for (const { fileName, code } of chunks) {
    if (code.includes('../vendor/') && dirname(fileName) === '.')
      throw new Error(`${fileName} looks for ../vendor/ beside the package`);
  }
  return [...chunks, ...rooms];
}

/** A module of ours in two files would be two modules. */
function checkOnce(main, rooms) {
  const always = new Set(main.flatMap(({ moduleIds = [] }) => moduleIds));
  const twice = rooms.flatMap(({ moduleIds }) => moduleIds.filter((id) => always.has(id)));
  if (twice.length > 0) throw new Error(`In a late file, and in another: ${twice.join(', ')}`);
}

/** The licences of all that is in `dist/` and is not ours. */
function licences(chunks) {
  const folders = new Set([join(ROOT, 'node_modules/jiti')]);
  for (const { moduleIds } of chunks) {
    for (const id of moduleIds) {
      const folder = packageOf(id);
      if (folder !== undefined) folders.add(folder);
    }
  }
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${relative(ROOT, folder)} has no licence file, so it cannot be bundled.`);
    return `## ${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `# What hookscope's dist/ holds of others\n\n${texts.join('\n')}`;
}

/** A chunk that is packages alone is nobody's to read here. */
function shrink(folder, { fileName, moduleIds = [] }) {
  if (moduleIds.length === 0 || moduleIds.some((id) => packageOf(id) === undefined)) return;
  const file = join(folder, fileName);
  writeFileSync(file, minifySync(file, readFileSync(file, 'utf8'), { module: true }).code);
}

/** What an entry's types import, from file to file. Throws where that is a package which nobody has who installs us. */
function typesOf(folder) {
  const known = new Set(Object.values(ENTRIES).map((file) => file.replace(/^src\/(.*)\.ts$/, '$1.d.ts')));
  for (const file of known) {
    const text = readFileSync(join(folder, file), 'utf8').replace(/\/\*.*?\*\//gs, '');
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\()['"]([^'"]+)['"]/g)) {
      if (specifier.startsWith('.')) known.add(join(dirname(file), specifier.replace(/\.js$/, '.d.ts')));
      else if (!isExternal(specifier))
        throw new Error(`${file} imports ${specifier}, which is bundled and has no types then.`);
    }
  }
  return known;
}

/** The types that nobody can import are left out. */
function pruneTypes(folder) {
  const known = typesOf(folder);
  for (const file of readdirSync(folder, { recursive: true })) {
    if (file.endsWith('.d.ts') && !known.has(file)) rmSync(join(folder, file));
  }
}

const out = process.argv[2] ?? join(ROOT, 'dist');
/** Started by agents, by its path. */
const THIN = ['hookscope-hook.sh', 'hookscope-agents.sh'];
for (const folder of ['chunks', 'late', 'vendor']) rmSync(join(out, folder), { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { html, chunk } = await page(ROOT);
writeFileSync(join(out, 'page.html'), html);
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.md'), licences([...(await bundle(out)), chunk]));
for (const file of THIN) cpSync(join(ROOT, 'src/server/client', file), join(out, file));
if (process.argv[2] === undefined) pruneTypes(out);
// What is asked for most often, and says the same each time.
const HELP = join(out, 'cli/help.txt');
rmSync(HELP, { force: true });
writeFileSync(HELP, execFileSync(process.execPath, [join(out, 'cli/main.js'), '--help']));
