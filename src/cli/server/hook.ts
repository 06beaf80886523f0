import { HookscopeError, isHookscopeError } from '../../errors.js';
import { CATALOGUE, eventName } from '../../events/catalogue.js';
import type { EventSpec } from '../../events/define.js';
import {
  type CommandAnswer,
  deadlineOf,
  FAILURE_POLICIES,
  type FailurePolicy,
  failed,
  REASONS,
} from '../../server/agent-protocol.js';
import { askServer } from '../../server/client/ask.js';
import { readStdin } from '../../server/client/stdin.js';
import { placesOf } from '../../server/places.js';
import { messageOf } from '../../values/promises.js';
import type { HostFlags } from '../open-host.js';
import type { Terminal } from '../terminal.js';

interface HookFlags extends HostFlags {
  readonly as?: string;
  readonly onFailure?: string;
  readonly timeout?: string;
  /** false: no server is asked. */
  readonly server?: boolean;
}

/** One event from an agent's own hook, answered as the agent understands it. Whatever goes wrong on the way stops what can be stopped. */
export async function hookCommand([given]: readonly string[], flags: HookFlags, terminal: Terminal): Promise<number> {
  const name = eventName(given as string);
  // Of one that nobody knows it is not known either whether it can be stopped: exit 2 stops what can be.
  const spec = (name === undefined ? undefined : CATALOGUE[name as keyof typeof CATALOGUE]) as EventSpec | undefined;
  let policy: FailurePolicy = 'block';
  try {
    policy = policyOf(flags.onFailure);
    if (spec === undefined) throw new HookscopeError('UNKNOWN_EVENT', { event: given as string });
    if (flags.as !== undefined && flags.as !== 'claude-code') throw wrong('--as', 'expected claude-code', flags.as);
    return await say(await answer(spec, flags, policy, terminal), terminal);
  } catch (error) {
    const reason = isHookscopeError(error) ? error.message : messageOf(error);
    if (spec !== undefined) return say(failed(spec, reason, policy), terminal);
    return say({ stdout: '', stderr: `hookscope: ${reason}\n`, code: 2 }, terminal);
  }
}

async function answer(
  spec: EventSpec,
  flags: HookFlags,
  policy: FailurePolicy,
  terminal: Terminal,
): Promise<CommandAnswer> {
  const seconds = deadlineOf(spec, secondsOf(flags.timeout));
  const deadline = performance.now() - process.uptime() * 1000 + seconds * 1000;
  const { as: _, onFailure: __, timeout: ___, server, ...set } = flags;
  const body = await readStdin(process.stdin, deadline);
  if (typeof body !== 'string') return failed(spec, REASONS[body.problem], policy);
  const question = { spec, body, set, cwd: process.cwd(), policy, deadline };
  if (server !== false) {
    const said = await askServer(question, placesOf());
    if (typeof said !== 'string') return said;
  }
  const { fireStateless } = await import('./hook-alone.js');
  return fireStateless(question, terminal);
}

async function say({ stdout, stderr, code }: CommandAnswer, terminal: Terminal): Promise<number> {
  terminal.write(stdout);
  if (stderr !== '') process.stderr.write(stderr);
  return code;
}

function policyOf(given: string | undefined): FailurePolicy {
  if (given === undefined) return 'block';
  const policy = FAILURE_POLICIES.find((one) => one === given);
  if (policy === undefined) throw wrong('--on-failure', 'expected block or allow', given);
  return policy;
}

/** What the agent itself waits, as its settings or its environment say. */
function secondsOf(given: string | undefined = process.env['HOOKSCOPE_TIMEOUT']): number | undefined {
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw wrong('--timeout', 'expected the seconds that the agent waits', given);
}

const wrong = (where: string, expected: string, got: string): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', { where, expected: `${expected}, got "${got}"` });
