import type { ToolCall, ToolContext } from './call.js';

type Execute = NonNullable<ToolCall['execute']>;
type Input = Record<string, unknown>;
/** `begun`: from here on the tool itself runs. */
type StandIn = (input: Input, context: ToolContext, begun: () => void) => unknown;

/** By the function that a call has as its `execute`. */
const STAND_INS = new WeakMap<Execute, StandIn>();

/** An `execute` that may end before its tool begins, since it waits for it or looks for it: it says itself when the tool does. */
export function standIn(work: StandIn): Execute {
  const execute: Execute = (input, context) => work(input, context, () => undefined);
  STAND_INS.set(execute, work);
  return execute;
}

/** Runs the tool. Every other `execute` is the tool, and begins at once. */
export function executed(tool: ToolCall, input: Input, context: ToolContext, begun: () => void): unknown {
  const work = tool.execute && STAND_INS.get(tool.execute);
  if (work) return work(input, context, begun);
  begun();
  return tool.execute?.(input, context);
}
