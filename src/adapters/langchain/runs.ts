import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpawnOptions } from '../../session/options.js';
import type { ToolContext } from '../../session/tool/call.js';
import type { Session } from '../../session/types.js';
import { rejectOnAbort } from '../reject-on-abort.js';
import { Steps } from '../steps.js';
import type { StepsOptions } from '../steps-options.js';
import { handleLoopError } from '../turn.js';

/** A node's configuration, which has its place among the graphs that run. */
export interface Node {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

/** The place of a node's graph; places are paths of nested graphs and nodes, separated by "|". */
export const graphOf = (place: string): string => place.slice(0, Math.max(0, place.lastIndexOf('|')));

/** One agent at work: its session, and the steps of its loop. */
export interface AgentRun {
  readonly session: Session;
  steps: Steps;
  /** The agent works in a call of a tool, and ends with the call at the latest. */
  readonly inCall: boolean;
  /** The error of its last failed model call. */
  failed?: unknown;
  /** The id of the message that replaces the answer if no model was called. */
  mute?: string | undefined;
  /** The user's messages that hooks have seen but no model has answered yet. */
  seen: ReadonlySet<string>;
  /** The run's calls that control flow left open, by id, with the agents that they started. */
  readonly left: Map<string, Frame>;
}

/** A call of a tool, with the agents that work in it by the place of their graph. */
export interface Frame {
  readonly run: AgentRun;
  readonly agents: Map<string, Promise<AgentRun>>;
}

const FRAMES = new AsyncLocalStorage<Frame>();

/** The `spawn` options for agents that are called by a tool. */
export type AgentOptions = Omit<SpawnOptions, 'id' | 'parent' | 'signal'>;

/** Finds the run in which a middleware is called: the session's own, or that of an agent that one of its tools called. */
export class AgentRuns {
  readonly #session: Session;
  readonly #agent: AgentOptions | undefined;
  readonly #options: StepsOptions;
  readonly #main: AgentRun;
  /** Agents that no tool called: nodes of a user's graph. */
  readonly #loose: Frame;

  constructor(session: Session, agent: AgentOptions | undefined, options: StepsOptions) {
    this.#session = session;
    this.#agent = agent;
    this.#options = options;
    this.#main = this.#runOf(session, false);
    this.#loose = { run: this.#main, agents: new Map() };
  }

  /** The run of a node. `fresh`: its loop begins, with new steps. */
  async of({ configurable = {} }: Node, fresh = false): Promise<AgentRun> {
    const frame = this.#frame();
    const run = frame ? await this.#agentOf(frame, graphOf(String(configurable['checkpoint_ns']))) : this.#main;
    if (fresh) run.steps = new Steps(run.session, this.#options);
    return run;
  }

  /**
   * Runs the tool's work. Agents that are called in it belong to this run. They are closed when the work ends or is interrupted; only control flow leaves them open,
   * until the call is made again.
   */
  async within<T>(run: AgentRun, { id, signal }: ToolContext, work: () => Promise<T>): Promise<T> {
    const frame = run.left.get(id) ?? { run, agents: new Map() };
    run.left.delete(id);
    try {
      const value = await rejectOnAbort(FRAMES.run(frame, work), signal);
      await end(frame);
      return value;
    } catch (error) {
      if (this.#options.passThrough?.(error) === true) run.left.set(id, frame);
      else await end(frame);
      throw error;
    }
  }

  /** The call in which the current agent works; `undefined` for the session's own. */
  #frame(): Frame | undefined {
    const frame = FRAMES.getStore();
    const session = this.#session;
    const ours = frame?.run.session.session_id === session.session_id ? frame : undefined;
    if (this.#agent) return ours ?? this.#loose;
    return session.agent_id === undefined || ours?.run.session.id === session.id ? ours : undefined;
  }

  async #agentOf(frame: Frame, key: string): Promise<AgentRun> {
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

  #runOf(session: Session, inCall: boolean): AgentRun {
    return { session, inCall, steps: new Steps(session, this.#options), seen: new Set(), left: new Map() };
  }
}

/** Removes an agent that has closed, because a long-running graph has a new place for each run of an agent. */
async function forgetClosed({ agents }: Frame, place: string, run: Promise<AgentRun>): Promise<void> {
  const isOver = await run.then(
    ({ session }) => session.closed,
    () => true,
  );
  if (isOver && agents.get(place) === run) agents.delete(place);
}

async function end({ agents }: Frame): Promise<void> {
  for (const agent of agents.values()) {
    const run = await agent.catch(() => undefined);
    if (run?.failed !== undefined) await handleLoopError(run.steps, run.failed).catch(() => undefined);
    await run?.session.close();
  }
}
