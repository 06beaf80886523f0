import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CATALOGUE, type HookEvent } from '../../src/events/catalogue.js';
import { commandHandler } from '../../src/handlers/command/handler.js';
import { type CommandOptions, command } from '../../src/handlers/command/spec.js';
import type { ExternalCall, Reply } from '../../src/handlers/handler.js';

/** The folder of tiny real hook programs. */
export const HOOKS = fileURLToPath(new URL('../fixtures/hooks/', import.meta.url));

export interface Kept {
  readonly name: string;
  readonly done: Promise<unknown>;
  readonly end: () => Promise<void>;
}

/** A call as the host makes one, and the list of what was given to it to keep. */
export function shellCall(event: HookEvent, over: Partial<ExternalCall> = {}): { call: ExternalCall; kept: Kept[] } {
  const kept: Kept[] = [];
  const signal = over.signal ?? new AbortController().signal;
  const call: Omit<ExternalCall, 'json'> = {
    spec: CATALOGUE[event],
    eventName: event,
    input: { session_id: 's', transcript_path: '/t', cwd: process.cwd(), hook_event_name: event, tool_name: 'Bash' },
    toolUseID: undefined,
    fireId: 'fire-1',
    scope: 'session',
    call: 'first',
    onFailure: 'continue',
    signal,
    ending: signal,
    projectDir: process.cwd(),
    progress: undefined,
    keep: (name, done, end) => void kept.push({ name, done, end }),
    ...over,
  };
  return { call: { ...call, json: over.json ?? JSON.stringify(call.input) }, kept };
}

/** Runs one command line for one event. */
export function runShell(
  event: HookEvent,
  line: string,
  options: CommandOptions = {},
  over: Partial<ExternalCall> = {},
): Promise<Reply> {
  return commandHandler(command(line, options)).run(shellCall(event, over).call);
}

/** A length for `sleep` that no other process has, so that `processes` finds those of one test. */
export function uniqueSeconds(): string {
  return `30.${process.pid}${Math.floor(Math.random() * 1e9)}`;
}

/** The living processes whose command line holds a text, a line each: number, state, command line. */
export function processes(text: string): string[] {
  const list =
    process.platform === 'linux'
      ? readdirSync('/proc').flatMap((pid) => lineOf(pid, text))
      : execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return list.filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line));
}

/** What `ps` says of a process whose command line holds a text. It would be a process itself, and is asked many times. */
function lineOf(pid: string, text: string): string[] {
  if (!/^\d+$/.test(pid)) return [];
  try {
    const line = readAll(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trimEnd();
    if (line === '' || !line.includes(text)) return [];
    const state = /\) (\S)/.exec(readAll(`/proc/${pid}/stat`))?.[1];
    return [`${pid} ${state} ${line}`];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

/** `readFileSync` asks how long a file is, which none of /proc says, and then takes memory for a long one. */
const bytes = Buffer.alloc(256 * 1024);

function readAll(path: string): string {
  const file = openSync(path, 'r');
  try {
    return bytes.toString('latin1', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

/** Waits until something is so; looks less often the longer it takes. */
export async function until(what: () => boolean, seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (let pause = 15; !what(); pause = Math.min(250, pause * 1.3)) {
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
