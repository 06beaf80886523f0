import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { isHookscopeError } from '../../errors.js';
import { claudeDecision, lossesIn, whyShown } from '../../handlers/untold.js';
import { plainJson } from '../../plain.js';
import { describeError } from '../../values/message.js';
import { isObject, type Json } from '../../values/shape.js';
import { LazySignal } from '../../values/waiting/lazy-signal.js';
import {
  askedAs,
  type CommandAnswer,
  deadlineOf,
  type FailurePolicy,
  failureAnswer,
  HEAD,
  REASONS,
  USUAL,
} from '../agent-protocol.js';
import { decodedHead, type NamedSet, setInHeaders } from '../named-set.js';
import { CLAUDE } from '../protocol.js';
import type { WarmHosts } from '../warm.js';
import { answerAgent } from './answer-agent.js';
import { asideHead, type HttpReply, readBody, restOf, returned } from './body.js';
import { environmentIn, headValue, valueIn, withTrace } from './head.js';

/** How long the client says it will wait, in seconds. */
function withinOf(headers: IncomingHttpHeaders): number | undefined {
  const said = Number(headers[HEAD.within]);
  return said > 0 ? said : undefined;
}

export interface HookParts {
  /** Calls that are not answered yet, and the number of answered ones. */
  readonly calls: { readonly waiting: Set<IncomingMessage>; answered: number };
  hosts(): WarmHosts;
  /** Whether the set that a request names is served. */
  serves(set: NamedSet, cwd: string): boolean;
  /** Whether a user accepted a configuration of the folder that is not served. */
  accepted(folder: string): boolean;
  /** Resolves when all records but those of the last milliseconds are written; undefined if they are. */
  kept(): Promise<void> | undefined;
}

const NO_ENV: Readonly<Record<string, string>> = {};

let turn: Promise<void> | undefined;

/**
 * Resolves when all that came in this turn of the event loop has been read. Answers wait for it, and are then written in succession:
 * waking the receiver of the first one takes longer than all other work for a call, and the other receivers are then awake. If it is
 * called when a request comes, the records of the request are written after its answer.
 */
function endOfTurn(): Promise<void> {
  turn ??= setImmediate().then(() => {
    turn = undefined;
  });
  return turn;
}

/**
 * Answers one event, as Claude Code's HTTP hooks and our own command send it. It uses Node's own request and response: every tool call
 * waits for it, and converting them to a web Request and Response takes longer than the hooks.
 */
export async function answerHook(
  event: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  parts: HookParts,
): Promise<void> {
  void endOfTurn();
  const { calls } = parts;
  calls.waiting.add(incoming);
  const { status, body, head } = await answer(event, incoming, outgoing, parts);
  await endOfTurn();
  const kept = parts.kept();
  if (kept !== undefined) await kept;
  calls.waiting.delete(incoming);
  calls.answered++;
  // The client has disconnected.
  if (outgoing.destroyed) return;
  const isUnread = !incoming.complete;
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(isUnread && { connection: 'close' }),
    ...head,
  });
  if (!isUnread) return void outgoing.end(body);
  outgoing.write(body);
  await restOf(incoming);
  outgoing.end(() => incoming.socket.destroySoon());
}

