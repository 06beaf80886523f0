import type { Traced } from '../emit/tracing.js';
import { HookscopeError, isHookscopeError } from '../errors.js';
import type { EventName } from '../events/catalogue.js';
import { unreadable } from '../events/guard.js';
import type { ToolUse } from '../host/alarms/alarms.js';
import type { FireSettings } from '../host/fire-options.js';
import type { Decision } from '../host/types.js';
import type { Scope } from '../scopes/scope.js';
import { put } from '../values/copies/put.js';
import type { Json } from '../values/shape.js';
import { LazySignal } from '../values/waiting/lazy-signal.js';
import type { SessionDeps, SessionIdentity } from './deps.js';
import type { SessionSettings } from './options.js';
import { treeOf } from './tree.js';
import { turnController } from './turn-controller.js';
import { SessionWork, SharedWork } from './under-way.js';

/** Why a loop is over: it was interrupted and nothing more runs, a hook ended it, or a call was deferred. */
export type LoopEnd = 'interrupted' | 'hook' | 'deferred';

/** What all parts of a session share: its identity, the fields of its events, firing, its signals and its end. */
export class Core {
  readonly deps: SessionDeps;
  readonly who: SessionIdentity;
  readonly parent: Core | undefined;
  readonly scope: Scope;
  readonly settings: SessionSettings;
  readonly traced: Traced | undefined;
  readonly children = new Set<Core>();
  /** All open agents of the session, by id; shared with the root. */
  readonly agents: Map<string, Core>;
  /** Tool calls under way. */
  readonly calls = new SessionWork();
  readonly directories: string[] = [];
  /** Paths that the harness or hooks asked to watch; and the absolute paths that are watched. */
  readonly watchPaths = new Set<string>();
  readonly watched = new Set<string>();
  /** Watches for hooks that are not ready yet. */
  readonly beginning = new Set<Promise<void>>();
  /** Called when the session ends, to remove subscribers and listeners. */
  readonly cleanups: (() => unknown)[] = [];
  /** Called when its scope has ended; from then on another session or agent may use its id. */
  free: () => unknown = () => undefined;
  /** Called with each new path that hooks ask to watch; absent if none are watched. */
  readonly onWatchPaths: CoreOptions['onWatchPaths'];
  #cwd: string;
  #model: string | undefined;
  #title: string | undefined;
  #promptId: string | undefined;
  #continuations = 0;
  #isOpen = true;
  readonly #stop = new SharedWork();
  #ending: Promise<unknown> | undefined;
  #over: LoopEnd | undefined;
  #mode: string | undefined;
  /** Ends hooks of calls that have already run, which no interruption cuts short: aborts when a close has waited long enough for them. */
  readonly closeSignal = new LazySignal();
  #dead: { readonly reason: unknown; readonly why: string } | undefined;
  #turn = turnController();

  constructor(deps: SessionDeps, who: SessionIdentity, how: CoreOptions) {
    this.deps = deps;
    this.who = who;
    this.parent = how.parent;
    this.agents = how.parent?.agents ?? new Map();
    this.scope = how.scope;
    this.settings = how.settings;
    this.traced = deps.records.tracing?.begin({ kind: 'agent', ...who }, how.parent?.traced);
    this.#cwd = how.cwd;
    this.#model = how.model;
    this.#title = how.title;
    this.onWatchPaths = how.onWatchPaths;
    this.#promptId = how.parent?.promptId;
    this.#mode = how.mode;
  }

  get cwd(): string {
    return this.#cwd;
  }
  moveTo(directory: string): void {
    this.#cwd = directory;
  }

  get model(): string | undefined {
    return this.#model;
  }
  switchTo(model: string): void {
    this.#model = model;
  }

  get title(): string | undefined {
    return this.#title;
  }
  /** Takes the title from a hook's answer, if there is one. */
  rename(title: string | undefined): void {
    this.#title = title ?? this.#title;
  }

