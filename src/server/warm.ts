import { isAbsolute, relative, sep } from 'node:path';
import { AgentMemory, type PassedMemory } from '../agents/memory.js';
import type { Host } from '../create-host.js';
import type { EventSpec } from '../events/spec.js';
import type { PassedCall } from '../host/alarms/judgement.js';
import type { HostCore } from '../host/core.js';
import type { AnyDecision } from '../host/decide/decision.js';
import { fire, takesInput } from '../host/fire/fire.js';
import type { FireSettings } from '../host/fire-options.js';
import { servicesOf } from '../host/internals.js';
import { realOr } from '../trust/consent.js';
import type { Json } from '../values/shape.js';
import { carrierIn } from '../values/trace-carrier.js';
import type { EndSignal } from '../values/waiting/lazy-signal.js';
import { AgentScopes, type PassedAgent } from './agents.js';
import type { Binding } from './bound/binding.js';
import { foundProject } from './found-project.js';
import { waitingAlone } from './nobody.js';
import { type UnansweredEvent, unansweredRecord } from './unanswered.js';

/** A host that answers other processes. */
export interface Warm {
  readonly host: Host;
  readonly binding: Binding;
  /** The host's project; absent for the user's own host, which serves all folders outside the registered projects. */
  readonly root?: string;
}

/** The client of a request, and its environment. */
export interface RequestClient {
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: EndSignal;
  readonly settings?: FireSettings;
}

export interface ServedDecision {
  readonly decision: AnyDecision;
  readonly late: readonly string[];
}

/** What one host knows about an open session, for the project at `root` or for the user's own hooks. */
export type SessionHandover = { readonly root: string | undefined } & (
  | { readonly call: PassedCall }
  | { readonly agent: PassedAgent }
);

/** What the next process gets before it answers any call. */
export interface Handover {
  readonly memory: PassedMemory;
  readonly all: readonly SessionHandover[];
  /** The hosts whose records the previous process sends to its readers itself. */
  readonly hosts?: readonly string[];
}

interface ServedHost extends Warm {
  readonly services: HostCore;
  readonly agents: AgentScopes;
  /** Sessions that were seen from their start. In any other, another process may have judged calls that are still under way. */
  readonly begun: Set<string>;
  /** Sessions that asked about a call before it ran. */
  readonly judged: Set<string>;
}

/** The most sessions that are remembered. */
const SESSIONS = 10_000;

/** The user's own host, and one for each registered project. */
export class WarmHosts {
  readonly #user: ServedHost;
  readonly #projects: readonly ServedHost[];
  readonly #roots: readonly string[];
  /** Remembers what payloads of other agents do not contain. */
  readonly memory = new AgentMemory();
  /** The number of fires under way. */
  #running = 0;
  #idle: () => void = () => undefined;

  constructor(user: Warm, projects: readonly Warm[]) {
    this.#user = serve(user);
    this.#projects = projects.map(serve);
    this.#roots = this.#projects.map(({ root }) => root as string);
  }

