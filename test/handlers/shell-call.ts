import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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
      ? readdirSync('/proc').flatMap(lineOf)
      : execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return list.filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line));
}

/** What `ps` says of a process, which would be a process itself, and is asked many times. */
function lineOf(pid: string): string[] {
  if (!/^\d+$/.test(pid)) return [];
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trimEnd();
    if (line === '') return [];
    const state = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
    return [`${pid} ${state} ${line}`];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

/** Waits until something is so. */
export async function until(what: () => boolean, seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!what()) {
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
