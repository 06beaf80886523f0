import type { Decision } from '../../host/types.js';
import { describeError } from '../../values/message.js';
import { ignoreRejections, messageOf, resultOf } from '../../values/waiting/promises.js';
import { forModel, hiddenBy, tellUser } from '../context.js';
import type { Core } from '../core.js';
import { hooksMayChange } from '../inner.js';
import { orAborted } from '../questions.js';
import { type CheckedCall, callFields, copyInput, type ToolResult } from './call.js';
import { fireFor } from './call-record.js';
import type { Content } from './content.js';
import {
  contextTexts,
  feedbackTexts,
  hiddenText,
  isContent,
  isOwnOutput,
  plainContent,
  withheldOf,
  withTexts,
} from './content.js';
import type { Judgement } from './judgement.js';
import { passedThrough } from './pass-through.js';
import { afterwards, CALL, failedResult } from './results.js';
import { executed } from './stand-in.js';
import { noteUnread } from './unread.js';

/** Runs a call that is allowed to run, and fires PostToolUse or PostToolUseFailure. */
export async function execute(core: Core, call: CheckedCall, judged: Judgement): Promise<ToolResult> {
  const began = performance.now();
  const { name: tool_name, id: tool_use_id, mcp: mcp_server, signal } = call;
  const { input, rewrittenBy } = judged;
  let response: unknown;
  let failure: ExecuteFailure | undefined;
  try {
    if (rewrittenBy) noteUnread(core, call, rewrittenBy);
    const wrong = rewrittenBy && (await orAborted(whatIsWrong(call, input), signal, 'PostToolUse'));
    if (wrong !== undefined) failure = { error: rewrittenWrongly(call.name, rewrittenBy, wrong), is_interrupt: false };
    else response = await orAborted(start(call, input), signal, 'PostToolUse');
  } catch (error) {
    failure = failureOf(core, call, error);
  }
  const duration_ms = Math.round(performance.now() - began);
  if (failure) return await notSucceeded(core, call, judged, { ...failure, duration_ms });
  const tool_response = response === undefined ? null : response;
  const fields = { tool_name, tool_input: input, tool_response, tool_use_id, duration_ms, mcp_server };
  const changes = core.deps.changes();
  const after = await afterwards(fireFor(core, call, 'PostToolUse', fields, { signal: core.closeSignal }));
  const withheld = withheldText(core, call, { event: 'PostToolUse', fields, changes, after });
  return succeeded(core, call, judged, { response, duration_ms, after, withheld });
}

interface FireAfter {
  readonly event: 'PostToolUse' | 'PostToolUseFailure';
  readonly fields: Readonly<Record<string, unknown>>;
  /** How often hooks had changed when it began. */
  readonly changes: number;
  /** Absent: its hooks were cut short. */
  readonly after: Decision<'PostToolUse' | 'PostToolUseFailure'> | undefined;
}

/** The text for the model in place of what a call gave, if hooks that could have changed it were cut short, or have failed and their failure blocks. */
function withheldText(core: Core, { name }: CheckedCall, fire: FireAfter): string | undefined {
  const { event, fields, changes, after } = fire;
  const failed = after?.failures.filter(({ blocked }) => blocked).map((failure) => failure.name);
  // Hooks that were removed meanwhile may be among those that were cut short.
  const mayChange = failed ? failed.length > 0 : changes !== core.deps.changes() || hooksMayChange(core, event, fields);
  if (!mayChange) return undefined;
  return `What ${name} gave was withheld: its ${event} hooks ${failed ? `failed (${failed.join(', ')})` : 'were cut short'}.`;
}

interface ExecuteFailure {
  readonly error: string;
  readonly is_interrupt: boolean;
}

/** Starts the tool on its own copy of the input, so that hooks do not see its changes. */
function start({ id, signal, tool, watched }: CheckedCall, input: unknown): Promise<unknown> {
  const begun = (): void => {
    if (watched) watched.ran = true;
  };
  return resultOf(() => {
    // It may have been interrupted at the moment when it was let run, or when its input was checked.
    signal.throwIfAborted();
    return executed(tool, copyInput(input) as Record<string, unknown>, { id, signal }, begun);
  });
}

function failureOf(core: Core, call: CheckedCall, error: unknown): ExecuteFailure {
  if (call.signal.aborted) return { error: core.cutText(CALL), is_interrupt: true };
  const passed = passedThrough(core, call, error);
  if (passed) throw passed;
  return { error: wordsOf(error), is_interrupt: false };
}

/** Why the tool's `check` rejects a rewritten input; undefined if it accepts it. */
async function whatIsWrong({ tool }: CheckedCall, input: unknown): Promise<string | undefined> {
  if (!tool.check) return undefined;
  try {
    const wrong = await resultOf(() => tool.check?.(copyInput(input)));
    return wrong === undefined || wrong === null ? undefined : String(wrong);
  } catch (error) {
    return wordsOf(error);
  }
}

