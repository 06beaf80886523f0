import { randomUUID } from 'node:crypto';
import type { Bus } from '../emit/bus.js';
import type { HandlerRecord, HandlerVerdict, Piece, Run as Told_ } from '../emit/record.js';
import { fireRecord, hookProgress, hookResponse, hookStarted } from '../emit/record.js';
import type { HookscopeError } from '../errors.js';
import type { EventEntry } from '../events/define.js';
import type { Outcome } from '../events/outcome.js';
import type { Registration } from '../scopes/registration.js';
import type { Attempt } from './attempt.js';
import { Context } from './context.js';
import { type AnyDecision, makeDecision } from './decision.js';
import type { Fire } from './fire.js';
import { unreadable } from './input.js';
import type { Services } from './services.js';

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
      fireRecord(
        {
          fire_id: fire.id,
          event: fire.entry.name,
          scope: fire.scopeId,
          scope_known: fire.scopeKnown,
          session_id: textOf(fire.input, 'session_id') ?? '',
          ...this.#ids(),
          input: fire.input,
          ...(finalInput === fire.input ? {} : { final_input: finalInput }),
          decision,
          handlers,
          clashes: decision.clashes.map((clash) => ({ ...clash })),
          decisions: fire.services.decisions,
          elsewhere: fire.services.elsewhere(fire),
          ...(error === undefined ? {} : { error }),
        },
        fire.services.maxInputBytes,
      ),
    );
  }

  #ids(): { agent_id?: string; tool_use_id?: string } {
    const { input, toolUseID } = this.#fire;
    const agent = textOf(input, 'agent_id');
    return {
      ...(agent === undefined ? {} : { agent_id: agent }),
      ...(toolUseID === undefined ? {} : { tool_use_id: toolUseID }),
    };
  }

  #run(registration: Registration): Told_ {
    const { entry, subject, input, id, scopeId, toolUseID } = this.#fire;
    return {
      hookId: randomUUID(),
      statusMessage: registration.statusMessage,
      hookName: entry.namedBySubject && subject ? `${entry.name}:${subject}` : entry.name,
      event: entry.name,
      sessionId: textOf(input, 'session_id') ?? '',
      fireId: id,
      scope: scopeId,
      agentId: textOf(input, 'agent_id'),
      toolUseId: toolUseID,
      plugin: registration.plugin,
      handler: registration.kind,
      handlerId: registration.id,
      name: registration.name,
      source: { ...registration.source },
    };
  }
}

/** A fire that was refused before anybody was asked: its input could not be read, or was not right. */
export function tellRefused(services: Services, entry: EventEntry, input: unknown, code: string): void {
  const isObject = typeof input === 'object' && input !== null;
  const agent = textOf(input, 'agent_id');
  const call = textOf(input, 'tool_use_id');
  services.bus.emit(() =>
    fireRecord(
      {
        fire_id: randomUUID(),
        event: entry.name,
        scope: agent ?? 'session',
        scope_known: agent === undefined,
        session_id: textOf(input, 'session_id') ?? services.session.session_id ?? '',
        ...(agent === undefined ? {} : { agent_id: agent }),
        ...(call === undefined ? {} : { tool_use_id: call }),
        input: isObject ? (input as Readonly<Record<string, unknown>>) : {},
        decision: makeDecision(entry, undefined, []),
        handlers: [],
        clashes: [],
        decisions: services.decisions,
        elsewhere: 0,
        error: code,
      },
      services.maxInputBytes,
    ),
  );
}

/** Its input threw when it was looked at while the fire was under way. */
export function tellUnreadable({ services, entry, input, teller }: Fire, error: unknown): HookscopeError {
  const refused = unreadable(entry.name, error);
  if (teller) tellRefused(services, entry, input, refused.code);
  return refused;
}

/** A text of an input that may throw when it is read. */
function textOf(input: unknown, key: string): string | undefined {
  try {
    const value = (input as Readonly<Record<string, unknown>>)[key];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function said(outcome: Outcome | undefined): HandlerVerdict | undefined {
  return outcome?.verdict ?? (outcome?.block ? 'block' : undefined);
}
