import type { Handler } from '../../handlers/handler.js';
import type { RuleSpec } from '../../handlers/rule/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { Attempt } from './attempt.js';
import type { Context } from './context.js';

/** The function behind a callback registration. */
export type CallbackFunction = (input: unknown, toolUseID: string | undefined, context: Context) => unknown;
/** What a registration runs. */
export type Work =
  | { readonly callback: CallbackFunction; readonly rule?: RuleSpec }
  | { readonly handler: Handler }
  | { readonly answer: (...call: never) => Attempt };

/** The function of a callback, or of a rule. */
export const callbackOf = ({ work }: Registration): CallbackFunction | undefined =>
  (work as { readonly callback?: CallbackFunction }).callback;

/** What runs outside of this process. */
export const handlerOf = ({ work }: Registration): Handler | undefined =>
  (work as { readonly handler?: Handler }).handler;

/** What a rule says. */
export const ruleOf = ({ work }: Registration): RuleSpec | undefined => (work as { readonly rule?: RuleSpec }).rule;
