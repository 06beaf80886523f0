import type { ExternalCall } from '../../handlers/handler.js';
import type { Registration } from '../../scopes/registration.js';
import type { EndSignal } from '../../values/waiting/lazy-signal.js';
import type { CallReporter } from './attempt.js';
import type { CarriedInput } from './carry.js';
import { Context } from './context.js';
import type { RunningFire } from './facts.js';

/** The arguments for running a handler outside the process. */
export function makeCall(
  fire: RunningFire,
  registration: Registration,
  input: Readonly<Record<string, unknown>>,
  context: Context,
  reporter: CallReporter | undefined,
): ExternalCall {
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
