import type { EventSpec } from '../../../events/spec.js';
import type { Json } from '../peer/wire.js';

/** Remembers whether a hook of the other side ended the current turn with `continue: false`, so that the result says so, as in Claude Code. */
export class TurnEnd {
  #why: string | undefined;

  /** Called when a hook has answered. For a subagent (`agent`), `continue: false` ends only that agent, not the turn. */
  answered({ claude }: EventSpec, output: Json, agent: unknown): void {
    if (output['continue'] === false && agent === undefined) this.#why ??= claude?.stopped;
  }

  /** Adds the reason to a result that does not say why its turn ended; returns other messages unchanged. */
  sent(message: Json): Json {
    if (message['type'] !== 'result' || this.#why === undefined) return message;
    const terminal_reason = this.#why;
    this.#why = undefined;
    return 'terminal_reason' in message ? message : { ...message, terminal_reason };
  }
}
