import type { ExternalCall, Handler } from '../../handlers/handler.js';
import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';
import type { EndSignal } from '../../values/waiting/lazy-signal.js';
import type { Attempt } from './attempt.js';
import { aborted } from './call-failures.js';
import type { CarriedInput } from './carry.js';
import { Context } from './context.js';
import type { CallFacts } from './facts.js';
import { recordedAnswerOf } from './said-again.js';
import { untrusted } from './untrusted.js';
import { type CallbackFunction, callbackOf, handlerOf } from './work.js';

// Handlers are started in this file only, so that none starts without its trust check.

/** A call whose handler is about to start. */
export interface StartingCall extends CallFacts {
  /** The input as a callback sees it. */
  readonly view: Json;
  /** Makes the context and tells subscribers. Called once it is certain that the handler starts. */
  open(kind: Context['call']): void;
}

/** What the handler returned or threw; `instead`: it was not started, and this is the result. */
export type StartedWork = { readonly value: unknown } | { readonly threw: unknown } | { readonly instead: Attempt };

/** The callback of a registration that has no trust check; undefined: it has to be started by `startWork`. */
export const uncheckedCallback = (registration: Registration): CallbackFunction | undefined =>
  registration.trustCheck === undefined ? callbackOf(registration) : undefined;

/** Starts the handler if it is what was accepted and its input can be carried to it. */
export function startWork(call: StartingCall, kind: Context['call']): StartedWork {
  const { fire, registration, input } = call;
  const changed = registration.trustCheck?.(input, fire.services);
  if (changed) return { instead: untrusted(fire, changed) };
  const answer = recordedAnswerOf(registration);
  if (answer !== undefined) return { instead: answer(fire, registration, input) };
  if (callbackOf(registration) === undefined && !fire.carried(input)) return { instead: aborted(true) };
  call.open(kind);
  const traced = call.reporter?.traced;
  try {
    // Bound: a closure would make every call keep its variables in memory.
    return { value: traced === undefined ? run(call) : traced.run(run.bind(undefined, call)) };
  } catch (error) {
    return { threw: error };
  }
}

function run(call: StartingCall): unknown {
  const { fire, registration, context, view } = call;
  const callback = callbackOf(registration);
  if (callback !== undefined) return callback(view, fire.toolUseID, context);
  return (handlerOf(registration) as Handler).run(makeCall(call));
}

/** The arguments for running a handler outside the process. */
function makeCall({ fire, registration, input, context, reporter }: CallFacts): ExternalCall {
  const { background, services } = fire;
  // The caller has checked that the input can be carried.
  const { cwd } = input;
  const here = typeof cwd === 'string' ? cwd : process.cwd();
  const carried = fire.carried(input) as CarriedInput;
  return Object.assign(new CallSignals(context), {
    spec: fire.spec,
    input: carried.input,
    json: carried.json,
    toolUseID: fire.toolUseID,
    fireId: fire.id,
    scope: fire.scopeId,
    call: context.call,
    onFailure: registration.onFailure,
    dialect: registration.dialect,
    async: registration.async,
    asyncTimeout: registration.asyncTimeout,
    eventName: registration.eventName,
    projectDir: services.projectDir ?? services.projectOf?.(here) ?? here,
    env: fire.options.env,
    // A call that is not traced here still belongs to the agent's own trace.
    trace: reporter?.traced?.carrier ?? fire.options.incoming,
    progress: reporter ? (piece) => reporter.progress(piece) : undefined,
    keep: (name, done, end, runs) => background.keep(name, done, end, { runs }),
  } satisfies Omit<ExternalCall, 'signal' | 'ending'>);
}

/** Getters on a class: getters in an object literal put the object into dictionary mode. */
class CallSignals {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get ending(): EndSignal {
    return Context.ending(this.#context);
  }
}
