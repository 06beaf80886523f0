/** What the user has said of all calls of a tool: `alwaysApprove`, `alwaysReject`. */
export interface Always {
  readonly approved: boolean;
  /** For the model, where they are refused. */
  readonly message?: string | undefined;
}

/** By the agent whose tool it is, as the SDK runs it. */
const ALWAYS = new WeakMap<object, Map<string, Always>>();

export const alwaysOf = (owner: object, tool: string): Always | undefined => ALWAYS.get(owner)?.get(tool);

export function sayAlways(owner: object, tool: string, always: Always): void {
  ALWAYS.set(owner, new Map([...(ALWAYS.get(owner) ?? []), [tool, always]]));
}

/** The agent runs as another copy now. */
export function keepAlways(before: object | undefined, now: object | undefined): void {
  if (before === undefined || now === undefined || before === now) return;
  for (const [tool, always] of ALWAYS.get(before) ?? []) sayAlways(now, tool, always);
}
