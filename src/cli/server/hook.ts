import { setTimeout as sleep } from 'node:timers/promises';
import { isHookscopeError } from '../../errors.js';
import { eventName } from '../../events/catalogue.js';
import {
  type CommandAnswer,
  deadlineOf,
  FAILURE_POLICIES,
  type FailurePolicy,
  REASONS,
  USUAL,
} from '../../server/agent-protocol.js';
import { askServer } from '../../server/client/ask.js';
import { readStdin } from '../../server/client/stdin.js';
import { placesOf } from '../../server/places.js';
import { CLAUDE, claudeProtocol, type Protocol } from '../../server/protocol.js';
import { wrongOption } from '../../values/options.js';
import { isRunning } from '../../values/processes.js';
import { messageOf } from '../../values/waiting/promises.js';
import { LONGEST_TIMER } from '../../values/waiting/timer.js';
import type { HostFlags } from '../host/open-host.js';
import { wordOf } from '../option-values.js';
import { type Flags, typedAs } from '../options.js';
import { type Terminal, unlessInterrupted } from '../terminal.js';
import { setAlarm, UNANSWERED } from './alarm.js';
import { PARENT, tellBegun, tellCode } from './last-word.js';
import { readLate } from './late-input.js';
import { knowingOwn, ownAnswer } from './own-answer.js';
import { whyEnded } from './own-process.js';
import { isStdoutLost, unheard } from './unheard.js';

type HookFlags = HostFlags & Flags<'as' | 'attended' | 'onFailure' | 'timeout' | 'noServer'>;

/** Turns an answer into one that the agent can hear (`unheard`). */
type AnswerFilter = (said: CommandAnswer) => CommandAnswer;

/** Answers one event of an agent's own hook in the agent's protocol. A failure blocks what can be blocked, unless `--on-failure allow` is given. */
export async function hookCommand([given]: readonly string[], flags: HookFlags, terminal: Terminal): Promise<number> {
  let protocol: Protocol | undefined;
  let policy: FailurePolicy = 'block';
  const isLost = isStdoutLost();
  const heard: AnswerFilter = (said) => (isLost && protocol !== undefined ? unheard(said, protocol, policy) : said);
  const call: HookRequest = { due: Number.POSITIVE_INFINITY };
  endWithParent();
  try {
    protocol = knowingOwn(await protocolOf(given as string, flags));
    policy = policyOf(flags.onFailure);
    return await answer(protocol, flags, policy, terminal, heard, call);
  } catch (error) {
    const { maskedText } = await import('../redact.js');
    const reason = maskedText(whyEnded(terminal) ?? (isHookscopeError(error) ? error.message : messageOf(error)));
    const words = protocol ?? wordsAfter(error, given as string);
    if (words === undefined) {
      const code = await say({ stdout: '', stderr: `hookscope: ${reason}\n`, code: 2 }, terminal);
      const { keepUnknown } = await import('./keep-own.js');
      const about = { event: given, reason, isClient: flags.as === undefined || flags.as === CLAUDE };
      const unkept = await keepUnknown(about, await kept(call));
      if (unkept !== undefined) terminal.tell(unkept);
      return code;
    }
    protocol = knowingOwn(words);
    return sayAndKeep(heard(protocol.fail(reason, policy)), protocol, terminal, call);
  }
}

/** What the record of hookscope's own answer needs. */
interface HookRequest {
  /** The event as it came. */
  body?: string;
  /** Whether standard input has been read. */
  isRead?: true;
  /** When this process has to end, by `performance.now()`. */
  due: number;
}

async function protocolOf(event: string, { as = CLAUDE, attended }: HookFlags): Promise<Protocol> {
  if (as === CLAUDE && eventName(event) !== undefined) return claudeProtocol(event, attended);
  if (as !== CLAUDE) {
    const { agentProtocol } = await import('../../server/agent-words.js');
    return typedAs({ agent: '--as' }, () => agentProtocol(as, event, attended));
  }
  const { agentsWith } = await import('../../agents/agents.js');
  const others = agentsWith(event);
  if (others.length === 0) return claudeProtocol(event, attended);
  const expected = `expected the agent whose event this is: --as ${others.join(' or --as ')}`;
  throw wrongOption(`hook ${event}`, expected);
}

/**
 * For an unknown agent, Claude Code's protocol, if it has the event. Whether an unknown event can be blocked is unknown, too: exit 2 blocks it
 * if it can be.
 */
function wordsAfter(error: unknown, event: string): Protocol | undefined {
  if (isHookscopeError(error) && error.code === 'UNKNOWN_EVENT') return undefined;
  try {
    return claudeProtocol(event);
  } catch {
    return undefined;
  }
}

