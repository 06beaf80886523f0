import { isObject } from '../values/shape.js';
import { agentCodec } from './agents.js';
import { callId } from './call-id.js';
import type { Answer, Decoded } from './codec.js';

/** The most entries of each map; beyond it the oldest is forgotten. */
const MOST = 1_000;

/** The content of an `AgentMemory`, as plain data. */
export interface PassedMemory {
  readonly parents: ReadonlyMap<string, string>;
  readonly open: ReadonlyMap<string, readonly string[]>;
  readonly denied: ReadonlyMap<string, string>;
  readonly calls: number;
}

/**
 * Remembers what a single payload does not say: which session a subagent belongs to, and which of two identical calls a result is for.
 * Only a server uses it; a process that is started for each event has nothing to remember.
 */
export class AgentMemory {
  /** The parent of each agent, both by id. */
  readonly #parents = new Map<string, string>();
  /** Unique ids of the calls that have no result yet, by the id that `callId` made, which identical calls share. */
  readonly #open = new Map<string, string[]>();
  /** The last denied call for each id of `callId`. A result for it means that the call ran in spite of the denial. */
  readonly #denied = new Map<string, string>();
  #calls = 0;

  get plain(): PassedMemory {
    return { parents: this.#parents, open: this.#open, denied: this.#denied, calls: this.#calls };
  }

  /** Takes over what the previous process knew. */
  takeOver({ parents, open, denied, calls }: PassedMemory): void {
    for (const [agent, parent] of parents) keep(this.#parents, agent, parent);
    for (const [known, ids] of open) keep(this.#open, known, [...ids]);
    for (const [known, id] of denied) keep(this.#denied, known, id);
    // Counting goes on, so that no id is given twice.
    this.#calls = calls;
  }

  /** The event with the id of the root session, and with an id that only this call has. */
  settle(decoded: Decoded): Decoded {
    const { input } = decoded;
    const via = input['via'] as { readonly made?: readonly string[] } | undefined;
    const out: Record<string, unknown> = { ...input, ...this.#session(input) };
    if (via?.made?.includes('tool_use_id')) {
      const known = input['tool_use_id'] as string;
      out['tool_use_id'] =
        decoded.event === 'PreToolUse' ? this.#ask(known) : (this.#done(known, decoded.event) ?? known);
    }
    return { ...decoded, input: out };
  }

  /** Notes the decision on a call: a denied one should have no result, a rewritten one comes back with another input. `told`: as `settle` returned it. */
  decided(decoded: Decoded, told: Pick<Decoded, 'input'>, { verdict, updatedInput, continue: end }: Answer): void {
    const via = decoded.input['via'] as { readonly made?: readonly string[] } | undefined;
    if (decoded.event !== 'PreToolUse' || !via?.made?.includes('tool_use_id')) return;
    const id = told.input['tool_use_id'] as string;
    if (verdict === 'deny' || end === false) {
      const known = decoded.input['tool_use_id'] as string;
      this.#forget(known, id);
      keep(this.#denied, known, id);
    } else if (updatedInput !== undefined) this.rewritten(decoded, updatedInput, id);
  }

  /** Notes that the call will run with another input, so that its result is recognised. `id`: the one that `settle` gave it. */
  rewritten({ as, input }: Decoded, tool_input: unknown, id: string): void {
    const { agent } = input['via'] as { readonly agent: string };
    const entry = agentCodec(agent).events.find(({ name }) => name === as)?.says.rewrite;
    const before = input['tool_input'];
    const isMerged = entry !== undefined && 'say' in entry && entry.merges && isObject(before) && isObject(tool_input);
    this.#remember(callId(agent, { ...input, tool_input: isMerged ? { ...before, ...tool_input } : tool_input }), id);
  }

  #session(input: Readonly<Record<string, unknown>>): { session_id?: string } {
    const { agent_id, parent_agent_id } = input;
    if (typeof parent_agent_id !== 'string') return {};
    if (typeof agent_id === 'string' && agent_id !== parent_agent_id) {
      keep(this.#parents, agent_id, parent_agent_id);
    }
    let root = parent_agent_id;
    for (let depth = 0; depth < MOST; depth += 1) {
      const above = this.#parents.get(root);
      if (above === undefined || above === root) break;
      root = above;
    }
    return { session_id: root };
  }

  #ask(known: string): string {
    this.#calls += 1;
    const id = `${known}_${this.#calls}`;
    this.#remember(known, id);
    return id;
  }

  #remember(known: string, id: string): void {
    keep(this.#open, known, [...(this.#open.get(known) ?? []), id]);
  }

  /** The call that a result is for: the latest of identical ones, because earlier ones may have been refused by the user and never have run. */
  #done(known: string, event: string): string | undefined {
    const id = this.#open.get(known)?.at(-1);
    // A rewritten call is stored under two inputs, the original and the new one.
    if (id !== undefined) for (const [key, ids] of this.#open) if (ids.includes(id)) this.#forget(key, id);
    if (id !== undefined || event !== 'PostToolUse') return id;
    const denied = this.#denied.get(known);
    this.#denied.delete(known);
    return denied;
  }

  #forget(known: string, id: string): void {
    const rest = (this.#open.get(known) ?? []).filter((one) => one !== id);
    if (rest.length > 0) this.#open.set(known, rest);
    else this.#open.delete(known);
  }
}

/** Sets an entry as the newest one, and forgets the oldest beyond `MOST`. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value as string);
}
