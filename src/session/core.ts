import { setMaxListeners } from 'node:events';
import type { Traced } from '../emit/tracing.js';
import { HookscopeError, isHookscopeError } from '../errors.js';
import type { EventName } from '../events/catalogue.js';
import { unreadable } from '../events/guard.js';
import type { ToolUse } from '../host/alarms/alarms.js';
import type { FireSettings } from '../host/fire-options.js';
import type { Decision } from '../host/types.js';
import type { Scope } from '../scopes/scope.js';
import { put } from '../values/copies/put.js';
import { linkAbort } from '../values/waiting/link-abort.js';
import type { Identity, SessionDeps } from './deps.js';
import type { SessionSettings } from './options.js';
import { UnderWay } from './under-way.js';

/** Why a loop is over: nothing more runs (`interrupted`), a hook ended it, or a call was deferred. */
export type LoopEnd = 'interrupted' | 'hook' | 'deferred';

type Fields = Readonly<Record<string, unknown>>;

/** What all parts of a session share: its identity, the fields of its events, its way to fire, its signals and its end. */
export class Core {
  readonly deps: SessionDeps;
  readonly who: Identity;
  readonly parent: Core | undefined;
  readonly scope: Scope;
  readonly settings: SessionSettings;
  readonly traced: Traced | undefined;
  readonly children = new Set<Core>();
  /** At the root of the session: every open agent of it, by id. */
  readonly agents: Map<string, Core>;
  /** Tool calls under way. */
  readonly calls = new UnderWay();
  readonly directories: string[] = [];
  /** Paths asked for, by the harness or by hooks; and those that are watched, absolute. */
  readonly watchPaths = new Set<string>();
  readonly watched = new Set<string>();
  /** Watches that hooks asked for and that have not begun. */
  readonly beginning = new Set<Promise<void>>();
  /** Undone when it ends: a subscriber, listeners. */
  readonly cleanups: (() => unknown)[] = [];
  /** Called once its scope is no longer its own: from then on another may have its id. */
  free: () => unknown = () => undefined;
  /** Called with every new path that hooks ask to have watched; absent: none are watched. */
  readonly onWatchPaths: CoreOptions['onWatchPaths'];
  #cwd: string;
  #model: string | undefined;
  #title: string | undefined;
  #promptId: string | undefined;
  #continuations = 0;
  #isOpen = true;
  #stopping: Promise<unknown> | undefined;
  #ending: Promise<unknown> | undefined;
  #over: LoopEnd | undefined;
  #mode: string | undefined;
  #dead: { readonly reason: unknown; readonly why: string } | undefined;
  #turn = turnController();

