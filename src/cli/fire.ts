import type { Host } from '../create-host.js';
import { formatFire, formatRecord, type PrintOptions } from '../emit/reading/print.js';
import type { FireRecord, HookResponse } from '../emit/record.js';
import { HookscopeError } from '../errors.js';
import { subjectIn } from '../events/subject.js';
import { claudeDecision, untoldReason, whyUntold } from '../handlers/untold.js';
import type { AnyDecision } from '../host/decide/decision.js';
import { servicesOf } from '../host/internals.js';
import { plain, plainJson, plainLines } from '../plain.js';
import type { Json } from '../values/shape.js';
import { keptOutputs } from '../values/user-folders.js';
import { openForEvent } from './host/event-host.js';
import { nameOfInput, readInput } from './host/event-input.js';
import { atPlace, type HostFlags } from './host/open-host.js';
import { partOfCaller } from './host/part-of-caller.js';
import { type Flags, typedAs } from './options.js';
import { redactorFor } from './redact.js';
import { UNANSWERED } from './server/alarm.js';
import { blockUnlessAnswered } from './server/own-process.js';
import type { Terminal } from './terminal.js';

type FireFlags = HostFlags & Flags<'input' | 'scope' | 'json' | 'redact' | 'exitCode'>;

/** The result of one fire, and of its background hooks until the host was closed. */
interface FireResult {
  readonly decision: AnyDecision;
  readonly record: FireRecord;
  /** Background hooks that ended after the decision. */
  readonly responses: readonly HookResponse[];
  /** Context that background hooks left for the next turn. */
  readonly later: readonly string[];
  /** Names of background hooks that were still running and were cancelled. */
  readonly cancelled: readonly string[];
}

export async function fireCommand(args: readonly string[], flags: FireFlags, terminal: Terminal): Promise<number> {
  if (!flags.exitCode) return fireAndSay(args, flags, terminal);
  const alarm = blockUnlessAnswered(args[0] as string, terminal);
  try {
    const code = await fireAndSay(args, flags, terminal, () => alarm.mayStillSpeak());
    await terminal.written();
    const last = terminal.gone ? UNANSWERED : code;
    alarm.said(last);
    return last;
  } finally {
    alarm.off();
  }
}

/** `beforeAnswer` is called before anything is printed. */
async function fireAndSay(
  args: readonly string[],
  flags: FireFlags,
  terminal: Terminal,
  beforeAnswer?: () => void,
): Promise<number> {
  const notes: string[] = [];
  // With --exit-code, standard error is for the reason of a block; notes must wait.
  const tell = flags.exitCode ? (note: string) => void notes.push(note) : terminal.tell;
  const shown = !flags.exitCode && !flags.json;
  const { host, wakes, event, input } = await openForEvent(
    args[0] as string,
    () => readInput(flags.input),
    flags,
    { executes: true, tell, shown, announce: terminal.tell },
    terminal,
  );
  // The agent that runs this as a hook reads large outputs after this process has ended.
  if (flags.exitCode) servicesOf(host).largeOutput.keep(keptOutputs());
  const fired = await fireOnce(host, event, input, flags, terminal.signal).catch((error: unknown) => {
    // An error in the input names where the input came from.
    throw hasCode(error, 'INVALID_INPUT')
      ? atPlace(flags.input === undefined ? '--input is not given' : nameOfInput(flags.input), error)
      : error;
  });
  const untold = flags.exitCode ? untoldOf(host, event, input, fired.decision) : undefined;
  const blocked = untold !== undefined || isBlocked(fired.decision);
  beforeAnswer?.();
  if (flags.json) {
    const { later, cancelled } = fired;
    const record = redactorFor(flags)?.redact(fired.record) ?? fired.record;
    await terminal.print(plainJson({ ...record, later, wakes, cancelled }));
  } else if (flags.exitCode) await terminal.print(plainJson(untold?.output ?? fired.decision));
  else
    await terminal.print(
      describe(fired, wakes, {
        color: terminal.color,
        subject: subjectsOf(host),
        ...(flags.redact === false ? { redact: false } : {}),
      }),
    );
  if (!flags.exitCode) return 0;
  const reason = untold?.reason ?? fired.decision.reason ?? 'Blocked, and no reason was given.';
  if (blocked) terminal.writeError(`${plainLines(reason)}\n`);
  else for (const note of notes) terminal.tell(note);
  return blocked ? 2 : 0;
}