function rewrittenWrongly(name: string, by: readonly string[] = [], wrong: string): string {
  return `The input of ${name} was rewritten by ${by.join(' and ')}, and ${name} does not take it: ${wrong}`;
}

function succeeded(
  core: Core,
  call: CheckedCall,
  judged: Judgement,
  ran: {
    response: unknown;
    duration_ms: number;
    after: Decision<'PostToolUse'> | undefined;
    withheld: string | undefined;
  },
): ToolResult {
  const { input, pre } = judged;
  const { response, duration_ms, after, withheld } = ran;
  if (after) tellUser(core, after);
  const final = after?.updatedOutput === undefined ? response : after.updatedOutput;
  const hider = after && hiddenBy(after);
  const label = `PostToolUse:${call.name}`;
  const hidden = hider ? hiddenText(call.name, hider.name) : withheld;
  const output = hidden ?? rendered(core, call, response, final);
  const texts = after ? [...feedbackTexts(label, after), ...contextTexts(label, forModel(after))] : [];
  const result: { -readonly [K in keyof ToolResult]: ToolResult[K] } = {
    status: 'ran',
    id: call.id,
    name: call.name,
    input,
    content: withTexts(output, [...contextTexts(`PreToolUse:${call.name}`, forModel(pre)), ...texts]),
    isError: false,
    hidden: hidden !== undefined,
    retry: false,
    endsLoop: !pre.continue || after?.continue !== true || call.signal.aborted,
    updatedPermissions: judged.granted,
    duration_ms,
    decision: pre,
  };
  if (hidden === undefined) result.response = final;
  if (after?.classifierContext !== undefined) result.classifierContext = after.classifierContext;
  if (after) result.after = after;
  return result;
}

/** The response for the model: rendered by the tool, unless hooks replaced it with something that the tool cannot render. */
function rendered(core: Core, call: CheckedCall, response: unknown, final: unknown): Content {
  const rewritten = final !== response;
  const most = core.deps.maxInputBytes;
  if (!call.tool.render || (rewritten && isContent(final) && !isContent(response))) return plainContent(final, most);
  try {
    const content = call.tool.render(final);
    ignoreRejections(content);
    if (isOwnOutput(content)) return withheldOf(final, most) ?? content;
    if (isContent(content)) return plainContent(content, most);
  } catch (error) {
    core.deps.report(
      `${call.name} could not say its response${rewritten ? ', which a hook rewrote' : ''}: ${messageOf(error)}`,
    );
  }
  return plainContent(final, most);
}

async function notSucceeded(
  core: Core,
  call: CheckedCall,
  judged: Judgement,
  ran: ExecuteFailure & { readonly duration_ms: number },
): Promise<ToolResult> {
  const { error, is_interrupt, duration_ms } = ran;
  const fields = callFields(call, judged.input, { error, is_interrupt, duration_ms });
  const changes = core.deps.changes();
  const after = await tellFailure(core, call, fields);
  // The error of an interruption is hookscope's own.
  const fire = { event: 'PostToolUseFailure', fields, changes, after } as const;
  const withheld = is_interrupt ? undefined : withheldText(core, call, fire);
  const label = `PostToolUseFailure:${call.name}`;
  const texts = after ? [...feedbackTexts(label, after), ...contextTexts(label, forModel(after))] : [];
  // A hook may rewrite the error's text, for the model and in the result.
  const told = withheld ?? (typeof after?.updatedOutput === 'string' ? after.updatedOutput : error);
  return failedResult(call, {
    input: judged.input,
    error: told,
    content: withTexts(told, [...contextTexts(`PreToolUse:${call.name}`, forModel(judged.pre)), ...texts]),
    judged,
    more: {
      status: is_interrupt ? 'interrupted' : 'failed',
      endsLoop: !judged.pre.continue || call.signal.aborted,
      duration_ms,
      ...(after ? { after } : {}),
    },
  });
}

/** Tells hooks that control flow left a call. Their answers do not count. */
export async function tellInterrupted(core: Core, call: CheckedCall, input: unknown, error: unknown): Promise<void> {
  await tellFailure(core, call, callFields(call, input, { error: wordsOf(error), is_interrupt: true }));
}

async function tellFailure(
  core: Core,
  call: CheckedCall,
  fields: Readonly<Record<string, unknown>>,
): Promise<Decision<'PostToolUseFailure'> | undefined> {
  const how = { signal: core.closeSignal };
  const after = await afterwards(fireFor(core, call, 'PostToolUseFailure', fields, how));
  if (after) tellUser(core, after);
  return after;
}

/** The text of an error. It is never empty, because the model needs one, and never throws, because hooks are still to be told. */
function wordsOf(error: unknown): string {
  const words = messageOf(error) || describeError(error).replace(/: $/, '');
  return words || 'The tool failed.';
}
