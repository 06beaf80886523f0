import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { PLACE_PROGRAMS } from '../../src/trust/named/place-programs.js';
import { OPTION_KINDS, type ProgramOptions } from '../../src/trust/named/program.js';
import { programOf } from '../../src/trust/named/programs.js';

const filesOf = (command: string): readonly string[] =>
  namedFiles({ type: 'command', command }, { projectDir: '/project' }).files;

const optionsOf = (program: ProgramOptions): readonly string[] =>
  [...OPTION_KINDS, 'flags' as const].flatMap((kind) => program[kind]?.split(' ') ?? []).filter(Boolean);

/** Lines with each option that is known only where scripts are bound to their places, in the way in which consent reads an unknown one. */
function* lines(): Generator<readonly [known: string, unknown: string]> {
  for (const [name, place] of Object.entries(PLACE_PROGRAMS)) {
    const known = new Set(optionsOf(programOf([name], 'consent') ?? { operands: 'none' }));
    for (const option of optionsOf(place)) {
      if (known.has(option) || /^--(?:no-.*)?$/.test(option)) continue;
      for (const value of ['prod', './evil.sh', 'NODE_OPTIONS=--require=./evil.js', 'BASH_ENV=evil'])
        for (const rest of ['-- node guard.js', 'node guard.js', 'guard'])
          yield [`${name} ${option} ${value} ${rest}`, `${name} --not-known ${value} ${rest}`];
    }
  }
}

test('consent lists what stands behind an option that only the binding of scripts to places knows', () => {
  const lost: string[] = [];
  let count = 0;
  for (const [known, unknown] of lines()) {
    count++;
    const files = new Set(filesOf(known));
    if (filesOf(unknown).some((file) => !files.has(file))) lost.push(known);
  }
  expect(lost).toEqual([]);
  expect(count).toBeGreaterThan(1000);
});

test('consent lists at least the files that it listed for the same lines before scripts were bound to their places', () => {
  const recorded: Record<string, readonly string[]> = JSON.parse(
    readFileSync(new URL('../fixtures/lines/consent.json', import.meta.url), 'utf8'),
  );
  const lost = Object.entries(recorded).filter(([line, files]) => {
    const now = new Set(filesOf(line));
    return files.some((file) => !now.has(file.replace(/^HOME(?=\/|$)/, homedir())));
  });
  expect(lost).toEqual([]);
});

test.each([
  ['case x in esac; ./evil.sh', './evil.sh'],
  ['case x in esac; (./evil.sh)', './evil.sh'],
  ['\\case x; ./evil.sh', './evil.sh'],
  ['"case" x || ./evil.sh', './evil.sh'],
  ['PATH=bin:$PATH; \\function x y', 'bin/function'],
  ['function ./evil.sh ./g.sh', './evil.sh'],
  ['dotenv -e .env.production -- node g.js', '.env.production'],
  ['dotenv -v NODE_OPTIONS=--require=./evil.js -- node g.js', './evil.js'],
  ['strace -E NODE_OPTIONS=--require=./evil.js node g.js', './evil.js'],
  ['devbox run --env NODE_OPTIONS=--require=./evil.js -- node g.js', './evil.js'],
  ['mise exec --env NODE_OPTIONS=--require=./evil.js -- node g.js', './evil.js'],
  ['uv run --env NODE_OPTIONS=--require=./evil.js node g.js', './evil.js'],
  ['uv run --with-requirements reqs guard.py', 'reqs'],
  ['uv run --config-file conf guard.py', 'conf'],
  ['go run -overlay ov main.go', 'ov'],
  ['go run -modfile m main.go', 'm'],
  ['deno test guard', 'guard'],
  ['yarn node guard', 'guard'],
  ["npm exec node x -c 'sh guard'", 'guard'],
  ["node <<'EOF'\nrequire('./guard.js')\nEOF", './guard.js'],
])('consent lists what may run: %s', (line, file) => {
  expect(filesOf(line)).toContain(file.replace(/^\.\//, ''));
});