async function answer(
  protocol: Protocol,
  flags: HookFlags,
  policy: FailurePolicy,
  terminal: Terminal,
  heard: AnswerFilter,
  call: HookRequest,
): Promise<number> {
  const given = protocol.seconds(secondsOf(flags.timeout)) ?? USUAL;
  const seconds = deadlineOf(given);
  const started = performance.now() - process.uptime() * 1000;
  const deadline = started + seconds * 1000;
  // Halfway between our deadline and the agent's: a process that has not answered by then will not.
  const last = (seconds + given) * 500;
  call.due = started + last;
  const { as: _, attended: __, onFailure: ___, timeout: ____, server, ...set } = flags;
  call.isRead = true;
  const body = await unlessInterrupted(terminal, readStdin(process.stdin, deadline));
  if (typeof body !== 'string') {
    const { withNamedProblems } = await import('../host/named-problems.js');
    const { maskedText } = await import('../redact.js');
    const failed = protocol.fail(maskedText(await withNamedProblems(set, REASONS[body.problem])), policy);
    return sayAndKeep(heard(failed), protocol, terminal, call);
  }
  call.body = body;
  const question = { protocol, body, set, cwd: process.cwd(), policy, deadline };
  if (server !== false) {
    const said = await unlessInterrupted(terminal, askServer(question, placesOf()));
    if (typeof said !== 'string') return sayAndKeep(heard(said), protocol, terminal, call);
  }
  const alarm = setAlarm(call.due - performance.now(), {
    late: () => heard(protocol.fail(REASONS.alone, policy)),
    exited: () => heard(protocol.fail(whyEnded(terminal) ?? REASONS.exited, policy)),
  });
  if (body.length > MUCH) alarm.watchFromThread();
  const { fireStateless } = await import('./hook-alone.js');
  const toSpeak = async (): Promise<void> => {
    // Otherwise the alarm has answered, and ends the process.
    if (!alarm.mayStillSpeak()) await sleep(ENDING);
  };
  try {
    const fired = await fireStateless(question, terminal, alarm).catch(async (error: unknown) => {
      await toSpeak();
      throw error;
    });
    await toSpeak();
    const answered = heard(fired.answer);
    const code = await say(answered, terminal);
    // What still runs may end or block the process, but cannot change the answer.
    alarm.said(code);
    const unkept = await fired.finish().catch(() => undefined);
    // With any other code, an agent takes standard error for the reason.
    if (code === 0)
      for (const text of [...(fired.mistakes ?? []), ...(unkept === undefined ? [] : [unkept])]) terminal.tell(text);
    await keep(answered, protocol, terminal, call);
    return code;
  } finally {
    alarm.off();
  }
}

/** Prints the answer and then, if it is hookscope's own, keeps its record. Resolves to the exit code. */
async function sayAndKeep(
  said: CommandAnswer,
  protocol: Protocol,
  terminal: Terminal,
  call: HookRequest,
): Promise<number> {
  const code = await say(said, terminal);
  await keep(said, protocol, terminal, call);
  return code;
}

/** Keeps the record of hookscope's own answer, which no host emits. A failure is only reported on standard error, after the answer's reason. */
async function keep(said: CommandAnswer, protocol: Protocol, terminal: Terminal, call: HookRequest): Promise<void> {
  const own = ownAnswer(said);
  if (own === undefined || own.isRecorded) return;
  const { keepOwn } = await import('./keep-own.js');
  const unkept = await keepOwn(own, said, { protocol, ...(await kept(call)) });
  if (unkept !== undefined && unkept !== own.reason) terminal.tell(unkept);
}

/** The event for a record, and how long that may take. */
async function kept({ body, isRead, due }: HookRequest): Promise<{ body: string | undefined; ms: number }> {
  const found = body ?? (isRead ? undefined : await readLate(process.stdin));
  return { body: found, ms: Math.min(KEEPING, Math.max(0, due - performance.now())) };
}

/** Milliseconds for that record to reach the disk. */
const KEEPING = 2_000;

/** Resolves to the exit code when all is written out. */
async function say({ stdout, stderr, code }: CommandAnswer, terminal: Terminal): Promise<number> {
  tellBegun();
  terminal.write(stdout);
  if (stderr !== '') terminal.writeError(stderr);
  await terminal.written();
  const given = terminal.gone ? UNANSWERED : code;
  tellCode(given);
  return given;
}

/** From this many characters of input on, our own code may take long. */
const MUCH = 2 ** 20;
/** Milliseconds for an alarm that has answered to end this process. */
const ENDING = 10_000;
/** Milliseconds between two checks whether the thin command that started this process still runs. */
const LOOK = 250;

/** Ends this process when its parent has been killed: its answer would decide nothing any more. */
function endWithParent(): void {
  const parent = Number(PARENT);
  delete process.env['HOOKSCOPE_PARENT'];
  if (!Number.isInteger(parent) || parent <= 1) return;
  const timer = setInterval(() => {
    if (isRunning(parent)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK).unref();
}

function policyOf(given: string | undefined): FailurePolicy {
  return given === undefined ? 'block' : wordOf(...FAILURE_POLICIES)(given, '--on-failure');
}

/** How long the agent itself waits, according to its settings or environment; at most what a timer can wait. */
function secondsOf(given: string | undefined = process.env['HOOKSCOPE_TIMEOUT']): number | undefined {
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds) && seconds > 0) return Math.min(seconds, LONGEST_TIMER / 1000);
  throw wrongOption('--timeout', `expected the seconds that the agent waits, got "${given}"`);
}
