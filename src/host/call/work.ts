import type { Handler } from '../../handlers/handler.js';
import type { Context } from './context.js';

/** The function behind a callback registration. */
export type CallbackFunction = (input: unknown, toolUseID: string | undefined, context: Context) => unknown;
/** What a registration runs. */
export type Work = { readonly callback: CallbackFunction } | { readonly handler: Handler };
