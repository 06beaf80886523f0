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
export interface Asked {
  readonly event: HookEvent;
  readonly input: Json;
  readonly agent?: string;
}

/** The share of sessions that examples are in. Another thousand names are tried for each. */
const SHARE = 0.001;

/** The least one, for hooks with a lower share: a million names, as the session of `fireHook` is found. */
const LEAST_SHARE = 1e-6;

const sharesOf = ({ hooks, children }: Description): number[] => [
  ...hooks.map(({ enforce = 1 }) => enforce),
  ...children.flatMap(sharesOf),
];

/** A host that examples are put to one after another, each in its own session. */
export class Bench {
  readonly #opened: OpenedHost;
  readonly #cwd: string;
  readonly #records: HookRecord[] = [];
  #count = 0;
  #tried = 0;

  constructor(opened: OpenedHost, cwd: string) {
    this.#opened = opened;
    this.#cwd = cwd;
    opened.host.events$.subscribe((record) => this.#records.push(record));
  }

  /** Throws FILE if one of them is about an unknown agent. */
  check(examples: readonly Example[]): void {
    checkAgents(examples, this.#opened.host, this.#cwd);
  }

  /** Fires it. An agent is started before it, so that hooks of its type are there, and ends after it, unless the event is its start or its end. */
  async ask({ event, input, agent }: Asked, signal: AbortSignal): Promise<Fired> {
    const { host } = this.#opened;
    this.#count += 1;
    const session = { session_id: this.#nextSession(), cwd: this.#cwd };
    const who = agent === undefined ? {} : { agent_id: `agent-${this.#count}`, agent_type: agent };
    const base = { ...session, ...who };
    const { opens = false, closes = false } = servicesOf(host).events[event] ?? {};
    if (agent !== undefined && !opens) {
      // Its scope is there even if no hook is for its type.
      host.registerScoped({ session: session.session_id, agent: `agent-${this.#count}` }, {});
      await host.fireAny('SubagentStart', base, { signal });
    }
    this.#records.length = 0;
    const full = { ...structuredClone(SAMPLES[event]), ...base, ...input };
    const explanation = host.explain(event, full);
    const [decision, record] = await firedWithRecord(host, this.#records, event, full, { signal });
    const records = [...this.#records];
    if (agent !== undefined && !closes)
      await host.fireAny('SubagentStop', { ...SAMPLES.SubagentStop, ...base }, { signal });
    return new FiredEvent(event, decision as never, record, records, explanation);
  }

  /** Hooks that are enforced in a share of sessions decide in it, wherever the example is in its file. */
  #nextSession(): string {
    const share = Math.max(LEAST_SHARE, Math.min(SHARE, ...sharesOf(this.#opened.host.describe())));
    do this.#tried += 1;
    while (!isEnforcedIn(share, `example-${this.#tried}`));
    return `example-${this.#tried}`;
  }

  close(): Promise<unknown> {
    return this.#opened.host.close();
  }
}
