import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, readSources } from './sources.js';

/** What may only grow on purpose: raise a number here in the commit that needs it. */
const CEILING = {
  /** Lines of the longest file under src/. */
  longestFile: 285,
  /** Files directly in the fullest folder under src/: twenty can be overlooked. */
  fullestFolder: 21,
  /** Files of ours that importing the package loads. */
  filesLoaded: 8,
  /** Their size in bytes: compiling them is most of what importing the package costs. */
  bytesLoaded: 794_000,
  /**
   * Files of ours that help loads, that a command which fires once loads, that a hook loads that asks a server, and that one loads which
   * answers by itself and keeps the record of it.
   */
  filesForHelp: 5,
  filesForFire: 18,
  filesToAsk: 10,
  filesToKeep: 21,
  /** Files of rxjs, which has more than two hundred. */
  filesOfRxjs: 25,
  /** Packages that installing us brings beside those named below. */
  packagesBeside: 0,
};

/** Packages that our users import themselves, so there must be one copy of each: loaded from where it is installed. */
const SHARED = ['minimatch', 'rxjs', 'tapable', 'zod'];

/** What `hookscope --help` must not load: each costs a user waiting time for nothing. */
const HEAVY = ['execa', 'rxjs', 'tapable', 'undici', 'zod'];

function built(path: string): string {
  const file = join(ROOT, 'dist', path);
  if (!existsSync(file)) throw new Error(`dist/${path} is missing: run "npm run build" first.`);
  return file;
}

/** The files Node compiled while it ran with these arguments, by its own coverage. */
async function filesLoadedBy(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-loaded-'));
  try {
    // One that fails has loaded files too.
    const running = promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env, NODE_V8_COVERAGE: folder },
    });
    running.child.stdin?.end(input);
    await running.catch(() => undefined);
    const urls = readdirSync(folder).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] };
      return result.map((script) => script.url).filter((url) => url.startsWith('file:'));
    });
    return [...new Set(urls)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `.` is this package. */
const packageOf = (url: string): string => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? '.';

async function packagesLoadedBy(args: readonly string[]): Promise<string[]> {
  return [...new Set((await filesLoadedBy(args)).map(packageOf))].sort();
}

test('no source file is longer than the ceiling', () => {
  const longest = readSources().reduce((a, b) => (b.lines > a.lines ? b : a));
  expect(
    longest.lines,
    `src/${longest.name}.ts has ${longest.lines} lines, the ceiling is ${CEILING.longestFile}. Split the file, or raise longestFile in this test in the same commit.`,
  ).toBeLessThanOrEqual(CEILING.longestFile);
});

test('no source folder has more files directly in it than the ceiling', () => {
  const counts = new Map<string, number>();
  for (const folder of readSources().map(({ name }) => name.split('/').slice(0, -1).join('/')))
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const [name, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  expect(
    count,
    `src/${name} has ${count} files, the ceiling is ${CEILING.fullestFolder}. Give it rooms that answer a question each.`,
  ).toBeLessThanOrEqual(CEILING.fullestFolder);
});

test('every public name stands on one page of the API reference', () => {
  const namesIn = (file: string): string[] =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g)]
      .flatMap(([, list]) => (list ?? '').split(','))
      .map((item) => item.trim().replace(/^type /, ''))
      .filter((item) => item !== '');
  const pages = readdirSync(join(ROOT, 'scripts/api')).filter((file) => file.endsWith('.ts'));
  for (const entry of ['index', 'claude-code', 'agents', 'fleet', 'replay']) {
    const listed = pages
      .filter((page) => readFileSync(join(ROOT, 'scripts/api', page), 'utf8').includes(`src/${entry}.js`))
      .flatMap((page) => namesIn(`scripts/api/${page}`));
    expect(listed.sort(), `the names of src/${entry}.ts, each in one file of scripts/api`).toEqual(
      namesIn(`src/${entry}.ts`).sort(),
    );
  }
});

test('a file of src/emit/sinks is public by its place alone', async () => {
  const names = readdirSync(join(ROOT, 'src/emit/sinks')).flatMap((file) => file.match(/^(.+)\.ts$/)?.[1] ?? []);
  expect(names).toEqual(['contract', 'ndjson', 'otel', 'sqlite']);
  const require = createRequire(import.meta.url);
  for (const name of names) {
    const found = require.resolve(`hookscope/sinks/${name}`);
    expect(found).toBe(built(`sinks/${name}.js`));
    const types = readFileSync(built(`emit/sinks/${name}.d.ts`), 'utf8');
    for (const exported of Object.keys((await import(found)) as object)) expect(types).toContain(exported);
  }
});