async function answer(
  event: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  parts: HookParts,
): Promise<HttpReply> {
  const { headers } = incoming;
  const isEncoded = headers[HEAD.encoded] !== undefined;
  const rawHeaders = isEncoded ? decodedHead(incoming.rawHeaders) : incoming.rawHeaders;
  const cwd = headValue(isEncoded ? valueIn(rawHeaders, HEAD.cwd) : headers[HEAD.cwd]);
  const asked = setInHeaders(rawHeaders);
  const read = await readBody(incoming);
  // Nobody gets back what cannot be read.
  const isReadable = 'text' in read;
  const isCommand = headers[HEAD.within] !== undefined;
  // curl before 7.55 leaves out the headers that it is given by a descriptor, and with them the files that the command names.
  if (isReadable && isCommand && cwd === undefined) return returned(read.text);
  if (isReadable && Object.keys(asked).length > 0 && !parts.serves(asked, cwd ?? '/')) return returned(read.text);
  const hosts = parts.hosts();
  const env = withTrace(headers, headers[HEAD.env] === undefined ? NO_ENV : environmentIn(rawHeaders));
  // If hooks wait for consent or are not served, our own command has to handle the call; an answer from here would allow it.
  const isUnnamed = isCommand && Object.keys(asked).length === 0;
  const session = env['CLAUDE_PROJECT_DIR'];
  if (isReadable && isUnnamed && (hosts.waitsForConsent(cwd, session) || isElsewhere(hosts, cwd, session, parts)))
    return returned(read.text);
  const policy: FailurePolicy = headers[HEAD.policy] === 'allow' ? 'allow' : 'block';
  const as = headValue(headers[HEAD.as]);
  if (as !== undefined && as !== CLAUDE) {
    const attended = headers[HEAD.attended] !== undefined;
    return answerAgent({ as, event, attended, cwd, env, policy, within: withinOf(headers) }, read, outgoing, hosts);
  }
  const body = isReadable ? objectIn(read.text) : read.problem;
  const folder = cwd ?? (isObject(body) && typeof body['cwd'] === 'string' ? body['cwd'] : undefined);
  const spec = hosts.spec(event, folder, env['CLAUDE_PROJECT_DIR']);
  if (spec === undefined) return { status: 404, body: '{"error":"there is no such event"}' };
  const failed = (reason: string, input: Json, isLarge = false): HttpReply => {
    const said = failureAnswer(spec, reason, policy);
    const told = { event: spec.name, fold: spec.fold, input, reason, stops: said.code === 2, isClient: true };
    // A client that is gone does not get the answer, and records that itself.
    if (!outgoing.destroyed) hosts.unanswered(told, folder, session);
    return failedReply(said, isLarge);
  };
  if (typeof body === 'string')
    return failed(`${hosts.whyChanged(folder, session)}${REASONS[body]}`, {}, body === 'large');
  const over = new LazySignal();
  outgoing.once('close', () => over.abort(undefined));
  try {
    // Without a folder from the client, our own folder is not used instead.
    const input = body['cwd'] === undefined && cwd !== undefined ? { ...body, cwd } : body;
    const output = await hosts.ask(spec, input, {
      cwd: folder,
      env,
      signal: over,
      settings: {
        losses: (decision) => lossesIn(spec, decision, input),
        asked: askedAs(
          headers[HEAD.attended] !== undefined,
          withinOf(headers) ?? deadlineOf(spec.timeout?.claude ?? USUAL),
          policy,
        ),
      },
    });
    const shown = whyShown(spec, output['suppressOutput']);
    const head = asideHead(shown === undefined ? '' : `hookscope: ${shown}`);
    return { status: 200, body: plainJson(claudeDecision(spec, output, input)), head };
  } catch (error) {
    return failed(isHookscopeError(error) ? error.message : describeError(error), body);
  }
}

/** Whether hooks that are not served count for a call of our own command. If so, the command runs them itself, with those that are served. */
function isElsewhere(
  hosts: WarmHosts,
  cwd: string | undefined,
  session: string | undefined,
  parts: HookParts,
): boolean {
  if (cwd === undefined || hosts.of(cwd, session).root !== undefined) return false;
  try {
    return parts.accepted(cwd);
  } catch {
    // The command itself reports why the consent store cannot be read.
    return true;
  }
}

/**
 * The answer if a call could not be judged. What stops it has status 200, because a client of HTTP hooks continues after an HTTP error; our own
 * command prints and exits as the head says.
 */
function failedReply({ stdout, stderr, code }: CommandAnswer, isLarge: boolean): HttpReply {
  const head = { ...asideHead(stderr), [HEAD.exit]: String(code) };
  if (stdout !== '') return { status: 200, body: stdout.trimEnd(), head };
  return { status: isLarge ? 413 : 500, body: plainJson({ error: stderr.trimEnd() }), head };
}

function objectIn(text: string): Json | 'input' {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : 'input';
  } catch {
    return 'input';
  }
}
