import { NOBODY_HEARS } from '../emit/reading/own-answer.js';
import { failureEffect } from '../events/failure.js';
import type { EventSpec } from '../events/spec.js';
import { blockOutput } from '../handlers/blocking.js';
import type { FireSettings } from '../host/fire-options.js';
import { plainJson, plainLines } from '../plain.js';
import { PROOF_HEAD } from '../values/server-proof.js';
import { MOST_BODY } from './limits.js';

/** A command's answer to Claude Code: its output and its exit code. */
export interface CommandAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The effect of our own failures: `block` stops what can be stopped, `allow` only reports the failure. */
export const FAILURE_POLICIES = ['block', 'allow'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** The hooks were asked, and this is their decision in the wire's shape: the client reads it on exit 0. */
export function decided(output: Readonly<Record<string, unknown>>): CommandAnswer {
  return { stdout: Object.keys(output).length === 0 ? '' : `${plainJson(output)}\n`, stderr: '', code: 0 };
}

/** The event's own block in the wire's shape; undefined: a failure stops nothing here. */
export function failureOutput(
  spec: EventSpec,
  reason: string,
  policy: FailurePolicy,
): Readonly<Record<string, unknown>> | undefined {
  if (policy === 'allow' || failureEffect(spec, 'block') === 'none') return undefined;
  return blockOutput({ spec, eventName: spec.name }, reason, undefined);
}

/**
 * The hooks could not be asked. Exit 2 blocks where the client minds it; the same is said in JSON, since on some events
 * (PermissionRequest) only that counts. If nothing can be stopped, or `allow` was asked for, exit 1 shows the reason and lets the agent continue.
 */
export function failed(spec: EventSpec, reason: string, policy: FailurePolicy): CommandAnswer {
  const said = `hookscope: ${reason}`;
  const output = failureOutput(spec, said, policy);
  const stderr = `${plainLines(said)}\n`;
  if (output === undefined) return { stdout: '', stderr, code: 1 };
  return { stdout: `${plainJson(output)}\n`, stderr, code: 2 };
}

/** Seconds that Claude Code gives a command if neither its settings nor the event set another limit. */
export const USUAL = 600;

/** By when to answer, in seconds, if the agent itself gives up after `given` seconds. */
export function deadlineOf(given: number): number {
  // A late answer counts for nothing, so some time is kept for starting up and for printing: a fifth of it, but at most five seconds.
  return Math.max(given - 5, given * 0.8);
}

/** How the team may settle an ask. The failure policy counts if no user is there; otherwise the agent still asks its user. */
export function askedAs(attended: boolean, within: number | undefined, policy: FailurePolicy): FireSettings['asked'] {
  const seconds = within ?? deadlineOf(USUAL);
  return { attended, within: seconds, unanswered: attended || policy === 'allow' ? 'ask' : 'deny' };
}

/** Why nothing was let through. The same words in the thin command. */
export const REASONS = {
  died: 'the server was asked and did not answer: it has died, or hangs',
  late: 'the server was asked and has not answered in time',
  alone: 'its hooks have not answered in time',
  ended: 'it was ended before the hooks had answered',
  exited: 'code of a hook or a plugin has ended the process before the hooks had answered',
  uncaught: (why: string): string => `nothing has caught an error of a hook's or a plugin's code: ${why}`,
  stranger:
    "what answers on the server's socket does not prove that it is the server of this user: find out which program it is",
  refused: (status: number): string => `the server refused the request (HTTP ${status})`,
  input: 'the input of the event is not a JSON object',
  large: `a request has at most ${MOST_BODY} bytes`,
  open: 'standard input was not closed in time',
  short: 'the time that the agent gives is too short to ask the hooks',
  lost: (answer: string): string => `${NOBODY_HEARS}: ${answer}`,
  nothing:
    'no hooks are named, no server is running, and none has left hooks that count here: name them (--hooks, --config, --plugin), or start hookscope serve',
  held: (files: string): string =>
    `no hooks are named, and those of ${files} wait for your consent: hookscope trust, or name others (--hooks, --config, --plugin)`,
} as const;

/** The agent's environment variables that go to the server, besides the folder. */
export const ENVIRONMENT = [
  'AI_AGENT',
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PROJECT_DIR',
  'COPILOT_PROJECT_DIR',
  'CURSOR_PROJECT_DIR',
  'GEMINI_CWD',
  'GEMINI_PROJECT_DIR',
  'GEMINI_SESSION_ID',
  'LANG',
  'LC_ALL',
  'TRACEPARENT',
  'TRACESTATE',
  'TZ',
] as const;

/** Further headers of a request, besides the token, the set and the body. */
export const HEAD = {
  cwd: 'hookscope-cwd',
  env: 'hookscope-env',
  /** Values of our own headers are percent-encoded. */
  encoded: 'hookscope-encoded',
  policy: 'hookscope-on-failure',
  /** The agent whose event it is, if not Claude Code; and whether a person is at that agent. */
  as: 'hookscope-as',
  attended: 'hookscope-attended',
  /** Seconds after which the client gives up. */
  within: 'hookscope-within',
  /** In an answer: additional messages, one per line. */
  aside: 'hookscope-aside',
  /** In an answer: nothing was judged, and the command exits with this code. */
  exit: 'hookscope-exit',
  /** In an answer on the socket: proof that it comes from the user's own server. */
  proof: PROOF_HEAD,
  /** The server does not serve this set: nothing of it was run. */
  notServed: 421,
  /** In such an answer: its body is the request's. */
  returned: 'hookscope-returned',
} as const;
