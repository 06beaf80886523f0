import type {
  AlarmRecord,
  FireRecord,
  HookRecord,
  HookResponse,
  HookStarted,
  ToolCallRecord,
} from '../../emit/record.js';
import { specOf } from '../../events/catalogue.js';
import { clip } from '../../plain.js';
import { greatest } from '../../values/append.js';
import { agentIdOf, isBlocked, isShadow, typeOf } from '../../why/meaning.js';
import type { TraceEvent } from './event.js';
import { type Lane, placeBelow, starterIn, type TraceAgent, type TraceSession, Tracks } from './tracks.js';
import { hasRoom, release, type TracedCall, type TracedFire } from './under-way.js';

export interface TraceOptions {
  /** Takes each event as soon as it is known. */
  write(event: TraceEvent): void;
  /** Whether a fire, a call, an alarm or the run of another program's hook is drawn. */
  isShown(record: HookRecord): boolean;
  /** A text with its secrets masked. */
  text(text: string): string;
}

/** The most fires and calls that are under way; if there are more, the oldest are not drawn. */
const MOST_OPEN = 10_000;

/** Draws records as a trace, in their order. It keeps only what is under way. */
export class Trace {
  readonly #options: TraceOptions;
  readonly #tracks: Tracks;
  readonly #fires = new Map<string, TracedFire>();
  readonly #calls = new Map<string, TracedCall>();
  #arrows = 0;

  constructor(options: TraceOptions) {
    this.#options = options;
    this.#tracks = new Tracks(options.write, options.text);
  }

  take(record: HookRecord): void {
    if (record.type === 'hook_fire') this.#fire(record);
    else if (record.type === 'tool_call') this.#tool(record);
    else if (record.type === 'hook_alarm') this.#alarm(record);
    else if (record.subtype === 'hook_started') this.#started(record);
    else if (record.subtype === 'hook_response') this.#response(record);
  }

  #started(record: HookStarted): void {
    if (this.#calls.has(record.hook_id)) return;
    const session = this.#sessionOf(record);
    const began = this.#tracks.clock(record).at(record);
    if (record.origin === undefined) session.starters.note(record);
    // Another program's hook has no fire here.
    const fire = record.origin === undefined ? this.#fireOf(record, session, began) : undefined;
    const agent = fire?.agent ?? this.#tracks.agent(session, agentIdOf(record));
    const lane = fire !== undefined && hasRoom(fire, began) ? fire.lane : this.#tracks.take(agent, began);
    const start = Math.max(began, lane === fire?.lane ? fire.drawn : lane.end);
    const call = {
      id: record.hook_id,
      agent,
      name: record.name,
      lane,
      began,
      start,
      fire,
      end: undefined,
      response: undefined,
    };
    fire?.calls.push(call);
    this.#calls.set(call.id, call);
    if (this.#calls.size <= MOST_OPEN) return;
    const [oldest] = this.#calls.values();
    this.#drop(oldest as TracedCall);
  }

  /** A fire stays in the session in which it began, whatever its other records say. */
  #sessionOf({ fire_id, session_id }: HookStarted | FireRecord): TraceSession {
    return this.#fires.get(fire_id)?.agent.session ?? this.#tracks.session(session_id);
  }

