import type { Registration } from '../scopes/registration.js';
import type { Context } from './context.js';
import type { Fire } from './fire.js';
import type { Call, Handler } from './handlers/handler.js';
import type { Told } from './telling.js';

/** The function behind a callback registration. */
export type CallbackFunction = (input: unknown, toolUseID: string | undefined, context: Context) => unknown;
/** What a registration runs. */
export type Work = { readonly callback: CallbackFunction } | { readonly handler: Handler };

/** What a handler outside the process is run with. */
export function makeCall(
  fire: Fire,
  registration: Registration,
  input: Readonly<Record<string, unknown>>,
  context: Context,
  told: Told | undefined,
): Call {
  const { services } = fire;
  return {
    entry: fire.entry,
    input,
    toolUseID: fire.toolUseID,
    fireId: fire.id,
    scope: fire.scopeId,
    call: context.call,
    onFailure: registration.onFailure,
    async: registration.async,
    asyncTimeout: registration.asyncTimeout,
    eventName: registration.eventName,
    signal: context.signal,
    projectDir: services.projectDir ?? (typeof input['cwd'] === 'string' ? input['cwd'] : process.cwd()),
    progress: told ? (piece) => told.progress(piece) : undefined,
    keep: (name, done, end) => services.background.keep(name, done, end),
  };
}
