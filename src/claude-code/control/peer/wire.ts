import type { z } from 'zod';
import type { Json } from '../../../values/shape.js';
import { schema, zod } from '../../../values/zod.js';

/** The messages of the control protocol. Keys are in the order in which Claude Code was recorded to send them. */
export type { Json };

/** A request to the other side. Each `subtype` has its own fields. */
export interface ControlAsk extends Json {
  readonly subtype: string;
}

export interface ControlRequest {
  readonly type: 'control_request';
  /** Chosen by the requesting side, unique among its pending requests. */
  readonly request_id: string;
  readonly request: ControlAsk;
}

export interface ControlResponse {
  readonly type: 'control_response';
  readonly response:
    | { readonly subtype: 'success'; readonly request_id: string; readonly response: Json }
    | { readonly subtype: 'error'; readonly request_id: string; readonly error: string };
}

export interface ControlCancel {
  readonly type: 'control_cancel_request';
  readonly request_id: string;
}

export const controlRequest = (request_id: string, request: ControlAsk): ControlRequest => ({
  type: 'control_request',
  request_id,
  request,
});

export const controlSuccess = (request_id: string, response: Json): ControlResponse => ({
  type: 'control_response',
  response: { subtype: 'success', request_id, response },
});

export const controlError = (request_id: string, error: string): ControlResponse => ({
  type: 'control_response',
  response: { subtype: 'error', request_id, error },
});

export const controlCancel = (request_id: string): ControlCancel => ({ type: 'control_cancel_request', request_id });

/** A prompt, as Claude's SDK writes it. */
export function userMessage(content: string | readonly Json[]): Json {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { type: 'user', session_id: '', message: { role: 'user', content: blocks }, parent_tool_use_id: null };
}

/** A matcher in `initialize`, which names callbacks by id. The timeout is in seconds. */
export const matcherSchema = schema(() =>
  zod().looseObject({
    matcher: zod().string().nullish(),
    hookCallbackIds: zod().array(zod().string().min(1)),
    timeout: zod().number().nonnegative().nullish(),
    onFailure: zod().enum(['continue', 'block']).nullish(),
  }),
);

/** A matcher as it is sent, with the ids of its callbacks. The timeout is in seconds. */
export type WireMatcher = z.infer<ReturnType<typeof matcherSchema>>;

export const initializeSchema = schema(() =>
  zod().looseObject({
    subtype: zod().literal('initialize'),
    hooks: zod().record(zod().string(), zod().array(matcherSchema())).nullish(),
  }),
);

export type InitializeAsk = z.infer<ReturnType<typeof initializeSchema>>;

/** The answer to `can_use_tool`, by the user or a program that acts for them. */
export const permissionResult = schema(() =>
  zod().discriminatedUnion('behavior', [
    zod().looseObject({
      behavior: zod().literal('allow'),
      updatedInput: zod().record(zod().string(), zod().unknown()).nullish(),
      updatedPermissions: zod().array(zod().unknown()).nullish(),
    }),
    zod().looseObject({
      behavior: zod().literal('deny'),
      message: zod().string().nullish(),
      interrupt: zod().boolean().nullish(),
    }),
  ]),
);

export type PermissionReply = z.infer<ReturnType<typeof permissionResult>>;
