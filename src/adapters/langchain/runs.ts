import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpawnOptions } from '../../session/options.js';
import type { ToolContext } from '../../session/tool/call.js';
import type { Session } from '../../session/types.js';
import { Steps } from '../steps.js';
import type { StepsOptions } from '../steps-options.js';
import { failed } from '../turn.js';
import { unlessAborted } from '../unless-aborted.js';

/** What a framework's node knows of the graph it runs in. */
export interface Node {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

/** Of a node's place in a run of graphs within graphs, that of its graph. */
export const graphOf = (place: string): string => place.slice(0, Math.max(0, place.lastIndexOf('|')));

/** One agent at work: its session, and the steps of its loop. */
export interface Run {
  readonly session: Session;
  steps: Steps;
  /** It works in a call of a tool, and ends with that at the latest. */
  readonly inCall: boolean;
  /** What its model call threw last. */
  failed?: unknown;
  /** The message that stands where no model was called, by its id. */
  mute?: string | undefined;
  /** Messages of the user that hooks have seen, and that no model has answered yet. */
  seen: ReadonlySet<string>;
  /** Calls of it that control flow has left, with the agents they had started, by their ids. */
  readonly left: Map<string, Frame>;
}

/** A call of a tool, and the agents that work in it, by the place of their graph. */
export interface Frame {
  readonly run: Run;
  readonly agents: Map<string, Promise<Run>>;
}

const FRAMES = new AsyncLocalStorage<Frame>();

/** How an agent is spawned that is called by a tool. */
export type AgentOptions = Omit<SpawnOptions, 'id' | 'parent' | 'signal'>;

/** The session or agent that works where a middleware is called: the session itself, or an agent that one of its tools has called. */
export class Runs {
  readonly #session: Session;
  readonly #agent: AgentOptions | undefined;
  readonly #options: StepsOptions;
  readonly #main: Run;
  /** Agents that none of our tools has called: nodes of a user's graph. */
  readonly #loose: Frame;

  constructor(session: Session, agent: AgentOptions | undefined, options: StepsOptions) {
    this.#session = session;
    this.#agent = agent;
    this.#options = options;
    this.#main = this.#runOf(session, false);
    this.#loose = { run: this.#main, agents: new Map() };
  }

  /** `fresh`: the loop begins. */
  async of({ configurable = {} }: Node, fresh = false): Promise<Run> {
    const frame = this.#frame();
    const run = frame ? await this.#agentOf(frame, graphOf(String(configurable['checkpoint_ns']))) : this.#main;
    if (fresh) run.steps = new Steps(run.session, this.#options);
    return run;
  }

  /**
   * The tool's work: agents that are called in it are agents of this run. However it ends, or once it is interrupted, they are closed; control flow leaves them open, for
   * when the call is made again.
   */
  async within<T>(run: Run, { id, signal }: ToolContext, work: () => Promise<T>): Promise<T> {
    const frame = run.left.get(id) ?? { run, agents: new Map() };
    run.left.delete(id);
    try {
      const value = await unlessAborted(FRAMES.run(frame, work), signal);
      await end(frame);
      return value;
    } catch (error) {
      if (this.#options.passThrough?.(error) === true) run.left.set(id, frame);
      else await end(frame);
      throw error;
    }
  }

  /** The call that the agent works in; `undefined`: it is the session's own. */
  #frame(): Frame | undefined {
    const frame = FRAMES.getStore();
    const session = this.#session;
    const ours = frame?.run.session.session_id === session.session_id ? frame : undefined;
    if (this.#agent) return ours ?? this.#loose;
    return session.agent_id === undefined || ours?.run.session.id === session.id ? ours : undefined;
  }

  async #agentOf(frame: Frame, key: string): Promise<Run> {
    for (;;) {
      const known = frame.agents.get(key);
      if (known === undefined) break;
      const run = await known;
      if (!run.session.closed) return run;
      if (frame.agents.get(key) === known) frame.agents.delete(key);
    }
    for (const [place, run] of frame.agents) void forgetClosed(frame, place, run);
    const spawned = frame.run.session
      .spawn({ agent_type: 'agent', ...this.#agent })
      .then((child) => this.#runOf(child, frame !== this.#loose));
    frame.agents.set(key, spawned);
    return spawned;
  }

  #runOf(session: Session, inCall: boolean): Run {
    return { session, inCall, steps: new Steps(session, this.#options), seen: new Set(), left: new Map() };
  }
}

/** A graph may run for long, with a new place for each of its agents each time. */
async function forgetClosed({ agents }: Frame, place: string, run: Promise<Run>): Promise<void> {
  const isOver = await run.then(
    ({ session }) => session.closed,
    () => true,
  );
  if (isOver && agents.get(place) === run) agents.delete(place);
}

async function end({ agents }: Frame): Promise<void> {
  for (const agent of agents.values()) {
    const run = await agent.catch(() => undefined);
    if (run?.failed !== undefined) await failed(run.steps, run.failed).catch(() => undefined);
    await run?.session.close();
  }
}
