import { types } from 'node:util';
import { RecentAnswers } from '../../events/output/recent-answers.js';
import type { Handler } from '../../handlers/handler.js';
import type { RuleSpec } from '../../handlers/rule/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { Attempt } from './attempt.js';
import type { Context } from './context.js';
import type { KeptAnswer } from './kept-answer.js';

/** The function behind a callback registration. */
export type CallbackFunction = (input: unknown, toolUseID: string | undefined, context: Context) => unknown;
/** A callback, or a rule. */
export class CallbackWork {
  readonly callback: CallbackFunction;
  /** An async function: it always returns an ordinary promise, which need not be checked. */
  readonly isAsync: boolean;
  readonly rule: RuleSpec | undefined;
  readonly recent = new RecentAnswers();
  /** The latest answer as a fire has kept it. */
  kept: KeptAnswer | undefined = undefined;

  constructor(callback: CallbackFunction, rule?: RuleSpec) {
    this.callback = callback;
    this.isAsync = types.isAsyncFunction(callback) && !types.isGeneratorFunction(callback);
    this.rule = rule;
  }
}

/** What a registration runs. */
export type Work = CallbackWork | { readonly handler: Handler } | { readonly answer: (...call: never) => Attempt };

/** The function of a callback, or of a rule. */
export const callbackOf = ({ work }: Registration): CallbackFunction | undefined =>
  (work as { readonly callback?: CallbackFunction }).callback;

/** Whether it returns a promise made by an async function. */
export const isAsync = ({ work }: Registration): boolean => (work as { readonly isAsync?: boolean }).isAsync === true;

/** The handler, if it runs outside this process. */
export const handlerOf = ({ work }: Registration): Handler | undefined =>
  (work as { readonly handler?: Handler }).handler;

export const isOutside = (registration: Registration): boolean => handlerOf(registration) !== undefined;

/** The rule, if it is one. */
export const ruleOf = ({ work }: Registration): RuleSpec | undefined => (work as { readonly rule?: RuleSpec }).rule;