  constructor(deps: SessionDeps, who: Identity, how: CoreOptions) {
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

  /** A child without its own mode has its parent's, also when that changes. */
  get mode(): string {
    return this.#mode ?? this.parent?.mode ?? 'default';
  }
  changeMode(mode: string): void {
    if (this.#mode === undefined && this.parent) this.parent.changeMode(mode);
    else this.#mode = mode;
  }

  /** Aborts when the turn is interrupted, the session's own signal fires, or it closes. Read it once a piece of work. */
  get signal(): AbortSignal {
    return this.#turn.signal;
  }

  /** The session's signal has fired, or the host closed: nothing runs any more. */
  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** That something was interrupted, and why where nothing runs any more. */
  cutText(what: string): string {
    const why = this.deps.host.closed ? 'the host is closed' : this.#dead?.why;
    return why === undefined ? `${what} was interrupted.` : `${what} was interrupted: ${why}.`;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }
  /** From now on it takes no more calls. */
  shut(): void {
    this.#isOpen = false;
  }

  /** Throws SESSION_CLOSED unless it is open. */
  demand(call: string): void {
    if (this.#isOpen) return;
    throw new HookscopeError('SESSION_CLOSED', { session: this.who.session_id, agent: this.who.agent_id, call });
  }

  /** Throws CLOSED once the host is closed: what is registered then would never run. */
  demandHost(): void {
    if (this.deps.host.closed) throw new HookscopeError('CLOSED', {});
  }

  /** Why the loop is over before its stop event. */
  get over(): LoopEnd | undefined {
    return this.#over;
  }

  get promptId(): string | undefined {
    return this.#promptId;
  }
  /** A prompt that is not part of the loop. */
  beside(promptId: string): void {
    this.#promptId = promptId;
  }

  /** A new prompt: no continuations, and nothing has ended the loop. */
  begin(promptId: string): void {
    this.#promptId = promptId;
    this.#continuations = 0;
    this.#over = this.dead ? 'interrupted' : undefined;
  }

  /** Continuations of the stop loop, in a row. */
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
    return this.#stopping;
  }
  /** A second request waits for the stop under way. */
  stop<T>(run: () => Promise<T>): Promise<T> {
    this.#stopping ??= run().finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping as Promise<T>;
  }

  get isEnding(): boolean {
    return this.#ending !== undefined;
  }
  /** It ends once: a second request waits for the same end. */
  end<T>(run: () => Promise<T>): Promise<T> {
    this.#ending ??= run();
    return this.#ending as Promise<T>;
  }

  /** Ends the loop. The first reason stays, unless the loop is interrupted. */
  endLoop(why: LoopEnd): void {
    if (why === 'interrupted') this.#over = why;
    else this.#over ??= why;
  }

  /** A model turn with calls: a loop that only waited for a deferred call continues with it. */
  resume(): void {
    if (this.#over === 'deferred') this.#over = undefined;
  }

  /** Fires an event as this session: its own fields around the event's. Rejects as `host.fire` does. */
  fire<E extends EventName>(event: E, own: Fields, how: FireSettings = { signal: this.signal }): Promise<Decision<E>> {
    let input: Fields;
    try {
      input = this.#input(event, own);
    } catch (error) {
      return Promise.reject(unreadable(event, error));
    }
    // It asks about every call, and does what is decided itself.
    const ours: FireSettings = { everyTool: true, doneBy: 'session', traced: this.traced, ...how };
    return this.deps.fire(event, input, ours) as Promise<Decision<E>>;
  }

  /** A call of this session or agent, as alarms know it. */
  use({ id, name }: { readonly id: string; readonly name: string }): ToolUse {
    const { session_id: session, agent_id: agent } = this.who;
    return { session, agent, id, tool: name, scope: agent ?? 'session', every: true };
  }

  /** Ends what runs in this turn; a new prompt begins another. */
  interrupt(reason: unknown): void {
    this.endLoop('interrupted');
    const turn = this.#turn;
    if (this.#dead === undefined) this.#turn = turnController();
    for (const child of this.children) child.interrupt(reason);
    turn.abort(reason);
  }

  /** Ends this turn and every one to come; `why` is told to whoever still calls. */
  kill(reason: unknown, why: string): void {
    if (this.#dead !== undefined) return;
    this.#dead = { reason: reason ?? new DOMException('The session was aborted', 'AbortError'), why };
    this.interrupt(this.#dead.reason);
    for (const child of this.children) child.kill(reason, why);
  }

  /** The key order is the wire's. */
  #input(event: string, own: Fields): Fields {
    const { who } = this;
    const inTurn = this.deps.spec(event)?.inTurn === true;
    // Field by field: a literal that is spread into, or that loses fields again, is many times slower.
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

/** One turn's signal; any number of calls listen to it. */
function turnController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  // Every fire of the turn links to it: with this permanent link, none needs its own listener.
  linkAbort(controller.signal, { end: () => undefined });
  return controller;
}

/** The event was not decided because the session's turn, or its host, ended. */
export function wasCut(error: unknown): boolean {
  return isHookscopeError(error) && (error.code === 'ABORTED' || error.code === 'CLOSED');
}