function hasCode(error: unknown, code: HookscopeError['code']): boolean {
  return error instanceof HookscopeError && error.code === code;
}

async function fireOnce(
  host: Host,
  event: string,
  input: Readonly<Record<string, unknown>>,
  { scope }: FireFlags,
  signal: AbortSignal,
): Promise<FireResult> {
  partOfCaller(host);
  const records: FireRecord[] = [];
  const responses: HookResponse[] = [];
  servicesOf(host).bus.records.subscribe({
    next(record) {
      if (record.type === 'hook_fire') records.push(record);
      else if (record.type === 'system' && record.subtype === 'hook_response') responses.push(record);
    },
  });
  try {
    const decision = await typedAs({ 'fire: scope': '--scope' }, () => host.fireAny(event, input, { scope, signal }));
    // A hook may fire events of its own; the record of this fire comes last.
    const record = records.findLast((r) => r.event === event) as FireRecord;
    const inTime = responses.length;
    const { pending: cancelled } = await host.close();
    return { decision, record, responses: responses.slice(inTime), later: pendingContext(host, record), cancelled };
  } finally {
    await host.close();
  }
}

/** Context that background hooks left for the next turn of the agent, or of the session. */
function pendingContext(host: Host, { scope, session_id: session }: FireRecord): string[] {
  if (scope !== 'session') return host.pendingContext({ session, agent: scope });
  const base = host.pendingContext();
  return base.length > 0 ? base : host.pendingContext({ session });
}

/** The answer, and its reason, if the agent cannot be given the input that was decided and would run another. */
function untoldOf(host: Host, event: string, input: Json, decision: AnyDecision) {
  const spec = servicesOf(host).events[event]?.spec;
  const why = spec && whyUntold(spec, decision.toJSON(), input);
  return spec && why !== undefined
    ? {
        output: claudeDecision(spec, decision.toJSON(), input),
        reason: untoldReason(why, decision.verdict === 'ask' ? decision.reason : undefined),
      }
    : undefined;
}

function isBlocked({ verdict, blocked, continues }: AnyDecision): boolean {
  return verdict === 'deny' || blocked === true || continues === true;
}

/** The subjects of all events, including the host's own. */
function subjectsOf(host: Host): NonNullable<PrintOptions['subject']> {
  const { events } = servicesOf(host);
  return (event, input) => subjectIn(events[event]?.spec, input);
}

function describe(fired: FireResult, wakes: readonly { readonly text: string }[], how: PrintOptions): string {
  const { decision, record, responses, later, cancelled } = fired;
  const said = (what: string, texts: readonly string[]): string[] => texts.map((line) => `  ${what}: ${plain(line)}`);
  const json = (value: unknown): string[] => (value === undefined ? [] : [JSON.stringify(value)]);
  return [
    formatFire(record, how),
    ...said('input now', json(decision.updatedInput)),
    ...said('output now', json(decision.updatedOutput)),
    ...said('value', json(decision.value)),
    ...said('for the model', decision.additionalContext),
    ...said('for the user', decision.systemMessages),
    ...responses.map((response) => `  later: ${formatRecord(response, { ...how, since: record.time })}`),
    ...said('for the next turn', later),
    ...said(
      'wakes the agent',
      wakes.map((wake) => wake.text),
    ),
    ...said('cancelled', cancelled),
  ].join('\n');
}
