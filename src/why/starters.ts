import type { FireRecord, HookStarted, ToolCallRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { toolNames } from '../matching/tool-names.js';
import { isObject, type Json } from '../values/shape.js';
import { roleOf } from './about.js';
import { agentIdOf, isShadow, typeOf } from './meaning.js';

/** An open tool call that asks for an agent. */
interface SpawnCall {
  readonly type: string | undefined;
  /** The agent that made the call; undefined: the main agent. */
  readonly by: string | undefined;
  /** The agent that the call started, if known. */
  started: string | undefined;
}

interface Starter {
  readonly by: string | undefined;
  readonly rank: number;
}

/** How certain a starter is, rising. */
const [BY_CALL, BY_ANSWER, BY_PARENT_ID, BY_LIST] = [1, 2, 3, 4];
/** The most calls and agents that are remembered. */
const MOST = 10_000;
/** All names of the tool that starts agents. */
const SPAWNS: readonly unknown[] = toolNames('Agent');

/**
 * Who started each agent of a session. Sources, the most certain first: the ancestors that a record lists (`agents_above`); the parent that an input
 * names; the agent's id in the response to the call that started it; an open call, not denied, for an agent of its type. Without any of these, the
 * main agent.
 */
export class Starters {
  readonly #wishes = new Map<string, SpawnCall>();
  readonly #known = new Map<string, Starter>();

  /** Reads a record. If it has the response to a call that started an agent: returns the agent's id. */
  note(record: FireRecord | HookStarted): string | undefined {
    // The fire that a shadow record belongs to has been read already.
    if (record.type === 'hook_fire' ? isShadow(record) : record.shadow === true) return undefined;
    const agent = agentIdOf(record);
    if (agent !== undefined) this.#noteParent(record, agent);
    return record.type === 'hook_fire' ? this.#noteCall(record) : undefined;
  }

  /** To be called when a tool call has ended: it starts no agent any more. */
  ended(call: ToolCallRecord): void {
    this.#wishes.delete(keyOf(agentIdOf(call), call.tool_use_id));
  }

  /** Who started the agent; undefined: no record says. */
  of(agent: string): Pick<Starter, 'by'> | undefined {
    return this.#known.get(agent);
  }

  #noteParent(record: FireRecord | HookStarted, agent: string): void {
    const isOpened = roleOf(record.type === 'hook_fire' ? record.event : record.hook_event) === 'open';
    const parent = record.type === 'hook_fire' ? record.input['parent_agent_id'] : undefined;
    const list = record.type === 'hook_fire' ? record.agents_above : undefined;
    // An earlier record listed ancestors and this one lists none, so it is another agent with the same id.
    const isAnother = isOpened && list?.length === 0 && this.#known.get(agent)?.rank === BY_LIST;
    if (isAnother) this.#known.delete(agent);
    // An agent that the main agent started may name the session as its parent.
    if (typeof parent === 'string' && parent !== '' && parent !== agent)
      this.#put(agent, { by: parent === record.session_id ? undefined : parent, rank: BY_PARENT_ID });
    if (isAnother && !this.#known.has(agent)) this.#put(agent, { by: undefined, rank: BY_LIST });
    // Otherwise an empty list says nothing: a host does not know the hierarchy of another program's agents, and does not list a starter that has ended.
    const above = list?.at(-1)?.agent_id;
    if (above !== undefined && above !== agent && (isOpened || this.#known.get(agent)?.rank !== BY_LIST))
      this.#put(agent, { by: above, rank: BY_LIST });
    if (isOpened) this.#takeWish(agent, openedType(record));
  }

  /** Pairs an agent that begins with the call that asked for it. */
  #takeWish(agent: string, type: string | undefined): void {
    const known = this.#known.get(agent);
    const wish = known === undefined ? this.#wishFor(agent, type) : this.#wishOf(known.by, agent, type);
    if (wish === undefined) return;
    wish.started = agent;
    if (known === undefined) this.#put(agent, { by: wish.by, rank: BY_CALL });
  }

  /** The open call of the agent's starter for its type; undefined: none, or already paired. */
  #wishOf(by: string | undefined, agent: string, type: string | undefined): SpawnCall | undefined {
    const waiting = [...this.#wishes.values()].filter((wish) => wish.by === by);
    if (waiting.some(({ started }) => started === agent)) return undefined;
    return waiting.find((wish) => wish.started === undefined && wish.type === type);
  }

  /** The first open call for an agent of this type, or else the last one, if either type is unknown. */
  #wishFor(agent: string, type: string | undefined): SpawnCall | undefined {
    let other: SpawnCall | undefined;
    for (const wish of this.#wishes.values()) {
      if (wish.started !== undefined || wish.by === agent) continue;
      if (type !== undefined && wish.type === type) return wish;
      if (type === undefined || wish.type === undefined) other = wish;
    }
    return other;
  }

  #noteCall(record: FireRecord): string | undefined {
    const { event, input, final_input: final = input, tool_use_id: id, decision, error } = record;
    const by = agentIdOf(record);
    if (id === undefined || specOf(event)?.tool !== true) return undefined;
    const type = typeAsked(final);
    if (type === undefined && !SPAWNS.includes(input['tool_name'])) return undefined;
    const key = keyOf(by, id);
    const role = specOf(event)?.callRole;
    const isAsked = role === 'judges' || role === 'answers';
    if (!isAsked || decision.verdict === 'deny' || error !== undefined) this.#wishes.delete(key);
    else if (role === 'judges') put(this.#wishes, key, { type, by, started: undefined });
    const started = role === 'ran' ? startedIn(input) : undefined;
    if (started === undefined || started === by) return undefined;
    this.#put(started, { by, rank: BY_ANSWER });
    return started;
  }

  #put(agent: string, starter: Starter): void {
    const known = this.#known.get(agent);
    if (known !== undefined && known.rank > starter.rank) return;
    put(this.#known, agent, starter);
    if (known?.rank !== BY_CALL || known.by === starter.by) return;
    // The call that the agent was paired with started another agent, or none yet.
    for (const wish of this.#wishes.values()) if (wish.started === agent) wish.started = undefined;
  }
}

const keyOf = (agent: string | undefined, call: string): string => JSON.stringify([agent, call]);

function typeAsked({ tool_input: call }: Json): string | undefined {
  const type = isObject(call) ? call['subagent_type'] : undefined;
  return typeof type === 'string' && type !== '' ? type : undefined;
}

function startedIn({ tool_response: answer }: Json): string | undefined {
  const id = isObject(answer) ? (answer['agentId'] ?? answer['agent_id']) : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The type of an agent that begins; a HookStarted has it in `hook_name`, after the event. */
function openedType(record: FireRecord | HookStarted): string | undefined {
  if (record.type === 'hook_fire') return typeOf(record);
  const { hook_event: event, hook_name: name } = record;
  return name.startsWith(`${event}:`) ? name.slice(event.length + 1) || undefined : undefined;
}

function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value as string);
}
