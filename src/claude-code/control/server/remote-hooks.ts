import { randomUUID } from 'node:crypto';
import { HookscopeError } from '../../../errors.js';
import { CATALOGUE } from '../../../events/catalogue.js';
import type { Failure } from '../../../events/failure.js';
import type { EventSpec } from '../../../events/spec.js';
import type { ExternalCall, Handler, Reply } from '../../../handlers/handler.js';
import { madeHandler } from '../../../host/register/handler-entry.js';
import type { Registrar } from '../../../host/register/registrar.js';
import type { Undo } from '../../../host/types.js';
import { nearest } from '../../../values/nearest.js';
import { isObject, show } from '../../../values/shape.js';
import { messageOf } from '../../../values/waiting/promises.js';
import type { Peer } from '../peer/peer.js';
import { clipped } from '../peer/problem.js';
import type { WireMatcher } from '../peer/wire.js';
import type { TurnEnd } from './turn-end.js';

export interface RemoteHooksOptions {
  readonly peer: Peer;
  readonly registrar: Registrar;
  /** Records when a hook ends the turn. */
  readonly turn: TurnEnd;
  /** The name of the other side in messages. */
  readonly name: string;
}

/** Registers the hooks of an `initialize` request, as Claude Code does for its SDK: all or, if it throws INVALID_HOOKS, none. */
export function registerRemoteHooks(
  hooks: Readonly<Record<string, readonly WireMatcher[]>>,
  { peer, registrar, name, turn }: RemoteHooksOptions,
): Undo {
  const known: Record<string, object[]> = {};
  for (const [event, matchers] of Object.entries(hooks)) {
    if (!Object.hasOwn(CATALOGUE, event)) {
      const near = nearest(event, Object.keys(CATALOGUE));
      const hint = near === undefined ? '' : ` (did it mean "${near}"?)`;
      peer.problem('unknown_event', `hooks for the unknown event "${clipped(event)}" were left out${hint}`);
      continue;
    }
    known[event] = matchers.map(({ matcher, hookCallbackIds, timeout, onFailure }) => ({
      ...(matcher == null ? {} : { matcher }),
      ...(timeout == null ? {} : { timeout }),
      ...(onFailure == null ? {} : { onFailure }),
      hooks: hookCallbackIds.map((id) => madeHandler(remoteHandler(peer, id, turn))),
    }));
  }
  const warn = (message: string): void => peer.problem('failed', message);
  return registrar.register(undefined, known, { dialect: 'claude', source: { kind: 'sdk', name }, warn });
}

/** Whether Claude Code fails closed on the event, whatever `onFailure` says: without a guard's verdict the action must not happen. */
const failsClosed = ({ claude }: EventSpec): boolean => claude?.unanswered === 'blocks';

/** A handler that calls a callback of the other side over the connection. */
function remoteHandler(peer: Peer, id: string, turn: TurnEnd): Handler {
  return {
    kind: 'callback',
    name: id,
    blocksLate: failsClosed,
    async run(call: ExternalCall): Promise<Reply> {
      const { input, toolUseID, ending } = call;
      const ask = { subtype: 'hook_callback', callback_id: id, input, tool_use_id: toolUseID ?? randomUUID() };
      try {
        return await peer.ask(ask, (answer) => readRemoteAnswer(call, answer, turn), { signal: ending });
      } catch (error) {
        return { failure: failureOf(error, call) };
      }
    },
  };
}

/** Reads an answer. As in Claude Code, one for another event counts as a failure that stops a tool call. */
function readRemoteAnswer({ spec, eventName, input }: ExternalCall, output: unknown, turn: TurnEnd): Reply {
  if (output == null) return {};
  if (!isObject(output))
    return { failure: { cause: 'bad_schema', message: `answered with ${show(output)}, no object` } };
  if (output['async'] === true) return {};
  const specific = output['hookSpecificOutput'];
  const named = isObject(specific) ? specific['hookEventName'] : undefined;
  if (typeof named !== 'string' || named === eventName) {
    turn.answered(spec, output, input['agent_id']);
    return { output };
  }
  const message = `answered for ${named}, and was asked about ${eventName}`;
  return { failure: { cause: 'bad_schema', message, ...closed(spec) } };
}

function failureOf(error: unknown, { spec, ending }: ExternalCall): Failure {
  if (ending.aborted) return { cause: 'aborted', message: 'it was withdrawn before it answered' };
  if (error instanceof HookscopeError && error.code === 'CONTROL_REFUSED')
    return { cause: 'threw', message: (error.details as { message: string }).message };
  return { cause: 'connection', message: messageOf(error), ...closed(spec) };
}

const closed = (spec: EventSpec): { blocks?: true } => (failsClosed(spec) ? { blocks: true } : {});
