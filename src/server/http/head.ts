import { statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { basename, isAbsolute } from 'node:path';
import { carrierOf } from '../../values/trace-carrier.js';
import { ENVIRONMENT, HEAD } from '../agent-protocol.js';
import { utf8 } from '../named-set.js';

const NAMES: ReadonlySet<string> = new Set(ENVIRONMENT);

/** The value of a header that may appear only once. */
export function headValue(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? utf8(value) : undefined;
}

/** The first value of a header; `raw` has names and values in turn, as Node gives them. */
export function valueIn(raw: readonly string[], name: string): string | undefined {
  const at = raw.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name);
  return at === -1 ? undefined : raw[at + 1];
}

/** The agent's environment variables that hooks may get; `raw` has names and values in turn, as Node gives them. */
export function environmentIn(raw: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (let i = 0; i < raw.length; i += 2) {
    if ((raw[i] as string).toLowerCase() !== HEAD.env) continue;
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(utf8(raw[i + 1] as string)) ?? [];
    if (NAMES.has(name) && isSafe(name, value)) env[name] = value;
  }
  return env;
}

/** Whether a variable may be passed on. Hooks read files at such paths, so clients must not choose them freely. */
export function isSafe(name: string, value: string): boolean {
  if (/_PROJECT_DIR$|^GEMINI_CWD$/.test(name)) return isAbsolute(value) && isFolder(value);
  // The path must be one that Claude Code makes, because hooks write to the file and the client sources it.
  if (name === 'CLAUDE_ENV_FILE')
    return /\/session-env\/[^/]+\/[a-z]+-hook-\d+\.sh$/.test(value) && basename(value) !== '';
  return true;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Adds the request's trace to the environment. Its own headers take precedence over the agent's environment. */
export function withTrace(
  headers: IncomingHttpHeaders,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const carrier = carrierOf(headers['traceparent'], headers['tracestate']);
  if (carrier === undefined) return env;
  const { TRACEPARENT: _, TRACESTATE: __, ...rest } = env;
  return {
    ...rest,
    TRACEPARENT: carrier.traceparent,
    ...(carrier.tracestate === undefined ? {} : { TRACESTATE: carrier.tracestate }),
  };
}
