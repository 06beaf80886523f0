import { type Core, wasCut } from '../core.js';
import type { CheckedCall, ToolResult } from './call.js';
import type { Content } from './content.js';
import type { Judgement } from './judgement.js';

/** The subject for `core.cutText` if a call is interrupted. */
export const CALL = 'The tool call';

/** The fields that all results have. */
export function baseResult(call: CheckedCall, input: unknown, judged?: Judgement) {
  const { id, name } = call;
  const updatedPermissions = judged?.granted ?? [];
  return { id, name, input, hidden: false, retry: false, endsLoop: false, updatedPermissions } as const;
}

export function failedResult(
  call: CheckedCall,
  how: { input: unknown; error: string; content: Content; judged?: Judgement; more?: Partial<ToolResult> },
): ToolResult {
  const { judged } = how;
  return {
    ...baseResult(call, how.input, judged),
    status: 'failed',
    content: how.content,
    isError: true,
    reason: how.error,
    ...(judged ? { decision: judged.pre } : {}),
    ...how.more,
  };
}

/** The result of a call that was interrupted before it ran; no hook is told. */
export function interrupted(core: Core, call: CheckedCall, input: unknown): ToolResult {
  const text = core.cutText(CALL);
  return failedResult(call, {
    input,
    error: text,
    content: text,
    more: { status: 'interrupted', endsLoop: true },
  });
}

/** Waits for an event about something that has already happened; `undefined` if it is cut short. */
export function afterwards<T>(fired: Promise<T>): Promise<T | undefined> {
  return fired.catch(unlessCut);
}

function unlessCut(error: unknown): undefined {
  if (!wasCut(error)) throw error;
}