test('the package exports the names in exports.txt and no others', async () => {
  const values = Object.keys((await import(built('index.js'))) as object);
  const declared = readFileSync(built('index.d.ts'), 'utf8').matchAll(/export (type )?\{([^}]*)\}/g);
  const types = [...declared].flatMap(([, type, list]) =>
    (list ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '' && (type !== undefined || item.startsWith('type ')))
      .map((item) => `type ${item.replace(/^type /, '').replace(/^.* as /, '')}`),
  );
  const names = [...values.sort(), ...types.sort()].join('\n').concat('\n');
  const message =
    'Public names changed. On purpose? npx vitest run test/package/budgets.test.ts -u, in the same commit.';
  await expect(names, message).toMatchFileSnapshot('exports.txt');
});

test('hookscope --help loads one file, and says what the program would', async () => {
  const main = built('cli/main.js');
  for (const flag of ['--help', '-h']) {
    const own = (await filesLoadedBy([main, flag])).filter((url) => packageOf(url) === '.');
    expect(own.map((url) => basename(url))).toEqual(['main.js']);
    const asked = `const { program } = await import(${JSON.stringify(pathToFileURL(built('cli/program.js')))}); await program(['${flag}']);`;
    const [ours, programs] = [
      [main, flag],
      ['--input-type=module', '--eval', asked],
    ].map((args) => execFileSync(process.execPath, args, { encoding: 'utf8' }));
    expect(ours).toMatch(/^Usage: hookscope/);
    expect(ours).toBe(programs);
  }
});

test("a command's help loads no heavy package", async () => {
  const loaded = await packagesLoadedBy([built('cli/main.js'), 'fire', '--help']);
  expect(loaded).toContain('.');
  expect(loaded.filter((name) => HEAVY.includes(name))).toEqual([]);
});

test('what a server is made with is loaded by a server alone', async () => {
  const holdsServer = (url: string): boolean =>
    /class Hono\b|Hono = class/.test(readFileSync(fileURLToPath(url), 'utf8'));
  const main = built('cli/main.js');
  const folder = readdirSync(join(ROOT, 'dist/chunks')).filter((file) => file.endsWith('.js'));
  expect(folder.some((file) => holdsServer(pathToFileURL(join(ROOT, 'dist/chunks', file)).href))).toBe(true);
  const call = '{"tool_name":"Bash","tool_input":{},"tool_use_id":"t"}';
  for (const args of [
    [main, 'nosuch'],
    [main, 'serve', '--help'],
    [main, 'fire', 'PreToolUse', '--input', call],
    ['--import', built('index.js'), '--eval', '0'],
  ]) {
    const own = (await filesLoadedBy(args)).filter((url) => packageOf(url) === '.');
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(holdsServer)).toEqual([]);
  }
});

test('a command loads few files of ours, and none of those that only others need', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-commands-'));
  try {
    const rule = { type: 'rule', decision: 'deny', reason: 'no', if: 'Bash(git push *)' };
    writeFileSync(join(folder, 'rule.json'), JSON.stringify({ PreToolUse: [{ hooks: [rule] }] }));
    writeFileSync(join(folder, 'call.json'), '{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t"}');
    const main = built('cli/main.js');
    const named = ['--hooks', join(folder, 'rule.json'), '--input', join(folder, 'call.json')];
    for (const [args, most, none] of [
      [
        ['fire', '--help'],
        CEILING.filesForHelp,
        ['host', 'once', 'events', 'execa', 'acorn', 'unbash.cjs', 'emit-redact.cjs'],
      ],
      [['fire', 'PreToolUse', ...named], CEILING.filesForFire, ['execa', 'acorn']],
      // It says what is wrong with its words, and keeps a record of that, without a host.
      [['hook', 'NoSuch', '--as', 'codex'], CEILING.filesToKeep, ['execa', 'acorn']],
    ] as const) {
      const files = (await filesLoadedBy([main, ...args])).filter((url) => packageOf(url) === '.');
      const loaded = files.map((url) => basename(url, '.js'));
      expect(loaded.length, loaded.join()).toBeGreaterThan(1);
      expect(loaded.length, loaded.join()).toBeLessThanOrEqual(most);
      expect(loaded.filter((name) => (none as readonly string[]).includes(name))).toEqual([]);
    }
    for (const name of ['host', 'once', 'events', 'execa', 'acorn']) built(`chunks/${name}.js`);
    built('vendor/unbash.cjs');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a hook that asks a warm server loads few files of ours, and no host', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-asks-'));
  const env = { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder };
  const main = built('cli/main.js');
  const rule = { type: 'rule', decision: 'deny', reason: 'no' };
  writeFileSync(join(folder, 'rule.json'), JSON.stringify({ PreToolUse: [{ hooks: [rule] }] }));
  const server = spawn(process.execPath, [main, 'serve', '--hooks', join(folder, 'rule.json')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(server.stdout, 'data');
    const input = JSON.stringify({
      session_id: 's',
      cwd: folder,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 't',
    });
    const files = (await filesLoadedBy([main, 'hook', 'PreToolUse'], { env, input })).filter(
      (url) => packageOf(url) === '.',
    );
    const loaded = files.map((url) => basename(url, '.js'));
    expect(loaded).toContain('ask');
    expect(loaded.length, loaded.join()).toBeLessThanOrEqual(CEILING.filesToAsk);
    expect(loaded.filter((name) => ['host', 'once', 'records', 'execa', 'acorn', 'unbash'].includes(name))).toEqual([]);
  } finally {
    server.kill();
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what runs beside a warm host, in a process or a thread of its own, loads no host', () => {
  const loadedWith = (file: string, seen: Set<string> = new Set()): Set<string> => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)[^;]*?["'](\.[^"']+)["'];/gm))
      loadedWith(join(file, '..', path as string), seen);
    return seen;
  };
  const own = (file: string): string[] => [...loadedWith(built(file))].map((one) => basename(one, '.js'));
  for (const file of [
    'chunks/serve.js',
    'chunks/primary.js',
    'cli/keep-thread.js',
    'fleet/log-thread.js',
    'sinks/sqlite.js',
  ]) {
    expect(own(file)).toContain('records');
    expect(own(file).filter((name) => ['host', 'once'].includes(name))).toEqual([]);
  }
  expect(own('chunks/serve-child.js')).toContain('host');
});

