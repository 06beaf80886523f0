import { type Traced, within } from '../../emit/tracing.js';
import { isHookscopeError } from '../../errors.js';
import type { Decision } from '../../host/types.js';
import { describeError } from '../../values/message.js';
import { messageOf } from '../../values/waiting/promises.js';
import { forModel, tellUser } from '../context.js';
import { type Core, wasCut } from '../core.js';
import { type CheckedCall, callFields, checkCall, newCallId, type ToolCall, type ToolResult } from './call.js';
import { fireFor, recordCall, recordRefused } from './call-record.js';
import { contextTexts, withTexts } from './content.js';
import { execute, tellInterrupted } from './execute.js';
import type { Judgement } from './judgement.js';
import { noteToolName } from './names.js';
import { forgetLeft, LeavableCall, PassedThrough } from './pass-through.js';
import { judgeCall } from './permission.js';
import { afterwards, baseResult, failedResult, interrupted } from './results.js';

/** Runs a single call. Throws SESSION_CLOSED, INVALID_OPTIONS and INVALID_INPUT before anything is fired. */
export function runTool(core: Core, call: ToolCall): Promise<ToolResult> {
  try {
    core.demand('tool');
    const [checked] = takeCalls(core, [call]);
    core.resume();
    return track(core, checked as CheckedCall);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Checks all calls. If one is invalid, none runs: their ids count as used, and for an input that cannot be serialised, all get records. */
export function takeCalls(core: Core, given: readonly ToolCall[]): CheckedCall[] {
  let at = 0;
  try {
    return given.map((call, i) => {
      at = i;
      return checkCall(core, call);
    });
  } catch (error) {
    for (const call of given as readonly (ToolCall | null | undefined)[])
      if (typeof call?.id === 'string') forgetLeft(core, call.id);
    if (isHookscopeError(error) && error.code === 'INVALID_INPUT')
      for (const [i, { name, id = newCallId() }] of given.entries())
        recordRefused(core, { name, id }, i === at ? error : notBegun(error));
    throw error;
  }
}

/** The error for the records of calls that were not started, because control flow left the batch or an earlier call threw. */
export function notBegun(error: unknown): Error {
  return new Error(`It was not started: a call beside it threw (${messageOf(error) || describeError(error)})`);
}

/** Runs a checked call, for which interrupting or closing the session waits. */
export function track(core: Core, call: CheckedCall): Promise<ToolResult> {
  noteToolName(core, call.name);
  const run = new CallRun(core, call);
  const work = call.watched === undefined ? run.end() : watchedCall(core, call, run);
  return core.calls.during(work, call.name, call.id);
}

async function watchedCall(core: Core, call: CheckedCall, run: CallRun): Promise<ToolResult> {
  if (call.watched) call.watched.traced = beginCall(core, call);
  try {
    const result = await within(call.watched?.traced, () => run.end());
    recordCall(core, call, run.judged, result);
    return result;
  } catch (error) {
    recordCall(core, call, run.judged, { thrown: error });
    throw error;
  }
}

function beginCall({ deps, who, traced }: Core, { name: tool_name, id: tool_use_id }: CheckedCall): Traced | undefined {
  const { tracing } = deps.records;
  if (tracing === undefined) return undefined;
  const { session_id, agent_id, agent_type } = who;
  const { hostId: host_id } = tracing;
  return tracing.begin({ kind: 'tool', host_id, session_id, agent_id, agent_type, tool_name, tool_use_id }, traced);
}

/** One call, from its judgement to its result. */
class CallRun {
  readonly #core: Core;
  readonly #call: CheckedCall;
  judged: Judgement | undefined;

  constructor(core: Core, call: CheckedCall) {
    this.#core = core;
    this.#call = call;
  }

  end(): Promise<ToolResult> {
    const core = this.#core;
    const call = this.#call;
    const isOver = core.over === 'interrupted' || call.signal.aborted;
    if (isOver || call.invalid !== undefined || call.passThrough === undefined) forgetLeft(core, call.id);
    if (isOver) return Promise.resolve(interrupted(core, call, call.input));
    if (call.invalid !== undefined)
      return Promise.resolve(failedResult(call, { input: call.input, error: call.invalid, content: call.invalid }));
    if (call.passThrough === undefined) return this.#judgeAndRun(undefined);
    const leavable = new LeavableCall(core, call);
    return this.#judgeAndRun(leavable).finally(() => leavable.end());
  }

  async #judgeAndRun(leavable: LeavableCall | undefined): Promise<ToolResult> {
    const core = this.#core;
    const call = this.#call;
    try {
      this.judged = leavable?.judged ?? (await judgeCall(core, call));
    } catch (error) {
      // An event that was cut short has no decision, so the call does not run.
      if (wasCut(error)) return interrupted(core, call, call.input);
      throw await this.#thrownOn(error, call.input);
    }
    const { judged } = this;
    let result: ToolResult;
    try {
      result = judged.verdict === 'run' ? await execute(core, call, judged) : await refuse(core, call, judged);
    } catch (error) {
      if (PassedThrough.is(error)) leavable?.keep(judged);
      throw await this.#thrownOn(error, judged.input);
    }
    // An interruption has ended the loop already, and by now the next turn may have begun.
    if (result.endsLoop && !call.signal.aborted) core.endLoop(result.status === 'deferred' ? 'deferred' : 'hook');
    return result;
  }

  /** The error for the caller; for control flow, the framework's own error, after hooks were told. */
  async #thrownOn(error: unknown, input: unknown): Promise<unknown> {
    if (!PassedThrough.is(error)) return error;
    await tellInterrupted(this.#core, this.#call, input, error);
    return error.cause;
  }
}

/** The result of a denied or deferred call. PermissionDenied, which may let the model retry, is fired unless a hook or the user denied it. */
async function refuse(core: Core, call: CheckedCall, judged: Judgement): Promise<ToolResult> {
  const { input, pre, by, reason, text = '', interrupts = false } = judged;
  const common = { ...baseResult(call, input, judged), decision: pre, ...(reason === undefined ? {} : { reason }) };
  if (judged.verdict === 'deferred')
    return { ...common, status: 'deferred', content: '', isError: false, endsLoop: true };
  core.deps.alarms.refused(core.use(call), { by: by ?? 'failure', reason }, input);
  const told =
    by === 'rules' || by === 'mode' || by === 'classifier' ? await tellDenied(core, call, input, text) : undefined;
  const retry = told?.retry === true;
  if (interrupts) core.interrupt(new DOMException('A denial interrupted the turn', 'AbortError'));
  return {
    ...common,
    status: 'denied',
    ...(by === undefined ? {} : { deniedBy: by }),
    content: withTexts(text, [
      ...(retry ? ['You may try this call again.'] : []),
      ...contextTexts(`PreToolUse:${call.name}`, forModel(pre)),
      ...(told ? contextTexts(`PermissionDenied:${call.name}`, forModel(told)) : []),
    ]),
    isError: true,
    retry,
    endsLoop: interrupts || !pre.continue,
  };
}

async function tellDenied(
  core: Core,
  call: CheckedCall,
  input: unknown,
  reason: string,
): Promise<Decision<'PermissionDenied'> | undefined> {
  const told = await afterwards(
    fireFor(core, call, 'PermissionDenied', callFields(call, input, { reason }), { signal: call.signal }),
  );
  if (told) tellUser(core, told);
  return told;
}