  get all(): readonly Warm[] {
    return [this.#user, ...this.#projects];
  }

  get running(): number {
    return this.#running;
  }

  /** How many agents' scopes are open. */
  get agents(): number {
    return [this.#user, ...this.#projects].reduce((sum, { agents }) => sum + agents.size, 0);
  }

  /** The host for a call's project (`rootOf`), or else the user's own host. */
  of(cwd: string | undefined, session?: string): Warm {
    return this.#of(cwd, session);
  }

  /** Whether there are hooks for calls from this folder, and all of them wait for consent. */
  waitsForConsent(cwd: string | undefined, session?: string): boolean {
    const waiting = waitingAlone(this.#of(cwd, session).services.registrar);
    return waiting !== undefined && waiting.size > 0;
  }

  /** A text about a changed or removed file, to put before another reason; '' if nothing has changed. */
  whyChanged(cwd: string | undefined, session?: string): string {
    const { binding } = this.#of(cwd, session);
    const [changed] = binding.changed();
    return changed === undefined ? '' : `${binding.whyChanged(changed)}; `;
  }

  #of(cwd: string | undefined, session: string | undefined): ServedHost {
    const root = this.#roots.length === 0 ? undefined : rootOf(this.#roots, cwd, session);
    return root === undefined ? this.#user : (this.#projects[this.#roots.indexOf(root)] as ServedHost);
  }

  spec(event: string, cwd: string | undefined, session?: string): EventSpec | undefined {
    const state = this.#of(cwd, session).services.events[event];
    return state?.spec.name === event ? state.spec : undefined;
  }

  /** Asks the hooks, and returns the decision in the wire's format. Rejects as `fire` does. */
  async ask(spec: EventSpec, input: Json, asking: RequestClient): Promise<Record<string, unknown>> {
    const { decision, late } = await this.decide(spec, input, asking);
    return wireOf(spec, decision, late);
  }

  /** Asks the hooks; `late` of the result: context that background hooks left for this turn. Rejects as `fire` does. */
  async decide(spec: EventSpec, input: Json, { cwd, env, signal, settings }: RequestClient): Promise<ServedDecision> {
    const served = this.#of(cwd, env['CLAUDE_PROJECT_DIR']);
    this.#running++;
    try {
      if (spec.scope !== 'open' || takesInput(served.services, spec.name, input)) served.agents.before(spec, input);
      const decision = await fire(served.services, spec.name, input, {
        signal,
        incoming: carrierIn(env),
        env: served.root === undefined ? env : { ...env, CLAUDE_PROJECT_DIR: served.root },
        doneBy: 'client',
        everyTool: everyTool(served, spec, input),
        ...settings,
      });
      served.agents.after(spec, input, decision.continues === true);
      return { decision, late: lateFor(served.services, spec, input) };
    } finally {
      this.#running--;
      if (this.#running === 0) this.#idle();
    }
  }

  /** What the next process must know: running agents, and judgements of calls that have not run yet. `later` is called with changes from now on. */
  passOn(later: (one: SessionHandover) => void): Handover {
    const all: SessionHandover[] = [];
    let to = (one: SessionHandover): void => void all.push(one);
    for (const { root, agents, services } of [this.#user, ...this.#projects]) {
      agents.passOn((agent) => to({ root, agent }));
      services.alarms.passOn((call) => to({ root, call }));
    }
    to = later;
    return { memory: this.memory.plain, all };
  }

  /** Takes over what the previous process knew; projects that are no longer served are left out. */
  takeOver(passed: SessionHandover): void {
    const served = [this.#user, ...this.#projects].find(({ root }) => root === passed.root);
    if ('call' in passed) served?.services.alarms.takeOver(passed.call);
    else served?.agents.takeOver(passed.agent);
  }

  /** Records that an event from this folder was answered without its hooks. */
  unanswered(told: UnansweredEvent, cwd: string | undefined, session: string | undefined): void {
    this.#of(cwd, session).services.bus.emit(() => unansweredRecord(told));
  }

  /** Resolves when nothing is under way any more. */
  settled(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ host }) => host.close()));
  }
}

function serve(warm: Warm): ServedHost {
  const services = servicesOf(warm.host);
  services.projectOf = warm.root === undefined ? foundProject : () => warm.root as string;
  return { ...warm, services, agents: new AgentScopes(services), begun: new Set(), judged: new Set() };
}

/** Whether a session asks about every tool, so that a call that runs unasked is an alarm: it has asked on PreToolUse before. */
function everyTool({ begun, judged }: ServedHost, { callRole, claude }: EventSpec, input: Json): boolean {
  const id = String(input['session_id']);
  // A compacted session continues, perhaps with running agents.
  if (claude?.bounds === 'start' && input['source'] !== 'compact') remember(begun, id);
  if (callRole !== 'judges') return callRole === undefined || judged.has(id);
  if (begun.has(id)) remember(judged, id);
  return true;
}

function remember(sessions: Set<string>, id: string): void {
  sessions.delete(id);
  sessions.add(id);
  if (sessions.size > SESSIONS) sessions.delete(sessions.values().next().value as string);
}

/** Context that background hooks left for the next turn. */
function lateFor({ registrar }: HostCore, spec: EventSpec, input: Json): readonly string[] {
  if (spec.plainStdout !== 'context' || spec.plainAnswer) return [];
  return registrar.contexts.of(String(input['session_id']), input['agent_id']).splice(0);
}

function wireOf(spec: EventSpec, decision: AnyDecision, late: readonly string[]): Record<string, unknown> {
  const output = decision.toJSON();
  if (late.length === 0) return output;
  const specific = (output['hookSpecificOutput'] ?? { hookEventName: spec.name }) as Json;
  const said = specific['additionalContext'];
  const additionalContext = [...late, ...(said === undefined ? [] : [String(said)])].join('\n');
  return { ...output, hookSpecificOutput: { ...specific, additionalContext } };
}

/**
 * The root that a call belongs to, with links resolved: that of the session's project (`CLAUDE_PROJECT_DIR`), or a root within it that contains the
 * call's folder. Without a session's project, it is that of the folder. So changing the folder does not leave the project's hooks.
 */
export function rootOf(
  roots: readonly string[],
  cwd: string | undefined,
  session: string | undefined,
): string | undefined {
  const innermost = (path: string | undefined): string | undefined => {
    if (path === undefined || path === '') return undefined;
    const real = realOr(path);
    return roots
      .filter((root) => isWithin(realOr(root), real))
      .reduce<string | undefined>(
        (best, root) => (best === undefined || isWithin(realOr(best), realOr(root)) ? root : best),
        undefined,
      );
  };
  const own = innermost(session);
  const here = innermost(cwd);
  return own === undefined || (here !== undefined && isWithin(realOr(own), realOr(here))) ? here : own;
}

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
