import { outputShape } from '../../../events/output/shape.js';
import type { CallRole, EventSpec } from '../../../events/spec.js';
import type { HostCore } from '../../../host/core.js';
import type { AnyDecision } from '../../../host/decide/decision.js';
import { append } from '../../../values/append.js';
import { describeError } from '../../../values/message.js';
import type { Json } from '../peer/wire.js';

/** How many subagents are remembered with their types. */
const REMEMBERED = 10_000;

interface ClientSession {
  readonly id: string;
  /** The latest values of the fields that all inputs of the session share. */
  base: Json;
  started: Promise<void>;
  /** System messages of hooks that are waiting for an answer that can carry them. */
  messages: string[];
  /** Settles when SessionEnd has been fired; undefined if it has not started. */
  ending: Promise<unknown> | undefined;
}

export interface SessionsOptions {
  readonly services: HostCore;
  fire(event: 'SessionStart' | 'SessionEnd', input: Json, how?: { readonly signal: AbortSignal }): Promise<AnyDecision>;
  /** Why the first session starts: `startup`, or `resume` if the arguments say so. */
  readonly source: string;
}

/** The sessions of one client. Claude Code does not call callbacks for the start of the first session and the end of the last, so this class fires them. */
export class ClientSessions {
  readonly #options: SessionsOptions;
  readonly #known = new Map<string, ClientSession>();
  /** Aborted when the client has ended, to cancel SessionStart hooks that are still running. */
  readonly #gone = new AbortController();
  #last: ClientSession | undefined;
  #judges = false;
  /** The types of subagents, by id. */
  readonly #types = new Map<string, string>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * Says that the client carries out decisions, and whether it is known to ask about every call before it runs. One callback serves all
   * tools, so if the client has asked about one call, it asks about all.
   */
  doing(role: CallRole | undefined): { readonly everyTool: boolean; readonly doneBy: 'client' } {
    if (role === 'judges') this.#judges = true;
    return { everyTool: role !== 'ran' || this.#judges, doneBy: 'client' };
  }

  /** Whether a session belongs to this client. */
  has = (id: string): boolean => this.#known.has(id);

  /** The fields that all inputs of the client's current session have, or those of an agent in it. */
  base = (agent?: unknown): Json => {
    const base = this.#last?.base ?? {};
    const type = this.#types.get(String(agent));
    return type === undefined ? base : { ...base, agent_type: type };
  };

  /**
   * Called with every input, and with the client's `init` message. The first one of a session also fires SessionStart, unless the client has
   * done so itself (`announced`). Resolves when the hooks of SessionStart have answered.
   */
  seen(fields: Json, announced: boolean): Promise<void> {
    const { session_id: id, transcript_path, cwd, permission_mode, prompt_id, agent_id, agent_type } = fields;
    if (typeof agent_id === 'string' && typeof agent_type === 'string') this.#meet(agent_id, agent_type);
    if (typeof id !== 'string') return Promise.resolve();
    let known = this.#known.get(id);
    if (!known) {
      known = { id, base: {}, started: Promise.resolve(), messages: [], ending: undefined };
      this.#known.set(id, known);
      const { source } = this.#options;
      const model = typeof fields['model'] === 'string' ? { model: fields['model'] } : {};
      if (!announced) known.started = this.#start(known, { ...baseOf(fields), source, ...model });
    }
    // A subagent has its own folder and mode, which are not those of the session.
    if (fields['agent_id'] !== undefined) return known.started;
    this.#last = known;
    const { base } = known;
    const news = (key: string, value: unknown): boolean => value !== undefined && value !== base[key];
    // This runs for every event, and the fields rarely change.
    if (
      news('transcript_path', transcript_path) ||
      news('cwd', cwd) ||
      news('permission_mode', permission_mode) ||
      news('prompt_id', prompt_id)
    )
      known.base = { ...base, ...baseOf(fields) };
    return known.started;
  }

  /** Called when a subagent starts. Hooks registered in its scope from now on are removed when it ends. */
  agentStarts({ session_id: session, agent_id: agent, agent_type: type }: Json): void {
    if (typeof session !== 'string' || typeof agent !== 'string' || typeof type !== 'string') return;
    this.#options.services.registrar.agents.start({ session, agent }, type);
  }

  /** Called when the client reports its end, perhaps as its last message. The hooks may still finish. */
  async finish(input: Json): Promise<AnyDecision> {
    const decision = this.#options.fire('SessionEnd', input);
    const known = this.#known.get(String(input['session_id']));
    if (known) known.ending ??= decision.catch(() => undefined);
    return decision;
  }

  /** Takes what is waiting to be sent with an answer to this event: late context for the model, messages for the user. */
  beside(spec: EventSpec, input: Json): Json {
    const known = this.#known.get(String(input['session_id']));
    if (!known) return {};
    const { registrar } = this.#options.services;
    const takes = outputShape(spec).hasContext && (spec.tool || (spec.plainStdout === 'context' && !spec.plainAnswer));
    const context = takes ? registrar.contexts.of(known.id, input['agent_id']).splice(0) : [];
    const messages = known.messages.splice(0);
    return {
      ...(context.length > 0 ? { additionalContext: context.join('\n') } : {}),
      ...(messages.length > 0 ? { systemMessage: messages.join('\n') } : {}),
    };
  }

  /** Ends all sessions and their agents, because the client has ended. */
  async end(): Promise<void> {
    this.#gone.abort();
    for (const known of this.#known.values()) {
      await known.started;
      known.ending ??= this.#fire('SessionEnd', { ...known.base, session_id: known.id, reason: 'other' });
      await known.ending;
      this.#options.services.registrar.endAgentsOf(known.id, (agent) => this.#types.has(agent));
    }
  }

  #meet(agent: string, type: string): void {
    if (this.#types.has(agent)) return;
    this.#types.set(agent, type);
    if (this.#types.size > REMEMBERED) this.#types.delete(this.#types.keys().next().value as string);
  }

  async #start(known: ClientSession, input: Json): Promise<void> {
    const decision = await this.#fire('SessionStart', input, { signal: this.#gone.signal });
    if (!decision) return;
    append(this.#options.services.registrar.contexts.of(known.id, undefined), decision.additionalContext);
    append(known.messages, decision.systemMessages);
  }

  async #fire(...[event, input, how]: Parameters<SessionsOptions['fire']>): Promise<AnyDecision | undefined> {
    try {
      return await this.#options.fire(event, input, how);
    } catch (error) {
      // The hooks are already reported as cancelled.
      if (how?.signal.aborted) return undefined;
      this.#options.services.report(`${event} was not fired: ${describeError(error)}`);
      return undefined;
    }
  }
}

function baseOf({ session_id, transcript_path, cwd, permission_mode, prompt_id }: Json): Json {
  const fields = { session_id, transcript_path, cwd, permission_mode, prompt_id };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
