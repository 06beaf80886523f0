import type { ServerResponse } from 'node:http';
import { isHookscopeError } from '../../errors.js';
import { describeError } from '../../values/message.js';
import { LazySignal } from '../../values/waiting/lazy-signal.js';
import { askedAs, type CommandAnswer, deadlineOf, type FailurePolicy, REASONS, USUAL } from '../agent-protocol.js';
import { agentProtocol } from '../agent-words.js';
import type { Protocol, ToldInput } from '../protocol.js';
import type { WarmHosts } from '../warm.js';
import { asideHead, type HttpReply, type ReadBody, returned } from './body.js';

export interface AgentAsks {
  readonly as: string;
  /** The event's name: the agent's own, or ours. */
  readonly event: string;
  readonly attended: boolean;
  /** The folder in which the agent's hook was started. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly policy: FailurePolicy;
  /** How long the client waits, in seconds; undefined if it does not say. */
  readonly within: number | undefined;
}

/** Answers one event of an agent other than Claude Code. The body and the answer have that agent's format. */
export async function answerAgent(
  asks: AgentAsks,
  read: ReadBody,
  outgoing: ServerResponse,
  hosts: WarmHosts,
): Promise<HttpReply> {
  const { env, policy, cwd } = asks;
  const protocol = knownProtocol(asks);
  // A newer client may know the event, so it is told that nothing was run.
  if (protocol === undefined) return 'text' in read ? returned(read.text) : { status: 413, body: '{}' };
  let told: ToldInput | undefined;
  const failed = (reason: string): HttpReply => {
    const why = told === undefined ? hosts.whyChanged(cwd, env['CLAUDE_PROJECT_DIR']) : '';
    const answer = protocol.fail(`${why}${reason}`, policy, told);
    const { ours, fold, quiet } = protocol;
    const stops = answer.code === 2 || answer.stdout !== quiet;
    const own = { event: told?.event ?? ours, fold, input: told?.input ?? {}, reason: `${why}${reason}`, stops };
    if (!outgoing.destroyed) hosts.unanswered({ ...own, isClient: false }, cwd, env['CLAUDE_PROJECT_DIR']);
    return said(answer, protocol);
  };
  if ('problem' in read) return failed(REASONS[read.problem]);
  const over = new LazySignal();
  outgoing.once('close', () => over.abort(undefined));
  try {
    const decoded = protocol.read(read.text, env);
    told = hosts.memory.settle(decoded);
    const { input } = told;
    if (input['cwd'] === undefined && cwd !== undefined) told = { ...told, input: { ...input, cwd } };
    const folder = cwd ?? (typeof input['cwd'] === 'string' ? input['cwd'] : undefined);
    const spec = hosts.spec(told.event, folder, env['CLAUDE_PROJECT_DIR']);
    if (spec === undefined) return returned(read.text);
    const within = asks.within ?? deadlineOf(protocol.seconds(undefined) ?? USUAL);
    const settings = { ...protocol.settings(told, policy), asked: askedAs(asks.attended, within, policy) };
    const { decision, late } = await hosts.decide(spec, told.input, { cwd: folder, env, signal: over, settings });
    hosts.memory.decided(decoded, told, decision);
    return said(protocol.say(decision, told, late), protocol);
  } catch (error) {
    return failed(isHookscopeError(error) ? error.message : describeError(error));
  }
}

function knownProtocol({ as, event, attended }: AgentAsks): Protocol | undefined {
  try {
    return agentProtocol(as, event, attended);
  } catch {
    return undefined;
  }
}

/** The answer as the client prints it; `{}` means no output. */
function said({ stdout, stderr }: CommandAnswer, { quiet }: Protocol): HttpReply {
  return { status: 200, body: stdout === quiet ? '{}' : stdout.trimEnd(), head: asideHead(stderr) };
}
