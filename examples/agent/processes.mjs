// The shell commands of tools. Each runs in a process group of its own, so that it ends with whatever it started.
import { execFileSync, spawn } from 'node:child_process';

/** Groups that may still have processes: a command may leave some in the background. */
const groups = new Set();

/** The last resort: nothing is waited for any more. */
process.on('exit', () => endProcesses('SIGKILL'));

/** Ends every process that a tool's command has started. */
export function endProcesses(/** @type {NodeJS.Signals} */ signal = 'SIGTERM') {
  for (const group of groups) endGroup(group, signal);
}

/**
 * Runs it to its end, or until the signal or the time (seconds) ends it.
 * @param {string} command @param {{ cwd: string, signal: AbortSignal, timeout: number }} how
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
export function runShell(command, { cwd, signal, timeout }) {
  signal.throwIfAborted();
  const child = spawn('bash', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const group = /** @type {number} */ (child.pid);
  if (group !== undefined) groups.add(group);
  const said = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (piece) => {
      said[name] += piece;
    });
  }
  return new Promise((resolve, reject) => {
    /** @type {NodeJS.Timeout | undefined} */
    let hard;
    let late = false;
    const end = () => {
      endGroup(group, 'SIGTERM');
      hard ??= setTimeout(() => endGroup(group, 'SIGKILL'), 500);
    };
    const timer = setTimeout(() => {
      late = true;
      end();
    }, timeout * 1000);
    signal.addEventListener('abort', end, { once: true });
    child.once('error', reject);
    // What it left in the background may hold its output open.
    child.once('exit', (code, by) => setTimeout(() => finish(code, by), child.stdout.readableEnded ? 0 : 100));
    const finish = (/** @type {number | null} */ code, /** @type {string | null} */ by) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (late || signal.aborted) endGroup(group, 'SIGKILL');
      clearTimeout(hard);
      child.stdout.destroy();
      child.stderr.destroy();
      if (!isAlive(group)) groups.delete(group);
      if (late) reject(new Error(`The command was ended after ${timeout} s.`));
      else if (code === 0) resolve(said);
      else reject(new Error(`Command failed (${by ?? `exit code ${code}`}): ${command}\n${said.stderr}`.trim()));
    };
  });
}

/** The group, and descendants that have made groups of their own (`setsid`). */
function endGroup(/** @type {number} */ group, /** @type {NodeJS.Signals} */ signal) {
  for (const pid of [...descendants(group), -group]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}

function isAlive(/** @type {number} */ group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** @returns {number[]} */
function descendants(/** @type {number} */ root) {
  try {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: 2000 }).trim().split('\n');
    const found = [root];
    // Children come behind their parents once the list is long enough.
    const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
    for (const parent of found)
      for (const [pid, by] of pairs) if (by === parent && pid !== undefined && !found.includes(pid)) found.push(pid);
    return found.slice(1);
  } catch {
    return [];
  }
}
