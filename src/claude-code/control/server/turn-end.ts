import type { EventSpec } from '../../../events/spec.js';
import type { Json } from '../peer/wire.js';

/** Whether a hook of the other side has ended the turn under way by `continue: false`, so that its result says so, as the client's does. */
export class TurnEnd {
  #why: string | undefined;

  /** A hook has answered about the main thread, or (`agent`) about a subagent, which ends alone. */
  answered({ claude }: EventSpec, output: Json, agent: unknown): void {
    if (output['continue'] === false && agent === undefined) this.#why ??= claude?.stopped;
  }

  /** A message as it is sent; a result that does not say why its turn has ended gets the reason. */
  sent(message: Json): Json {
    if (message['type'] !== 'result' || this.#why === undefined) return message;
    const terminal_reason = this.#why;
    this.#why = undefined;
    return 'terminal_reason' in message ? message : { ...message, terminal_reason };
  }
}
