import { NOBODY_HEARS } from '../emit/reading/own-answer.js';
import { failureEffect } from '../events/failure.js';
import type { EventSpec } from '../events/spec.js';
import { blockOutput } from '../handlers/blocking.js';
import type { FireSettings } from '../host/fire-options.js';
import { plainJson, plainLines } from '../plain.js';
import { PROOF_HEAD } from '../values/server-proof.js';
import { MOST_BODY } from './limits.js';

/** A hook command's answer to the agent: its output and exit code. */
export interface CommandAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The effect if hooks could not be asked: `block` stops what can be stopped, `allow` only reports the failure. */
export const FAILURE_POLICIES = ['block', 'allow'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** The answer for a decision in the wire's format; the client reads it on exit code 0. */
export function decisionAnswer(output: Readonly<Record<string, unknown>>): CommandAnswer {
  return { stdout: Object.keys(output).length === 0 ? '' : `${plainJson(output)}\n`, stderr: '', code: 0 };
}

/** The wire output that stops the event; undefined if a failure cannot stop it. */
export function failureOutput(
  spec: EventSpec,
  reason: string,
  policy: FailurePolicy,
): Readonly<Record<string, unknown>> | undefined {
  if (policy === 'allow' || failureEffect(spec, 'block') === 'none') return undefined;
  return blockOutput({ spec, eventName: spec.name }, reason, undefined);
}

/** What the answer says. The thin command (hookscope-hook.sh) says the same. */
export function failureWords(reason: string, policy: FailurePolicy): string {
  return policy === 'allow' ? `hookscope: ${reason.replace(/\.$/, '')}; ${NOTHING_BLOCKED}` : `hookscope: ${reason}`;
}

export const NOTHING_BLOCKED = 'nothing is blocked (--on-failure allow)';

/**
 * The answer if hooks could not be asked. Exit code 2 blocks where the client supports it; JSON says the same, because on some events
 * (PermissionRequest) only JSON counts. If nothing can be stopped, or the policy is `allow`, exit code 1 shows the reason and lets the agent continue.
 */
export function failureAnswer(spec: EventSpec, reason: string, policy: FailurePolicy): CommandAnswer {
  const said = failureWords(reason, policy);
  const output = failureOutput(spec, said, policy);
  const stderr = `${plainLines(said)}\n`;
  if (output === undefined) return { stdout: '', stderr, code: 1 };
  return { stdout: `${plainJson(output)}\n`, stderr, code: 2 };
}

/** The time limit in seconds that Claude Code gives a command, unless its settings or the event set another. */
export const USUAL = 600;

/** The time in seconds within which to answer, if the agent gives up after `given` seconds. */
export function deadlineOf(given: number): number {
  // A late answer does not count, so a fifth of the time, but at most five seconds, is reserved for start-up and printing.
  return Math.max(given - 5, given * 0.8);
}

/** How approvers elsewhere may answer an ask. Without an answer the agent asks its user or, if there is none, the failure policy decides. */
export function askedAs(attended: boolean, within: number | undefined, policy: FailurePolicy): FireSettings['asked'] {
  const seconds = within ?? deadlineOf(USUAL);
  return { attended, within: seconds, unanswered: attended || policy === 'allow' ? 'ask' : 'deny' };
}

/** The reasons of failures. The thin command (hookscope-hook.sh) has the same texts. */
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

/** The agent's environment variables that are sent to the server. */
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

/** Headers of requests and answers, besides those for the token and the set. */
export const HEAD = {
  cwd: 'hookscope-cwd',
  env: 'hookscope-env',
  /** Says that the values of our own headers are percent-encoded. */
  encoded: 'hookscope-encoded',
  policy: 'hookscope-on-failure',
  /** The agent that sent the event, if it is not Claude Code; `attended`: whether a user is at that agent. */
  as: 'hookscope-as',
  attended: 'hookscope-attended',
  /** The time in seconds after which the client gives up. */
  within: 'hookscope-within',
  /** In an answer: additional messages, one a line. */
  aside: 'hookscope-aside',
  /** In an answer of the server's own, since hooks could not be asked: the exit code for the command. Without it, an error is a refusal. */
  exit: 'hookscope-exit',
  /** In an answer on the socket: proof that it comes from the user's own server. */
  proof: PROOF_HEAD,
  /** The HTTP status if the server does not serve the set, so that nothing was run. */
  notServed: 421,
  /** In such an answer: its body is the body of the request. */
  returned: 'hookscope-returned',
} as const;
