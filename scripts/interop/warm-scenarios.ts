// The real program, connected by `hookscope connect`, beside a warm server: what it runs when that server is there, and when it is not.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ScriptedTurn } from './model-server.js';
import { openSandbox, type Programs, type Sandbox } from './sandbox.js';
import { agentCall, bash, type Scenario, told } from './scenario.js';

const run = promisify(execFile);
const HOOKSCOPE = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const done = { text: 'done' };

interface Warm extends Sandbox {
  hookscope(...args: readonly string[]): Promise<string>;
  /** Starts a server and waits until it is ready. */
  serve(...args: readonly string[]): Promise<ChildProcess>;
  /** One prompt of the real program, to its end. */
  ask(...args: readonly string[]): Promise<string>;
}

/** Refuses `echo x > denied.txt`, and Bash to reviewers; `slow` and `mark` are commands. */
const HOOKS = {
  PreToolUse: [
    {
      matcher: 'Bash',
      hooks: [
        { type: 'rule', decision: 'deny', reason: 'not that file', if: 'Bash(echo x > denied.txt)' },
        { type: 'command', command: 'echo asked >> asked.log', onFailure: 'block' },
      ],
    },
  ],
};

async function warm(
  { claude }: { readonly claude: string },
  script: Parameters<typeof openSandbox>[0],
  play: (w: Warm) => Promise<void>,
  hooks: object = HOOKS,
): Promise<void> {
  const sandbox = await openSandbox(script, { 'hooks.json': JSON.stringify({ hooks }) });
  const { env, project } = sandbox;
  const servers: ChildProcess[] = [];
  const hookscope = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await run(process.execPath, [HOOKSCOPE, ...args], { env, cwd: project });
    return stdout + stderr;
  };
  try {
    await play({
      ...sandbox,
      hookscope,
      async serve(...args) {
        const server = spawn(process.execPath, [HOOKSCOPE, 'serve', ...args], {
          env,
          cwd: project,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        servers.push(server);
        await once(createInterface({ input: server.stdout }), 'line');
        return server;
      },
      async ask(...args) {
        const options = ['-p', 'go', '--model', 'claude-sonnet-4-5', '--permission-mode', 'acceptEdits', ...args];
        const { stdout } = await run(claude, options, { env, cwd: project }).catch((error: { stdout?: string }) => ({
          stdout: error.stdout ?? '',
        }));
        return stdout;
      },
    });
  } finally {
    for (const server of servers) server.kill('SIGTERM');
    await Promise.all(servers.map((server) => server.exitCode ?? server.signalCode ?? once(server, 'exit')));
    await sandbox.close();
  }
}

const reviewers = {
  'code-reviewer': { description: 'reviews', prompt: 'You review.' },
  tester: { description: 'tests', prompt: 'You test.' },
};
const AGENTS = ['--agents', JSON.stringify(reviewers)];

/** A configuration with hooks for one type of agent. */
const CONFIG = `export default {
  hooks: ${JSON.stringify(HOOKS)},
  spawnHooks: { 'code-reviewer': { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'rule', decision: 'deny', reason: 'a reviewer only reads' }] }] } },
};`;

const threads = {
  main: [
    { tools: [agentCall('code-reviewer', 'rev'), agentCall('tester', 'tst')] },
    bash('echo x > denied.txt'),
    bash('echo x > main.txt'),
    done,
  ],
  rev: [bash('echo x > rev.txt'), { text: 'reviewed' }],
  tst: [bash('echo x > tst.txt'), { text: 'tested' }],
};

async function scopes(w: Warm): Promise<void> {
  await w.ask(...AGENTS);
  deepEqual(
    ['main', 'denied', 'rev', 'tst'].filter((name) => w.has(`${name}.txt`)),
    ['main', 'tst'],
  );
  match(told(w, 2), /not that file/);
  match(told(w, 1, 'rev'), /a reviewer only reads/);
}

/** One of a server's two processes is killed while a hook runs, whose parent is the one that serves. */
async function killedDuring(
  programs: Programs,
  seconds: number,
  kill: (server: ChildProcess, serving: number) => void,
  isMade: boolean,
): Promise<void> {
  const command = `echo $PPID >> asked.log; sleep ${seconds}`;
  await warm(
    programs,
    { main: [bash('echo x > made.txt'), done] },
    async (w) => {
      await w.hookscope('connect', 'claude-code', '--write', '--hooks', 'hooks.json');
      const server = await w.serve('--hooks', 'hooks.json', '--project', w.project);
      const answered = w.ask();
      let asked = '';
      while (!asked.endsWith('\n')) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (w.has('asked.log')) asked = await w.read('asked.log');
      }
      kill(server, Number(asked));
      await answered;
      equal(w.has('made.txt'), isMade);
      equal(await w.read('asked.log'), asked, 'once a call');
    },
    { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
  );
}

export const warmScenarios: readonly Scenario[] = [
  {
    name: 'Connected by command, with a warm server',
    checked:
      'main agent and two subagents at once: each was denied by its own scope’s hooks alone; the records say so; undone, the settings are byte for byte what they were',
    run: (programs) =>
      warm(programs, threads, async (w) => {
        const settings = join(w.env['CLAUDE_CONFIG_DIR'] as string, 'settings.json');
        const before = '{\n  // mine\n  "cleanupPeriodDays": 30\n}\n'.replace('  // mine\n', '');
        await writeFile(settings, before);
        await writeFile(join(w.project, 'policy.mjs'), CONFIG);
        await w.hookscope('connect', 'claude-code', '--write');
        await w.serve('--config', 'policy.mjs', '--project', w.project);
        await scopes(w);
        const history = await w.hookscope('history', '--blocked');
        match(history, /not that file/);
        match(history, /a reviewer only reads/);
        await w.hookscope('disconnect', '--all');
        equal(await readFile(settings, 'utf8'), before);
      }),
  },
  {
    name: 'Connected by HTTP, with a warm server',
    checked: 'the same',
    run: (programs) =>
      warm(programs, threads, async (w) => {
        await writeFile(join(w.project, 'policy.mjs'), CONFIG);
        const port = await freePort();
        await w.serve('--config', 'policy.mjs', '--project', w.project, '--port', String(port));
        await w.hookscope('connect', 'claude-code', '--http', '--port', String(port), '--write');
        await scopes(w);
      }),
  },
  {
    name: 'The server is not there',
    checked: 'nothing ran that a hook should have judged: the model was told why',
    run: (programs) =>
      warm(programs, { main: [bash('echo x > made.txt'), done] }, async (w) => {
        await w.hookscope('connect', 'claude-code', '--write');
        await w.ask();
        equal(w.has('made.txt'), false);
      }),
  },
  {
    name: 'The server was killed before the call, and its hooks are known',
    checked: 'they were asked without it: what they deny did not run, what they allow did',
    run: (programs) =>
      warm(programs, { main: [bash('echo x > denied.txt'), bash('echo x > made.txt'), done] }, async (w) => {
        await w.hookscope('connect', 'claude-code', '--write', '--hooks', 'hooks.json');
        const server = await w.serve('--hooks', 'hooks.json', '--project', w.project);
        server.kill('SIGKILL');
        await once(server, 'exit');
        await w.ask();
        deepEqual([w.has('denied.txt'), w.has('made.txt')], [false, true]);
        equal(await w.read('asked.log'), 'asked\nasked\n', 'once a call');
      }),
  },
  {
    name: 'The process that serves is killed during a call',
    checked: 'the tool did not run, and no hook ran twice',
    run: (programs) => killedDuring(programs, 20, (_, serving) => process.kill(serving, 'SIGKILL'), false),
  },
  {
    name: 'The process that only holds the socket is killed during a call',
    checked: 'the other one answers what is under way: the tool ran, and no hook ran twice',
    run: (programs) => killedDuring(programs, 2, (server) => server.kill('SIGKILL'), true),
  },
  {
    name: 'The server is killed after a call was let through',
    checked: 'the tool ran; the next call was judged without the server',
    run: async (programs) => {
      let server: ChildProcess | undefined;
      const next: ScriptedTurn = () => {
        server?.kill('SIGKILL');
        return bash('echo x > denied.txt');
      };
      await warm(programs, { main: [bash('echo x > made.txt'), next, bash('echo x > last.txt'), done] }, async (w) => {
        await w.hookscope('connect', 'claude-code', '--write', '--hooks', 'hooks.json');
        server = await w.serve('--hooks', 'hooks.json', '--project', w.project);
        await w.ask();
        deepEqual([w.has('made.txt'), w.has('denied.txt'), w.has('last.txt')], [true, false, true]);
      });
    },
  },
  {
    name: 'A stranger listens where the server was',
    checked:
      'connected by command, nobody but the server’s own user is asked: nothing ran. By HTTP the client obeys the stranger, as connect warns',
    run: (programs) =>
      warm(programs, { main: [bash('echo x > made.txt'), done] }, async (w) => {
        const tokens: unknown[] = [];
        const stranger = createServer((request, response) => {
          tokens.push(request.headers.authorization);
          response.setHeader('content-type', 'application/json');
          response.end('{}');
        });
        stranger.listen(0, '127.0.0.1');
        await once(stranger, 'listening');
        const { port } = stranger.address() as AddressInfo;
        try {
          await w.hookscope('connect', 'claude-code', '--write');
          await w.ask();
          equal(w.has('made.txt'), false);
          equal(tokens.length, 0);
          const warning = await w.hookscope('connect', 'claude-code', '--write', '--http', '--port', String(port));
          match(warning, /whatever listens at the port is obeyed/);
          await w.ask();
          equal(w.has('made.txt'), true, 'by HTTP the stranger is obeyed');
          match(String(tokens[0]), /^Bearer /);
        } finally {
          stranger.close();
        }
      }),
  },
  {
    name: 'By HTTP, nobody listens at the port, or the token is refused',
    checked: 'nothing ran: what connect writes has onFailure "block"',
    run: (programs) =>
      warm(programs, { main: [bash('echo x > one.txt'), done] }, async (w) => {
        await w.hookscope('connect', 'claude-code', '--write', '--http', '--port', String(await freePort()));
        await w.ask();
        equal(w.has('one.txt'), false);
      }).then(() =>
        warm(programs, { main: [bash('echo x > two.txt'), done] }, async (w) => {
          const strict = createServer((_, response) => response.writeHead(401).end());
          strict.listen(0, '127.0.0.1');
          await once(strict, 'listening');
          try {
            const { port } = strict.address() as AddressInfo;
            await w.hookscope('connect', 'claude-code', '--write', '--http', '--port', String(port));
            await w.ask();
            equal(w.has('two.txt'), false);
          } finally {
            strict.close();
          }
        }),
      ),
  },
  {
    name: 'A hook that is too slow',
    checked: 'the answer came before the client gave up: the tool did not run, and the model was told why',
    run: (programs) =>
      warm(
        programs,
        { main: [bash('echo x > made.txt'), done] },
        async (w) => {
          await w.hookscope('connect', 'claude-code', '--write');
          await w.serve('--hooks', 'hooks.json', '--project', w.project);
          await w.ask();
          equal(w.has('made.txt'), false);
          ok(/timed out|timeout|in time/.test(told(w, 1)), told(w, 1));
        },
        {
          PreToolUse: [
            { matcher: 'Bash', onFailure: 'block', hooks: [{ type: 'command', command: 'sleep 30', timeout: 2 }] },
          ],
        },
      ),
  },
];

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