test('importing the package loads few files, and no package that most hosts never need', async () => {
  const files = await filesLoadedBy(['--import', built('index.js'), '--eval', '0']);
  const of = (name: string): number => files.filter((url) => packageOf(url) === name).length;
  expect([...new Set(files.map(packageOf))].sort()).toEqual(['.']);
  expect(of('.')).toBeGreaterThan(0);
  expect(of('.')).toBeLessThanOrEqual(CEILING.filesLoaded);
  const bytes = files.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);
  expect(bytes).toBeLessThanOrEqual(CEILING.bytesLoaded);
});

test.each([
  ['emit-redact.cjs', `createRedactor().text('TOKEN=a1b2c3d4e5f6')`],
  [
    'emit-redact.cjs',
    `try { createRedactor({ shapes: ['x'] }) } catch (e) { if (!(e instanceof HookscopeError)) throw e }`,
  ],
  ['matching-bash.cjs', `await guarded('Bash(rm *)').fire('PreToolUse', call)`],
  ['trust-named.cjs', `createHost().on('PreToolUse', command('./guard.sh'))`],
])('%s is loaded when it is needed, and is part of the same package: %s', async (room, use) => {
  const loaded = async (code: string): Promise<string[]> => {
    const program = `
      import { command, createHost, createRedactor, HookscopeError } from ${JSON.stringify(pathToFileURL(built('index.js')).href)};
      const session = { session_id: 's', cwd: '/', transcript_path: '/t' };
      const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' };
      const guarded = (rule) => {
        const host = createHost({ session });
        host.on('PreToolUse', () => undefined, { if: rule });
        return host;
      };
      await guarded('Read(/a)').fire('PreToolUse', call);
      ${code};`;
    // Not every loader can require ES modules.
    const files = await filesLoadedBy(['--no-experimental-require-module', '--input-type=module', '--eval', program]);
    return files.map((url) => basename(url, '.js'));
  };
  expect(await loaded('')).not.toContain(room);
  expect(await loaded(use)).toContain(room);
});

