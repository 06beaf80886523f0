import { isDeepStrictEqual } from 'node:util';
import { type CallbackFunction, CallbackWork, callbackOf } from '../../host/call/work.js';
import type { Registration } from '../../scopes/registration.js';
import { unwrap } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import { ANY_VALUE } from '../look.js';

/** What a callback returned or threw for one form of the input. */
export interface CallbackResult {
  readonly id: string;
  readonly call: string;
  readonly form: unknown;
  readonly value?: unknown;
  readonly thrown?: readonly [unknown];
}

/** Calls a callback once per fire and form of the input, and repeats the result in the runs for other guesses. */
export function callOnce(r: Registration, now: { readonly called: CallbackResult[] }): CallbackWork {
  const callback = callbackOf(r) as CallbackFunction;
  return new CallbackWork((input, toolUseID, context) => {
    const form = unwrap((input as Json)[r.spec.rewrites?.field ?? '']);
    // The value comes from a guess, so the callback must not see it.
    if (form === ANY_VALUE) return undefined;
    const of = { id: r.id, call: context.call, form };
    let known = now.called.find(({ id, call, form }) => isDeepStrictEqual({ id, call, form }, of));
    if (known === undefined) {
      known = { ...of, ...called(() => callback(input, toolUseID, context)) };
      now.called.push(known);
    }
    if (known.thrown) throw known.thrown[0];
    return known.value;
  });
}

function called(call: () => unknown): Pick<CallbackResult, 'value' | 'thrown'> {
  try {
    return { value: call() };
  } catch (error) {
    return { thrown: [error] };
  }
}
