import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Reloaded {
  /** Versions that were loaded, and that were broken and not. */
  readonly loaded: number;
  readonly refused: number;
  /** Calls meanwhile that were answered by none of the good versions. */
  readonly unanswered: number;
  /** Open files of the server's first process, when warm and at the end. */
  readonly handles: readonly [before: number, after: number];
  /** Processes that serve, at the end. */
  readonly children: number;
  /** Kilobytes that the first process holds, when warm and at the end. */
  readonly memory: readonly [before: number, after: number];
}

const PLUGIN = (version: number): string =>
  `export default { name: 'versioned', apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'version ${version}' } })] }] }); } };`;

/** A real server (`bin`, as built), whose plugin changes again and again; every second version is broken. */
export async function reloads(bin: string, count: number): Promise<Reloaded> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-soak-')));
  const plugin = join(folder, 'plugin.mjs');
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  writeFileSync(plugin, PLUGIN(0));
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: join(folder, 'run') };
  const server = spawn(process.execPath, [bin, 'serve', '--plugin', plugin, '--dev'], { env, cwd: folder });
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (piece: Buffer) => (output += piece.toString()));
  const ended = new Promise((resolve) => server.once('close', resolve));
  const count1 = (pattern: RegExp): number => output.match(pattern)?.length ?? 0;
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; !holds(); i++) {
      if (i > 2_000) throw new Error(`It did not happen: ${output.slice(-2_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  try {
    await until(() => /serves on/.test(output));
    const { fire } = JSON.parse(readFileSync(join(folder, 'state/hookscope/tokens.json'), 'utf8')) as { fire: string };
    const socket = join(folder, 'run/hookscope/serve.sock');
    let over = false;
    let unanswered = 0;
    const calls = (async () => {
      while (!over) {
        const answer = await ask(socket, fire).catch(String);
        if (!/"version \d+"/.test(answer)) unanswered++;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const pid = server.pid as number;
    const reload = async (i: number): Promise<void> => {
      const [loaded, refused] = [count1(LOADED), count1(REFUSED)];
      const broken = i % 2 === 1;
      writeFileSync(plugin, broken ? `throw new Error('broken ${i}');` : PLUGIN(i));
      await until(() => (broken ? count1(REFUSED) > refused : count1(LOADED) > loaded));
    };
    await reload(1);
    await reload(2);
    await until(() => childrenOf(pid).length === 1);
    const before = { handles: handlesOf(pid), memory: memoryOf(pid) };
    for (let i = 3; i < count + 3; i++) await reload(i);
    await until(() => childrenOf(pid).length === 1);
    over = true;
    await calls;
    return {
      loaded: count1(LOADED) - 1,
      refused: count1(REFUSED) - 1,
      unanswered,
      handles: [before.handles, handlesOf(pid)],
      children: childrenOf(pid).length,
      memory: [before.memory, memoryOf(pid)],
    };
  } finally {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const LOADED = /reloaded, unasked/g;
const REFUSED = /\(--dev\) not reloaded, and what was served before stays/g;

const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((one) => one !== '');

function ask(socketPath: string, token: string): Promise<string> {
  const body = JSON.stringify({ session_id: 's', tool_name: 'Bash', tool_input: {}, tool_use_id: 't' });
  const headers = { host: 'hookscope', authorization: `Bearer ${token}`, 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath, path: '/hooks/PreToolUse', method: 'POST', agent: false, headers },
      (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => resolve(text));
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
