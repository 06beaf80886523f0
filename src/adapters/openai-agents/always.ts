/** The user's answer for all calls of a tool: `alwaysApprove` or `alwaysReject`. */
export interface StandingAnswer {
  readonly approved: boolean;
  /** The message for the model about refused calls. */
  readonly message?: string | undefined;
}

/** Answers by the agent that the SDK runs and by tool. */
const ALWAYS = new WeakMap<object, Map<string, StandingAnswer>>();

export const alwaysOf = (owner: object, tool: string): StandingAnswer | undefined => ALWAYS.get(owner)?.get(tool);

export function sayAlways(owner: object, tool: string, always: StandingAnswer): void {
  ALWAYS.set(owner, new Map([...(ALWAYS.get(owner) ?? []), [tool, always]]));
}

/** Takes over the answers when the agent runs as another copy. */
export function keepAlways(before: object | undefined, now: object | undefined): void {
  if (before === undefined || now === undefined || before === now) return;
  for (const [tool, always] of ALWAYS.get(before) ?? []) sayAlways(now, tool, always);
}
