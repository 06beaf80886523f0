import { randomUUID } from 'node:crypto';
import type { Bus } from '../emit/bus.js';
import type { HandlerRecord, HandlerVerdict, Piece, Run as Told_ } from '../emit/record.js';
import { fireRecord, hookProgress, hookResponse, hookStarted } from '../emit/record.js';
import type { Outcome } from '../events/outcome.js';
import type { Registration } from '../scopes/registration.js';
import type { Attempt } from './attempt.js';
import { Context } from './context.js';
import type { AnyDecision } from './decision.js';
import type { Fire } from './fire.js';

/** One run of one handler, as it is told. */
export interface Told {
  progress(piece: Piece): void;
  responded(result: Attempt): void;
}

/** Tells one fire to whoever watches. Made only when somebody does. */
export class Teller {
  readonly #fire: Fire;
  readonly #bus: Bus;

  constructor(fire: Fire, bus: Bus) {
    this.#fire = fire;
    this.#bus = bus;
  }

  started(registration: Registration, context: Context): Told {
    const run = this.#run(registration);
    this.#bus.emit(() => hookStarted(run));
    let over = false;
    const told: Told = {
      // What it says after its end, nobody waits for.
      progress: (piece) => {
        if (!over) this.#bus.emit(() => hookProgress(run, piece));
      },
      responded: (result) => {
        over = true;
        this.#bus.emit(() =>
          hookResponse(run, {
            stdout: result.stdout,
            stderr: result.stderr,
            ...(result.stdout === undefined && result.outcome ? { output: JSON.stringify(result.outcome.output) } : {}),
            exitCode: result.exitCode,
            durationMs: result.durationMs ?? 0,
            decision: said(result.outcome),
            failure: result.failure && { ...result.failure },
          }),
        );
      },
    };
    Context.tell(context, (text) => told.progress({ text }));
    return told;
  }

  /** The end of the fire. `error`: it was not decided (aborted, closed). */
  ended(
    decision: AnyDecision,
    handlers: readonly HandlerRecord[],
    finalInput: Readonly<Record<string, unknown>>,
    error?: string,
  ): void {
    const fire = this.#fire;
    this.#bus.emit(() =>
      fireRecord({
        fire_id: fire.id,
        event: fire.entry.name,
        scope: fire.scopeId,
        scope_known: fire.scopeKnown,
        session_id: String(fire.input['session_id']),
        ...this.#ids(),
        input: fire.input,
        ...(finalInput === fire.input ? {} : { final_input: finalInput }),
        decision,
        handlers,
        clashes: decision.clashes.map((clash) => ({ ...clash })),
        decisions: fire.services.decisions,
        elsewhere: fire.services.elsewhere(fire),
        ...(error === undefined ? {} : { error }),
      }),
    );
  }

  #ids(): { agent_id?: string; tool_use_id?: string } {
    const { input, toolUseID } = this.#fire;
    const agent = input['agent_id'];
    return {
      ...(typeof agent === 'string' ? { agent_id: agent } : {}),
      ...(toolUseID === undefined ? {} : { tool_use_id: toolUseID }),
    };
  }

  #run(registration: Registration): Told_ {
    const { entry, subject, input, id, scopeId, toolUseID } = this.#fire;
    const agent = input['agent_id'];
    return {
      hookId: randomUUID(),
      statusMessage: registration.statusMessage,
      hookName: entry.namedBySubject && subject ? `${entry.name}:${subject}` : entry.name,
      event: entry.name,
      sessionId: String(input['session_id']),
      fireId: id,
      scope: scopeId,
      agentId: typeof agent === 'string' ? agent : undefined,
      toolUseId: toolUseID,
      plugin: registration.plugin,
      handler: registration.kind,
      handlerId: registration.id,
      name: registration.name,
      source: { ...registration.source },
    };
  }
}

function said(outcome: Outcome | undefined): HandlerVerdict | undefined {
  return outcome?.verdict ?? (outcome?.block ? 'block' : undefined);
}
