import type { ToolCall, ToolContext } from './call.js';

export type ToolExecute = NonNullable<ToolCall['execute']>;
type ToolInput = Record<string, unknown>;
/** `begun`: called when the tool itself begins. */
type StandIn = (input: ToolInput, context: ToolContext, begun: () => void) => unknown;

/** Stand-ins by the call's `execute` function. */
const STAND_INS = new WeakMap<ToolExecute, StandIn>();

/** Makes an `execute` that may end before its tool begins, because it first waits or looks for it; it calls `begun` itself. */
export function standIn(work: StandIn): ToolExecute {
  const execute: ToolExecute = (input, context) => work(input, context, () => undefined);
  STAND_INS.set(execute, work);
  return execute;
}

/** Runs a call's `execute`. One that is not a stand-in is the tool itself, and begins at once. */
export function executed(tool: ToolCall, input: ToolInput, context: ToolContext, begun: () => void): unknown {
  const work = tool.execute && STAND_INS.get(tool.execute);
  if (work) return work(input, context, begun);
  begun();
  return tool.execute?.(input, context);
}