  /** The permission mode. A child without its own mode follows its parent's. */
  get mode(): string {
    return this.#mode ?? this.parent?.mode ?? 'default';
  }
  changeMode(mode: string): void {
    if (this.#mode === undefined && this.parent) this.parent.changeMode(mode);
    else this.#mode = mode;
  }

  /** Aborts when the turn is interrupted, the session's own signal fires, or it closes. Each turn has another signal. */
  get signal(): AbortSignal {
    return this.#turn.signal;
  }

  /** Whether the session's signal has fired or the host was closed, so that nothing runs any more. */
  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** The text that something was interrupted, with the reason if nothing runs any more. */
  cutText(what: string): string {
    const why = this.deps.host.closed ? 'the host is closed' : this.#dead?.why;
    return why === undefined ? `${what} was interrupted.` : `${what} was interrupted: ${why}.`;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }
  /** Refuses all further calls. */
  shut(): void {
    this.#isOpen = false;
  }

  /** Throws SESSION_CLOSED unless it is open. */
  demand(call: string): void {
    if (this.#isOpen) return;
    throw new HookscopeError('SESSION_CLOSED', { session: this.who.session_id, agent: this.who.agent_id, call });
  }

  /** Throws CLOSED or SESSION_CLOSED unless hooks can be registered. A scope that was ended by its name is not opened again: another's calls could run in it. */
  demandScope(call: string): void {
    this.demand(call);
    if (this.deps.host.closed) throw new HookscopeError('CLOSED', {});
    const { session_id: session, agent_id: agent } = this.who;
    if (this.scope.closed) throw new HookscopeError('SESSION_CLOSED', { session, agent, call, ended: 'scope' });
  }

  /** Why the loop ended before its stop event. */
  get over(): LoopEnd | undefined {
    return this.#over;
  }

  get promptId(): string | undefined {
    return this.#promptId;
  }
  /** Sets a prompt that does not begin a turn of the loop. */
  beside(promptId: string): void {
    this.#promptId = promptId;
  }

  /** Begins a turn with a new prompt: no continuations, and nothing has ended the loop. */
  begin(promptId: string): void {
    this.#promptId = promptId;
    this.#continuations = 0;
    this.#over = this.dead ? 'interrupted' : undefined;
  }

  /** How many times in a row hooks have continued the loop. */
  get continuations(): number {
    return this.#continuations;
  }
  goOn(): void {
    this.#continuations++;
  }
  rest(): void {
    this.#continuations = 0;
  }

  /** The stop under way, if any. */
  get stopping(): Promise<unknown> | undefined {
    return this.#stop.underWay;
  }
  /** Runs a stop. A second request joins the one under way. */
  stop<T>(run: () => Promise<T>): Promise<T> {
    return this.#stop.run(run);
  }

  get isEnding(): boolean {
    return this.#ending !== undefined;
  }
  /** Ends the session, once. A second request gets the same promise. */
  end<T>(run: () => Promise<T>): Promise<T> {
    this.#ending ??= run();
    return this.#ending as Promise<T>;
  }

  /** Ends the loop. The first reason is kept, unless the loop is interrupted. */
  endLoop(why: LoopEnd): void {
    if (why === 'interrupted') this.#over = why;
    else this.#over ??= why;
  }

  /** Called for calls of the model: a loop that ended only because a call was deferred goes on. */
  resume(): void {
    if (this.#over === 'deferred') this.#over = undefined;
  }

  /** Fires an event with the session's own fields added. Rejects as `host.fire` does. */
  fire<E extends EventName>(event: E, own: Json, how: FireSettings = { signal: this.signal }): Promise<Decision<E>> {
    let input: Json;
    try {
      input = this.#input(event, own);
    } catch (error) {
      return Promise.reject(unreadable(event, error));
    }
    // Alarms need to know that a session asks about every call, and carries out decisions itself.
    const ours: FireSettings = { everyTool: true, doneBy: 'session', traced: this.traced, ...how };
    return this.deps.fire(event, input, ours) as Promise<Decision<E>>;
  }

  /** Identifies a call of this session or agent for alarms. */
  use({ id, name }: { readonly id: string; readonly name: string }): ToolUse {
    const { session_id: session, agent_id: agent } = this.who;
    return { session, agent, id, tool: name, scope: agent ?? 'session', every: true };
  }

  /** Ends what runs in this turn; the next prompt begins another. */
  interrupt(reason: unknown): void {
    this.endLoop('interrupted');
    const turn = this.#turn;
    if (this.#dead === undefined) this.#turn = turnController();
    for (const child of this.children) child.interrupt(reason);
    turn.abort(reason);
  }

  /** Interrupts, and waits no longer for the hooks of calls that have already run. */
  giveUp(reason: unknown): void {
    this.interrupt(reason);
    for (const core of treeOf<Core>(this).reverse()) core.closeSignal.abort(reason);
  }

  /** Ends this turn and all later ones; `why` is for the answers of later calls. */
  kill(reason: unknown, why: string): void {
    if (this.#dead !== undefined) return;
    const dead = { reason: reason ?? new DOMException('The session was aborted', 'AbortError'), why };
    for (const core of treeOf<Core>(this)) core.#dead ??= dead;
    this.interrupt(dead.reason);
  }

  /** The input of an event, with its keys in the wire's order. */
  #input(event: string, own: Json): Json {
    const { who } = this;
    const inTurn = this.deps.spec(event)?.inTurn === true;
    // Field by field, because spreading into a literal or deleting fields is many times slower.
    const input: Record<string, unknown> = {
      session_id: who.session_id,
      transcript_path: who.transcript_path,
      cwd: this.#cwd,
    };
    if (this.#promptId !== undefined) input['prompt_id'] = this.#promptId;
    if (inTurn) input['permission_mode'] = this.mode;
    if (who.agent_id !== undefined) input['agent_id'] = who.agent_id;
    if (who.agent_type !== undefined) input['agent_type'] = who.agent_type;
    if (inTurn && this.settings.effort !== undefined) input['effort'] = this.settings.effort;
    input['hook_event_name'] = event;
    for (const key in own) if (Object.hasOwn(own, key) && own[key] !== undefined) put(input, key, own[key]);
    return input;
  }
}

/** The options of a core. */
export interface CoreOptions {
  readonly parent?: Core | undefined;
  readonly scope: Scope;
  readonly settings: SessionSettings;
  readonly cwd: string;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly title?: string | undefined;
  readonly onWatchPaths?: ((core: Core, paths: readonly string[]) => void) | undefined;
}

/** Whether an event was not decided because the turn or the host ended. */
export function wasCut(error: unknown): boolean {
  return isHookscopeError(error) && (error.code === 'ABORTED' || error.code === 'CLOSED');
}
