import type { HookRecord } from '../../emit/record.js';
import type { HookEvent } from '../../events/catalogue.js';
import { servicesOf } from '../../host/internals.js';
import { isEnforcedIn } from '../../host/plan/shadows.js';
import type { Description } from '../../host/types.js';
import { firedWithRecord } from '../../testing/fire-hook.js';
import { type Fired, FiredEvent } from '../../testing/fired.js';
import { SAMPLES } from '../../testing/samples.js';
import type { Json } from '../../values/shape.js';
import type { OpenedHost } from '../host/open-host.js';
import { checkAgents } from './agent-types.js';
import type { Example } from './examples.js';

/** The event to fire, and for which agent. */
export interface TestEvent {
  readonly event: HookEvent;
  readonly input: Json;
  readonly agent?: string;
}

/** Examples are in sessions in which hooks with this share, or a larger one, are enforced. About a thousand names are tried for each. */
const SHARE = 0.001;

/** The smallest share that a session is searched for, as for that of `fireHook`: it takes about a million names. */
const LEAST_SHARE = 1e-6;

const sharesOf = ({ hooks, children }: Description): number[] => [
  ...hooks.map(({ enforce = 1 }) => enforce),
  ...children.flatMap(sharesOf),
];

/** A host that examples are put to one after another, each in its own session. */
export class ExampleHost {
  readonly #opened: OpenedHost;
  readonly #cwd: string;
  readonly #records: HookRecord[] = [];
  #count = 0;
  #tried = 0;
  #least = SHARE;

  constructor(opened: OpenedHost, cwd: string) {
    this.#opened = opened;
    this.#cwd = cwd;
    opened.host.events$.subscribe((record) => this.#records.push(record));
  }

  /** Throws FILE if one of them is about an unknown agent. */
  check(examples: readonly Example[]): void {
    checkAgents(examples, this.#opened.host, this.#cwd);
  }

  /** Fires the event. Its agent starts before it, so that hooks for its type are registered, and ends after it, unless the event is that start or end. */
  async ask({ event, input, agent }: TestEvent, signal: AbortSignal): Promise<Fired> {
    const { host } = this.#opened;
    this.#count += 1;
    const { opens = false, closes = false } = servicesOf(host).events[event] ?? {};
    const base = await this.#begin(agent, opens, signal);
    this.#records.length = 0;
    const full = { ...structuredClone(SAMPLES[event]), ...base, ...input };
    const explanation = host.explain(event, full);
    const [decision, record] = await firedWithRecord(host, this.#records, event, full, { signal });
    const records = [...this.#records];
    if (agent !== undefined && !closes)
      await host.fireAny('SubagentStop', { ...SAMPLES.SubagentStop, ...base }, { signal });
    return new FiredEvent(event, decision as never, record, records, explanation);
  }

  /** The session, and the agent in it, started unless the example is about its start. */
  async #begin(agent: string | undefined, opens: boolean, signal: AbortSignal): Promise<Json> {
    const { host } = this.#opened;
    for (;;) {
      const share = this.#share();
      const session_id = this.#nextSession(share);
      const base = { session_id, cwd: this.#cwd };
      if (agent === undefined) return base;
      const agent_id = `agent-${this.#count}`;
      const who = { ...base, agent_id, agent_type: agent };
      if (opens) return who;
      // Opens the agent's scope even if no hook is for its type.
      host.registerScoped({ session: session_id, agent: agent_id }, {});
      await host.fireAny('SubagentStart', who, { signal });
      if (this.#share() >= share) return who;
      // A function has made hooks with a lower share for this agent.
      this.#least = this.#share();
      host.unregisterScoped({ session: session_id, agent: agent_id });
    }
  }

  #share(): number {
    return Math.max(LEAST_SHARE, Math.min(this.#least, ...sharesOf(this.#opened.host.describe())));
  }

  /** A session in which hooks with this share are enforced, wherever the example is in its file. */
  #nextSession(share: number): string {
    do this.#tried += 1;
    while (!isEnforcedIn(share, `example-${this.#tried}`));
    return `example-${this.#tried}`;
  }

  close(): Promise<unknown> {
    return this.#opened.host.close();
  }
}
