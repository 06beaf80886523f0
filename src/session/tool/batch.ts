import type { Decision } from '../../host/types.js';
import { checkOption, wrongOption } from '../../values/options.js';
import { kindOf } from '../../values/problem.js';
import { isObject, type OptionCheck, textOf } from '../../values/shape.js';
import { forModel, tellUser } from '../context.js';
import type { Core } from '../core.js';
import { type CheckedCall, checkCall, type ToolCall, type ToolResult } from './call.js';
import { recordCall } from './call-record.js';
import { contextTexts, withTexts } from './content.js';
import { afterwards } from './results.js';
import { notBegun, takeCalls, track } from './tool.js';

/** The result of the calls of one model turn. */
export interface BatchResult {
  /** In the order of the calls. */
  readonly results: readonly ToolResult[];
  /** The turn is over: call neither the model nor `stop()`. */
  readonly endsLoop: boolean;
  /** Why it is over. */
  readonly reason?: string;
  /** The decision on PostToolBatch; absent if a call had already ended the loop, so that there is no next model call. */
  readonly decision?: Decision<'PostToolBatch'>;
}

/** Runs the calls of one model turn. All are checked before the first one runs. */
export async function runBatch(core: Core, given: readonly ToolCall[]): Promise<BatchResult> {
  core.demand('toolBatch');
  checkList('toolBatch.calls', given, 'calls');
  const calls = takeCalls(core, given);
  core.resume();
  const results: ToolResult[] = [];
  let begun = 0;
  try {
    for (const group of groups(calls)) {
      begun += group.length;
      results.push(...(await together(core, group)));
    }
  } catch (error) {
    for (const call of calls.slice(begun)) recordCall(core, call, undefined, { thrown: notBegun(error) });
    throw error;
  }
  return finishBatch(core, calls, results);
}

const RESULT: OptionCheck = {
  expected: 'what tool() gave for the call',
  secret: true,
  accepts: (v) => isObject(v) && textOf(v['id']) !== undefined && textOf(v['status']) !== undefined,
};

/** Ends the batch of calls that the framework ran itself, each by `tool()`. `results` are in the order of the calls. */
export async function endBatch(
  core: Core,
  given: readonly ToolCall[],
  results: readonly ToolResult[],
): Promise<BatchResult> {
  core.demand('endBatch');
  checkList('endBatch.calls', given, 'the calls of the model turn');
  checkList('endBatch.results', results, 'what tool() gave for each call, as in endBatch(calls, results)');
  if (given.length !== results.length) throw wrongOption('endBatch.results', 'expected one for each call');
  const checked = given.map((call) => checkCall(core, call));
  for (const [i, result] of results.entries()) checkOption(`endBatch.results[${i}]`, result, RESULT);
  const calls = checked.map((call, i) => ({ ...call, id: (results[i] as ToolResult).id }));
  for (const result of results) {
    if (result.status === 'ran')
      core.deps.alarms.ran(core.use(result), { by: 'result', input: { value: result.input } });
  }
  return finishBatch(core, calls, results);
}

function checkList(where: string, given: unknown, what: string): void {
  if (!Array.isArray(given)) throw wrongOption(where, `expected an array, ${what}; got ${kindOf(given)}`);
}

async function finishBatch(
  core: Core,
  calls: readonly CheckedCall[],
  results: readonly ToolResult[],
): Promise<BatchResult> {
  const over = results.find((r) => r.endsLoop);
  if (over) return { results, endsLoop: true, ...reasonOf(over) };
  if (calls.length === 0) return { results, endsLoop: false };
  return tellBatch(core, calls, results);
}

/** Groups adjacent calls that may run in parallel; every other call is its own group. */
function groups(calls: readonly CheckedCall[]): CheckedCall[][] {
  const found: CheckedCall[][] = [];
  for (const call of calls) {
    const last = found.at(-1);
    if (call.concurrent && last?.[0]?.concurrent) last.push(call);
    else found.push([call]);
  }
  return found;
}

/** Runs a group in parallel, and waits for all of its calls even if one rejects. */
async function together(core: Core, group: readonly CheckedCall[]): Promise<ToolResult[]> {
  const settled = await Promise.allSettled(group.map((call) => track(core, call)));
  return settled.map((s) => {
    if (s.status === 'rejected') throw s.reason;
    return s.value;
  });
}

/** Fires PostToolBatch, whose hooks see the calls and the model's results. What hooks add is appended to the last result. */
async function tellBatch(
  core: Core,
  calls: readonly CheckedCall[],
  results: readonly ToolResult[],
): Promise<BatchResult> {
  const tool_calls = calls.map((call, i) => ({
    tool_name: call.name,
    tool_input: call.input,
    tool_use_id: call.id,
    tool_response: results[i]?.content,
  }));
  const signal = calls[0]?.signal;
  const decision = await afterwards(core.fire('PostToolBatch', { tool_calls }, { signal }));
  if (!decision) return { results, endsLoop: true, reason: core.cutText('The turn') };
  tellUser(core, decision);
  const endsLoop = decision.blocked || !decision.continue;
  if (endsLoop) core.endLoop('hook');
  const texts = contextTexts('PostToolBatch', forModel(decision));
  const last = results.at(-1) as ToolResult;
  const all =
    texts.length === 0 ? results : [...results.slice(0, -1), { ...last, content: withTexts(last.content, texts) }];
  const reason = decision.reason ?? decision.stopReason;
  return { results: all, endsLoop, ...(endsLoop && reason !== undefined ? { reason } : {}), decision };
}

function reasonOf({ reason, decision, after }: ToolResult): { reason?: string } {
  const why = reason ?? decision?.stopReason ?? after?.stopReason;
  return why === undefined ? {} : { reason: why };
}
