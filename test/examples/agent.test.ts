import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT, bundledAgent } from './driven.js';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  /** The temporary directory it worked in. */
  readonly folder: string;
}

const homes: string[] = [];

/** Runs the agent as a program of its own, with a temporary directory that nobody else writes to. */
function start(args: readonly string[], program = bundled): { child: ChildProcess; ended: Promise<Ended> } {
  const home = mkdtempSync(join(tmpdir(), 'agent-test-'));
  homes.push(home);
  const { ANTHROPIC_API_KEY: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: { ...inherited, TMPDIR: home, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (out += piece));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, out, folder: home }));
  });
  return { child, ended };
}

async function workplace({ folder }: Ended): Promise<string> {
  const { readdir } = await import('node:fs/promises');
  const [name] = (await readdir(folder)).filter((entry) => entry.startsWith('hookscope-agent-'));
  return join(folder, name as string);
}

let bundled: string;
let demo: Ended;
let place: string;
beforeAll(async () => {
  bundled = await bundledAgent();
  // The demo is of the example as it is.
  const { child, ended } = start(['--yes', '--permission-mode', 'acceptEdits'], AGENT);
  child.stdin?.end();
  demo = await ended;
  place = await workplace(demo);
});
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

test('the demo ends well and files really change', () => {
  expect(demo.out).toContain('main: Done:');
  expect(demo.code).toBe(0);
  expect(readFileSync(join(place, 'report.md'), 'utf8')).toBe(
    '# Report\n\nTwo modules: a and b.\n\nOwner: the builder.\n',
  );
  expect(readFileSync(join(place, 'VERSION'), 'utf8')).toBe('1.0.0\n');
  expect(readFileSync(join(place, 'CHANGELOG.md'), 'utf8')).toContain('report.md');
});

test('what hooks denied never happened', () => {
  expect(existsSync(join(place, 'out'))).toBe(false);
  expect(existsSync(join(place, 'notes.txt'))).toBe(false);
  expect(demo.out).toContain('protectPaths: denies: out/summary.txt is protected');
  expect(demo.out).toContain('denies: A surveyor changes nothing');
});

test("an agent's hooks run for that agent alone", () => {
  const lines = demo.out.split('\n').filter((line) => line.includes('⚓'));
  const whose = (hook: string): string[] => [
    ...new Set(lines.filter((l) => l.includes(`${hook}:`)).map((l) => l.trim().split(/\s+/)[1] as string)),
  ];
  expect(whose('only-ls.sh')).toEqual(['surveyor']);
  expect(whose('changes-nothing.sh')).toEqual(['surveyor']);
  expect(whose('no-todo.sh')).toEqual(['builder']);
  expect(whose('inTime')).toEqual(['builder']);
  expect(whose('changelogFirst')).toEqual(['main']);
  // Only the builder edits, and its own hook saw each of its two edits; the main thread's writes are not in it.
  expect(readFileSync(join(place, '.agent/edits.log'), 'utf8').trim().split('\n')).toHaveLength(2);
});

test('a stop hook keeps its own agent going, once each', () => {
  expect(demo.out.match(/no-todo\.sh: blocks/g)).toHaveLength(1);
  expect(demo.out.match(/changelogFirst: blocks/g)).toHaveLength(1);
  expect(demo.out.indexOf('builder: The report is filled in.')).toBeLessThan(demo.out.indexOf('no-todo.sh: blocks'));
  expect(demo.out.indexOf('no-todo.sh: blocks')).toBeLessThan(
    demo.out.indexOf('builder: Now the report is filled in.'),
  );
});

test('a long conversation is compacted, and the start hooks speak again', () => {
  expect(demo.out.match(/main: \(compacted\)/g)).toHaveLength(1);
  expect(demo.out.match(/welcome: adds/g)).toHaveLength(2);
});

test("the person's no is a denial the model gets, and the tool does not run", async () => {
  const { child, ended } = start([]);
  child.stdout?.on('data', (piece) => {
    if (String(piece).includes('[y/N]')) child.stdin?.write('n\n');
  });
  const run = await ended;
  expect(run.out).toContain('? main wants Write');
  const folder = await workplace(run);
  expect(existsSync(join(folder, 'VERSION'))).toBe(false);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('TODO');
});

test('nobody at the terminal: what would be asked is not done', async () => {
  const { child, ended } = start([]);
  child.stdin?.end();
  const run = await ended;
  expect(existsSync(join(await workplace(run), 'VERSION'))).toBe(false);
});

test('ctrl-c ends what runs, closes the session and leaves no process', async () => {
  const scenario = join(mkdtempSync(join(tmpdir(), 'agent-scenario-')), 'scenario.json');
  homes.push(join(scenario, '..'));
  const marker = `sleep 41.${process.pid}`;
  writeFileSync(
    scenario,
    JSON.stringify({ main: [{ text: 'waiting', tools: [{ name: 'Bash', input: { command: marker } }] }] }),
  );
  const { child, ended } = start(['--yes', '--scenario', scenario]);
  child.stdout?.on('data', (piece) => {
    if (String(piece).includes('main: waiting')) setTimeout(() => child.kill('SIGINT'), 300);
  });
  const run = await ended;
  expect(run.out).toContain('events');
  expect(run.code).toBe(130);
  const { execFileSync } = await import('node:child_process');
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(marker);
});
