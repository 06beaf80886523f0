import type { ToolCall } from './call.js';

type Pause = NonNullable<ToolCall['pause']>;

/** By the function that a call has as its `pause`: the inputs that the user has allowed. */
const APPROVED = new WeakMap<Pause, (input: unknown) => boolean>();

/** The `pause` of a call that the user has answered before it is made. `isAllowed`: whether the answer lets this input run. */
export function answeredBefore(pause: Pause, isAllowed: (input: unknown) => boolean): Pause {
  APPROVED.set(pause, isAllowed);
  return pause;
}

/** The `pause` of a call that the user has allowed before it is made. */
export const approved = (): Pause =>
  answeredBefore(
    () => ({ behavior: 'allow' }),
    () => true,
  );

/** Whether the user has allowed the input before the call was made. */
export const wasApproved = (pause: Pause | undefined, input: unknown): boolean =>
  pause !== undefined && APPROVED.get(pause)?.(input) === true;