test('rxjs is loaded for who reads events$, a few files of it and the one that is installed', async () => {
  const read = (what: string): string =>
    `const { createHost } = await import(${JSON.stringify(pathToFileURL(built('index.js')).href)});
     const { Observable } = await import('rxjs');
     const host = createHost(); ${what};`;
  const program = `${read('console.log(host.events$ instanceof Observable, host.events$ === host.events$)')}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
  });
  expect(stdout).toBe('true true\n');
  const alone = (what: string): string[] => [
    '--input-type=module',
    '--eval',
    read(what).replace("const { Observable } = await import('rxjs');", ''),
  ];
  const ofRxjs = async (what: string): Promise<number> =>
    (await filesLoadedBy(alone(what))).filter((url) => packageOf(url) === 'rxjs').length;
  expect(await ofRxjs("await host.fire('Notification', { message: 'm', title: 't', notification_type: 'n' })")).toBe(0);
  const files = await ofRxjs('host.events$.subscribe()');
  expect(files).toBeGreaterThan(0);
  expect(files).toBeLessThanOrEqual(CEILING.filesOfRxjs);
});

test('a fire loads what it needs of zod, as one file', async () => {
  const program = `
    const { createHost } = await import(${JSON.stringify(pathToFileURL(built('index.js')).href)});
    const host = createHost();
    host.register({ Notification: [{ hooks: [() => ({ systemMessage: 'heard' })] }] });
    const { systemMessages } = await host.fire('Notification', { message: 'm', title: 't', notification_type: 'n' });
    const { _cache } = (await import('node:module')).default;
    console.log(JSON.stringify([systemMessages, Object.keys(_cache)]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const [said, files] = JSON.parse(stdout) as [unknown, string[]];
  expect(said).toEqual(['heard']);
  expect(files.filter((file) => file.includes('zod'))).toEqual([built('vendor/zod.cjs')]);
});

test('what users import as well is a dependency, and all else is inside', () => {
  const read = (file: string) =>
    JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { dependencies: Record<string, string> };
  const beside = Object.keys(read('package.json').dependencies).filter((name) => !SHARED.includes(name));
  expect(Object.keys(read('package.json').dependencies)).toEqual(expect.arrayContaining(SHARED));
  expect(beside.length, beside.join()).toBeLessThanOrEqual(CEILING.packagesBeside);
});

test('what is bundled of others is in the package with its licence', () => {
  const licences = readFileSync(built('THIRD-PARTY-LICENSES.md'), 'utf8');
  const files = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' });
  const code = files.filter((file) => /\.c?js$/.test(file)).map((file) => readFileSync(built(file), 'utf8'));
  const sources = code.flatMap((text) => [...text.matchAll(/^\/\/ (node_modules\/.+)$/gm)]);
  const bundled = new Set(sources.map(([, source]) => packageOf(`/${source}`)));
  expect(bundled).toContain('commander');
  const minified = ['execa', 'human-signals', 'jiti', 'refa', 'scslre', 'signal-exit', 'unbash', 'yaml', 'zod'];
  // One module of CommonJS that one of ours imports stands within that one.
  const within = ['@sinonjs/fake-timers', 'ignore'];
  for (const name of [...bundled, ...minified, ...within]) expect(licences).toContain(`## ${name} `);
  expect(SHARED.filter((name) => bundled.has(name))).toEqual([]);
});

test.each([
  ['chunks', 'm.createHost({ no: 1 })'],
  ['late', "m.createRedactor({ shapes: ['x'] })"],
])(
  'what is built can be read: where an error comes from in dist/%s is below the name of its source',
  async (folder, wrong) => {
    const line = `import('hookscope').then((m) => ${wrong}).catch((e) => console.log(e.stack))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', '--eval', line], {
      cwd: ROOT,
    });
    const [, file = '', at] = stdout.match(/(dist\/[\w/-]+\.c?js):(\d+)/) ?? [];
    expect(file).toContain(`dist/${folder}/`);
    const above = readFileSync(join(ROOT, file), 'utf8').split('\n').slice(0, Number(at));
    expect(above.findLast((one) => one.startsWith('// '))).toMatch(/^\/\/ src\/.+\.ts$/);
  },
);

test('no map and no word of one is shipped, as the sources are not', () => {
  const files = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' });
  const ours = files.filter((file) => /\.c?js$/.test(file) && !file.startsWith('vendor'));
  expect(ours.length).toBeGreaterThan(50);
  expect(ours.filter((file) => readFileSync(built(file), 'utf8').includes('sourceMappingURL='))).toEqual([]);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
});

test.each(HEAVY)('the watch on loaded packages sees %s', async (name) => {
  expect(await packagesLoadedBy(['--import', name, '--eval', '0'])).toContain(name);
});

test('nothing that is built looks for a file that is not there', () => {
  const files = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  const missing = files.flatMap((file) =>
    [
      ...readFileSync(join(ROOT, 'dist', file), 'utf8').matchAll(
        /\b(?:require|import)\d?\(\s*["'`](\.{1,2}\/[^"'`$]+)["'`]/g,
      ),
    ]
      .map(([, path]) => path as string)
      .filter((path) =>
        ['', '.js', '.cjs', '.json'].every((end) => !existsSync(join(ROOT, 'dist', file, '..', path + end))),
      )
      .map((path) => `${file}: ${path}`),
  );
  expect(files.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});
