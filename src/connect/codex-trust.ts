import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { beginning, ending } from '../emit/redact/total.js';
import { findProgram } from '../files/find-program.js';
import { isObject, type Json } from '../values/shape.js';
import { connectedRows, tableOf } from './agent-hooks.js';

/** Seconds for Codex to start and to answer. */
const PATIENCE = 15;
/** The most bytes of its output that are read. */
const MOST = 16 * 1024 * 1024;

/** `off`: the hook is switched off in Codex. `unlisted`: Codex does not know it. */
export type HookTrust = 'trusted' | 'managed' | 'untrusted' | 'modified' | 'off' | 'unlisted';

/** What Codex reports about the hooks in a file. */
export interface CodexHookReport {
  readonly hooks: readonly { readonly event: string; readonly trust: HookTrust }[];
  /** Its other messages about its files. */
  readonly warnings: readonly string[];
}

export interface CodexQuestion {
  readonly program: string;
  /** The file that was connected, and the commands in it. */
  readonly file: string;
  readonly handlers: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Seconds. */
  readonly patience?: number;
}

/** The program on the PATH. */
export const findCodex = (env?: NodeJS.ProcessEnv): string | undefined => findProgram('codex', env);

/** Asks `codex app-server`, by `hooks/list`, which of these hooks it trusts. Rejects with an error that says what went wrong. */
export async function askCodex(question: CodexQuestion): Promise<CodexHookReport> {
  const { file, handlers, cwd } = question;
  const { listed, warnings } = await listHooks(question);
  const ours = listed.filter(
    (hook) => isSameFile(String(hook['sourcePath']), file) && handlers.includes(String(hook['command'])),
  );
  const found = new Map(ours.map((hook) => [String(hook['eventName']).toLowerCase(), trustOf(hook)]));
  const hooks = connectedRows(tableOf('codex')).map(({ name }) => ({
    event: name,
    trust: found.get(name.toLowerCase()) ?? 'unlisted',
  }));
  return { hooks, warnings: warnings.filter((text) => text.includes(file) || text.includes(cwd)) };
}

function trustOf({ enabled, trustStatus }: Json): HookTrust {
  if (enabled === false) return 'off';
  const known = ['trusted', 'managed', 'untrusted', 'modified'] as const;
  return known.find((one) => one === trustStatus) ?? 'untrusted';
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return one === other;
  }
}

interface CodexHookList {
  readonly listed: readonly Json[];
  readonly warnings: readonly string[];
}

/** One conversation: initialize, then hooks/list. */
function listHooks({ program, cwd, env = process.env, patience = PATIENCE }: CodexQuestion): Promise<CodexHookList> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const end = (signal: NodeJS.Signals): void => {
      clearTimeout(timer);
      lines.close();
      child.stdin.destroy();
      endGroup(child.pid, signal);
    };
    const fail = (why: string): void => {
      end('SIGKILL');
      reject(new Error(why));
    };
    const timer = setTimeout(() => fail(`it did not answer within ${patience} s`), patience * 1000);
    const send = (message: Json): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
    const lines = createInterface({ input: child.stdout });
    const warnings: string[] = [];
    let read = 0;
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = ending(complaint + chunk.toString(), 2000);
    });
    child.on('error', (error) => fail(error.message));
    child.on('close', (code, signal) => {
      const last = complaint.trim().split('\n').at(-1) ?? '';
      fail(`it ended with ${signal ?? code} before it answered${last === '' ? '' : `: ${beginning(last, 300)}`}`);
    });
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read > MOST) fail('it wrote too much');
    });
    lines.on('line', (line) => {
      const message = parsed(line);
      const { id, method, params, result, error } = message;
      if (method === 'configWarning' && isObject(params)) warnings.push(oneLine(params['summary']));
      if (method !== undefined) return;
      if (error !== undefined) return fail(`it said ${beginning(JSON.stringify(error), 300)}`);
      if (id === 1) {
        send({ method: 'initialized' });
        send({ id: 2, method: 'hooks/list', params: { cwds: [cwd] } });
      } else if (id === 2) {
        const answer = answerIn(result);
        if (answer === undefined) return fail('its list of hooks has another form than that of 0.169.0');
        end('SIGTERM');
        resolve({ ...answer, warnings: [...answer.warnings, ...warnings] });
      }
    });
    const clientInfo = { name: 'hookscope', title: 'hookscope', version: '1' };
    send({ id: 1, method: 'initialize', params: { clientInfo } });
  });
}

function answerIn(result: unknown): CodexHookList | undefined {
  const data = isObject(result) ? result['data'] : undefined;
  if (!Array.isArray(data)) return undefined;
  const entries = data.filter(isObject);
  const all = (key: string): unknown[] => entries.flatMap((entry) => (Array.isArray(entry[key]) ? entry[key] : []));
  const errors = all('errors').filter(isObject);
  return {
    listed: all('hooks').filter(isObject),
    warnings: [
      ...all('warnings').map(oneLine),
      ...errors.map(({ path, message }) => `${String(path)}: ${String(message)}`),
    ],
  };
}

const oneLine = (text: unknown): string => String(text).replace(/\s+/g, ' ').trim();

function parsed(line: string): Json {
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? message : { method: 'none' };
  } catch {
    // Codex prints other lines, too.
    return { method: 'none' };
  }
}

/** Ends the whole process group, because Codex is a script that starts a program. */
function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It has ended already.
  }
}