  #drop(call: TracedCall): void {
    this.#calls.delete(call.id);
    if (call.lane !== call.fire?.lane) call.lane.isTaken = false;
  }

  #fireOf(record: HookStarted | FireRecord, session: TraceSession, began: number): TracedFire {
    const known = this.#fires.get(record.fire_id);
    if (known) return known;
    const agent = this.#agentOf(record, session);
    const lane = this.#tracks.take(agent, began);
    const start = Math.max(began, lane.end);
    const fire: TracedFire = { id: record.fire_id, agent, lane, start, calls: [], drawn: start, isShown: undefined };
    this.#fires.set(fire.id, fire);
    if (this.#fires.size > MOST_OPEN) {
      const [oldest] = this.#fires.values();
      this.#forget(oldest as TracedFire);
    }
    return fire;
  }

  #forget(fire: TracedFire): void {
    this.#fires.delete(fire.id);
    fire.isShown = false;
    fire.lane.isTaken = false;
  }

  #agentOf(record: HookStarted | FireRecord, session: TraceSession): TraceAgent {
    const id = agentIdOf(record);
    const known = session.agents.get(id);
    const agent = known ?? this.#tracks.agent(session, id, starterIn(session, id));
    agent.type ??= typeOf(record);
    return agent;
  }

  #response(record: HookResponse): void {
    const call = this.#calls.get(record.hook_id);
    if (call === undefined) return;
    this.#calls.delete(call.id);
    call.end = Math.max(this.#tracks.clock(record).end(record, call.began), call.start);
    call.response = record;
    const { fire } = call;
    if (call.lane !== fire?.lane) release(call.lane, call.end);
    else fire.drawn = Math.max(fire.drawn, call.end);
    // A call that the fire waits for is drawn with it.
    if (fire === undefined || fire.isShown !== undefined)
      this.#drawCall(call, fire?.isShown ?? this.#options.isShown(record));
  }

  #fire(record: FireRecord): void {
    const session = this.#sessionOf(record);
    const clock = this.#tracks.clock(record);
    const now = clock.at(record);
    session.starters.note(record);
    const fire = this.#fireOf(record, session, now);
    placeBelow(fire.agent, starterIn(session, fire.agent.id));
    const open = fire.calls.filter(({ end, lane }) => end === undefined && lane === fire.lane);
    const end = clock.after(
      greatest(
        Math.max(fire.start, fire.drawn - 1, now - 1),
        open.map(({ start }) => start),
      ),
    );
    const isShown = this.#options.isShown(record);
    fire.isShown = isShown;
    this.#fires.delete(fire.id);
    if (isShown) this.#draw(fire, record, end);
    for (const call of fire.calls) {
      if (call.end !== undefined) this.#drawCall(call, isShown);
      else if (call.lane === fire.lane && this.#calls.has(call.id)) this.#goesOn(call, fire, end);
    }
    release(fire.lane, end);
  }

  /** The call lasts longer than its fire: it continues in another row. */
  #goesOn(call: TracedCall, fire: TracedFire, end: number): void {
    this.#drawCall({ ...call, end }, fire.isShown === true, 'goes on in the background');
    const lane = this.#tracks.take(fire.agent, end);
    this.#calls.set(call.id, { ...call, lane, start: Math.max(end, lane.end) });
  }

  #draw(fire: TracedFire, record: FireRecord, end: number): void {
    const { agent, lane, start } = fire;
    agent.type ??= typeOf(record);
    this.#tracks.name(agent);
    const { pid, tid } = lane;
    const isTried = isShadow(record);
    const cat = isTried ? 'fire,shadow' : 'fire';
    const args = this.#argsOf(record);
    this.#options.write({ ph: 'X', name: this.#nameOf(record), cat, pid, tid, ts: start, dur: end - start, args });
    const { decision } = record;
    if (!isTried && specOf(record.event)?.scope === 'open')
      this.#arrow(starterIn(agent.session, agent.id), lane, start);
    agent.last = { pid, tid, ts: start };
    if (!isBlocked(record)) return;
    const decider = record.handlers.find(({ id }) => id === decision.decidedBy)?.name;
    const what = decision.continues ? 'keeps it going' : 'deny';
    const denial = decider === undefined ? what : `${what} by ${this.#text(decider)}`;
    this.#options.write({ ph: 'i', name: denial, cat: 'denial', pid, tid, ts: end, s: 't', args });
  }

  /** Draws an arrow from the last fire of an agent's starter to the agent's beginning. */
  #arrow(from: TraceAgent | undefined, lane: Lane, ts: number): void {
    if (from?.last === undefined) return;
    const id = ++this.#arrows;
    const arrow = { name: 'spawn', cat: 'spawn', id } as const;
    this.#options.write({ ph: 's', ...arrow, ...from.last });
    this.#options.write({ ph: 'f', bp: 'e', ...arrow, pid: lane.pid, tid: lane.tid, ts });
  }

  #drawCall(call: TracedCall, isShown: boolean, why?: string): void {
    if (!isShown || call.end === undefined) return;
    this.#tracks.name(call.agent);
    const { lane, start, end, response } = call;
    const args: Record<string, unknown> = { hook_id: call.id };
    if (response !== undefined) {
      const { outcome, decision, would, failure, exit_code } = response;
      Object.assign(args, { outcome, decision, would, exit_code });
      if (failure !== undefined) args['failure'] = this.#text(`${failure.cause}: ${failure.message}`);
    }
    if (why !== undefined) args['note'] = why;
    const cat = response?.failure === undefined ? 'hook' : 'hook,failure';
    const { pid, tid } = lane;
    this.#options.write({ ph: 'X', name: this.#text(call.name), cat, pid, tid, ts: start, dur: end - start, args });
  }

  #nameOf(record: FireRecord): string {
    const tool = specOf(record.event)?.tool === true ? record.input['tool_name'] : undefined;
    const about = typeof tool === 'string' ? ` ${this.#text(tool)}` : '';
    return `${record.event}${about}${isShadow(record) ? ', not enforced' : ''}`;
  }

  #argsOf({ fire_id, tool_use_id, decision, error, would, unanswered }: FireRecord): Readonly<Record<string, unknown>> {
    const { verdict, reason } = decision;
    return {
      fire_id,
      ...(tool_use_id === undefined ? {} : { tool_use_id: this.#text(tool_use_id) }),
      ...(would !== undefined ? { would } : verdict === undefined ? {} : { verdict }),
      ...(reason === undefined ? {} : { reason: this.#text(reason) }),
      ...(error === undefined ? {} : { error }),
      ...(unanswered === undefined ? {} : { unanswered: this.#text(unanswered) }),
    };
  }

  #tool(record: ToolCallRecord): void {
    const session = this.#tracks.session(record.session_id);
    const ts = this.#tracks.clock(record).at(record);
    const agent = this.#tracks.agent(session, agentIdOf(record));
    agent.type ??= typeOf(record);
    session.starters.ended(record);
    if (!this.#options.isShown(record)) return;
    const { tool_use_id, status, denied_by = '', reason } = record;
    const name = `${this.#text(record.tool_name)} ${status}${denied_by === '' ? '' : ` by ${this.#text(denied_by)}`}`;
    const args = {
      tool_use_id: this.#text(tool_use_id),
      ...(reason === undefined ? {} : { reason: this.#text(reason) }),
    };
    this.#options.write({ ph: 'i', name, cat: 'call', ...this.#place(agent), ts, s: 't', args });
  }

  #alarm(record: AlarmRecord): void {
    const session = this.#tracks.session(record.session_id);
    const ts = this.#tracks.clock(record).at(record);
    if (!this.#options.isShown(record)) return;
    const place = this.#place(this.#tracks.agent(session, agentIdOf(record)));
    const args = { tool_use_id: this.#text(record.tool_use_id), message: this.#text(record.message) };
    this.#options.write({ ph: 'i', name: `ALARM ${record.alarm}`, cat: 'alarm', ...place, ts, s: 'p', args });
  }

  /** An agent's first row. */
  #place(agent: TraceAgent): Pick<Lane, 'pid' | 'tid'> {
    if (agent.lanes.length === 0) this.#tracks.take(agent, 0).isTaken = false;
    this.#tracks.name(agent);
    const { pid, tid } = agent.lanes[0] as Lane;
    return { pid, tid };
  }

  #text(text: string): string {
    return clip(this.#options.text(text), 300);
  }
}
