import { randomUUID } from 'node:crypto';
import type { AgentSupport } from './agents/supports.js';
import type { Sayable } from './agents/table.js';
import { type Bus, createBus } from './emit/bus.js';
import { warnMasked } from './emit/redact/total.js';
import { HookscopeError } from './errors.js';
import type { CustomEvents, EventName, FireInput, HookInput, NoEvents } from './events/catalogue.js';
import { createExternalServices } from './handlers/external.js';
import { Alarms } from './host/alarms/alarms.js';
import { reopened } from './host/alarms/use.js';
import { Background } from './host/call/background.js';
import { Clock } from './host/call/clock.js';
import { createSpill } from './host/call/large-output.js';
import { closeHost } from './host/close.js';
import type { HostCore } from './host/core.js';
import { eventSpecs, eventState } from './host/fire/event-states.js';
import { fire } from './host/fire/fire.js';
import type { FireOptions } from './host/fire-options.js';
import { createHook, type RawHook } from './host/hooks.js';
import { expose } from './host/internals.js';
import {
  checkFireOptions,
  checkHostOptions,
  checkRegisterOptions,
  checkScopeRef,
  type HostOptions,
} from './host/options.js';
import { PlanStore } from './host/plan/plans.js';
import { PluginHost } from './host/plugin-host.js';
import type { HookScope } from './host/plugin-types.js';
import { handleOf } from './host/register/handle.js';
import { warnOfSession } from './host/register/names/misnamed-agent.js';
import { isLong, tooLong } from './host/register/register.js';
import { Registrar } from './host/register/registrar.js';
import { type EventState, hooksOf, tapsOfAll } from './host/services.js';
import { describeScope } from './host/tell/describe.js';
import { type ExplainOptions, type Explanation, explain } from './host/tell/explain.js';
import { HostLogger } from './host/tell/logger.js';
import { Notices } from './host/tell/notices.js';
import { refusalError } from './host/tell/refused.js';
import type { AgentHooks, Decision, Hooks, RegisterOptions, Undo } from './host/types.js';
import { type ScopeRef, ScopeTree } from './scopes/tree.js';
import { HooksByHand } from './session/by-hand.js';
import type { SessionDeps } from './session/deps.js';
import type { SessionOptions } from './session/options.js';
import { createSessions } from './session/session.js';
import type { Session } from './session/types.js';
import { MOST_BYTES } from './values/copies/copy.js';
import { describeError } from './values/message.js';
import { nearest } from './values/nearest.js';
import { checkKeys, type Keys } from './values/options.js';
import { asName } from './values/shape.js';
import { tell } from './values/waiting/promises.js';

/** The plugin host. See the members; everything is safe to call at any time before `close`. */
export interface Host<C extends CustomEvents = NoEvents> extends HookScope<C>, AsyncDisposable {
  /** Fires an event. Rejects for an unknown event, wrong options, invalid input, the caller's abort and a closed host, and for nothing else. */
  fire<E extends EventName<C>>(event: E, input: FireInput<E, C>, options?: FireOptions): Promise<Decision<E, C>>;
  /** As `fire`, for an event whose name is known only at run time. What the event's fold adds to the decision is there to look for: `'verdict' in decision`, `'blocked' in decision`, `'continues' in decision`, `'value' in decision`. */
  fireAny(event: string, input: Readonly<Record<string, unknown>>, options?: FireOptions): Promise<Decision>;
  /**
   * Which handlers would run for this input, in which order and wave, and why the others would not. No handler, raw tap or function that makes hooks
   * (`spawnHooks`) is called, and no scope is opened or changed. What decides who would run is asked as in a fire: predicates, the `subject` function of an
   * event of your own, the input's own getters, and whether files are as they were accepted. So give predicates no state. The input need not be whole. Throws UNKNOWN_EVENT.
   */
  explain(event: EventName<C>, input: Readonly<Record<string, unknown>>, options?: ExplainOptions): Explanation;
  /** Adds hooks for one agent, opening its scope if it is not open. `parent` is an agent of the same session. Throws INVALID_HOOKS, INVALID_OPTIONS, UNKNOWN_SCOPE (the parent), SCOPE_CONFLICT, CLOSED. */
  registerScoped(id: ScopeRef, hooks: Hooks<C>, options?: RegisterOptions & { parent?: ScopeRef }): Undo;
  /** Ends a scope and its children; false: it was not open. */
  unregisterScoped(id: ScopeRef): boolean;
  /** The scope of that name. It is opened by the first thing registered in it. */
  scope(id: ScopeRef): HookScope<C>;
  /**
   * Hooks for every agent of an exact type, in its own scope from before its SubagentStart to after its SubagentStop. A function is called once for each agent
   * and makes its hooks, with state for that agent; if it throws, every gate of that agent fails, under `onFailure`: pass `{ onFailure: 'block' }` to have them
   * deny. After the undo no further agent gets them; living agents that have them keep them until they end.
   */
  spawnHooks(agentType: string, hooks: AgentHooks<C>, options?: RegisterOptions): Undo;
  /** HookStarted, HookProgress and HookResponse of each call, one fire record per fire, alarms, and problems of control connections. */
  readonly events$: Bus['events$'];
  /** The event's own tapable hook; hookscope's plan is one tap in it. */
  readonly hooks: { readonly [E in EventName<C>]: RawHook<HookInput<E, C>> };
  /** What background hooks have said for the model and the scope's next turn has not taken yet; a copy. */
  pendingContext(scope?: ScopeRef): string[];
  /** As `pendingContext`, and takes the texts, so that the model gets them once. A session takes them itself. */
  takeContext(scope?: ScopeRef): string[];
  /** Opens a session: the driver of one agent loop, which fires every event at its place. Setup (if asked), SessionStart and InstructionsLoaded are fired before it resolves. Rejects with SESSION_OPEN, INVALID_HOOKS, INVALID_PLUGIN, PLUGIN_FAILED, ABORTED. */
  openSession(options?: SessionOptions<C>): Promise<Session<C>>;
  /**
   * Closes the host; resolves with the names of hooks that it had to cancel. Open sessions end without a SessionEnd: close them first. From this call on,
   * whoever fires an event or registers hooks gets CLOSED, hooks that are still running included.
   */
  close(): Promise<{ pending: string[] }>;
  /** Whether a decision on an event can be told an agent (`codex`, `copilot`, `gemini`, `cursor`, `claude-code`), and how. `event`: the agent's own name, or hookscope's. Rejects with INVALID_OPTIONS for an agent or a thing to say that is not known. */
  supports(agent: string, event: string, what: Sayable): Promise<AgentSupport>;
  /** How many records were built so far: none while there is no subscriber. */
  readonly recordsBuilt: number;
  readonly maxStopContinuations: number;
}

/** Creates a host. Throws INVALID_OPTIONS. */
export function createHost<const C extends CustomEvents = NoEvents>(options: HostOptions<C> = {}): Host<C> {
  checkHostOptions(options);
  const session_id = options.session?.session_id ?? randomUUID();
  const session = { transcript_path: '', cwd: process.cwd(), ...options.session, session_id };
  const logger = new HostLogger(options.logger, undefined, warnMasked);
  const { report } = logger;
  if (isLong(options.timeout)) report(tooLong('timeout', options.timeout));
  const tree = new ScopeTree(session_id, options.session?.session_id === undefined);
  const merge = options.merge ?? 'lineage';
  const plans = new PlanStore(tree, merge);
  const bus = createBus({ logger: report, tracing: options.tracing });
  const clock = new Clock();
  const background = new Background();
  let closing: Promise<{ pending: string[] }> | undefined;
  const entries = eventSpecs(options.events, report);
  const states = new Map([...entries].map(([name, spec]) => [name, eventState(spec, plans.of(spec))]));
  const external = createExternalServices(options);
  const registrar = new Registrar({
    tree,
    plans,
    options: options as HostOptions<CustomEvents>,
    report,
    specs: entries,
    external,
    reopened: ({ spec }, found, input, scope) => reopened({ services, input, found, options: { scope } }, spec.name),
  });
  const services: HostCore = {
    publicHost: () => host,
    clock,
    bus,
    background,
    largeOutput: createSpill(report),
    alarms: new Alarms({ bus, logger, onAlarm: options.onAlarm }),
    decisions: options.decisions ?? 'strictest',
    merge,
    unanswered: options.onFailure ?? 'continue',
    slowAfter: options.slowAfter ?? 0,
    maxInputBytes: options.maxInputBytes ?? MOST_BYTES,
    projectDir: options.session?.cwd,
    session,
    closed: false,
    events: Object.setPrototypeOf(Object.fromEntries(states), null),
    registrar,
    unknownEvent(given) {
      const event = asName(given);
      return new HookscopeError('UNKNOWN_EVENT', { event, nearest: nearest(event, entries.keys()) });
    },
    report,
    notices: new Notices(report),
    wake(wake) {
      const { onWake } = options;
      if (onWake)
        tell(
          () => onWake(wake),
          (error) => report(`onWake threw: ${describeError(error)}`),
        );
      else report(`${wake.handler} asks for the agent to be woken: ${wake.text}`);
    },
    revision: registrar.revision,
    outOfScope: (spec, planned, agentType) =>
      Math.max(0, plans.of(spec).total - planned) + registrar.waitingFor(spec.name, agentType),
  };

  const hookOf = (state: EventState): RawHook => {
    state.hook ??= createHook(
      state.spec,
      (name, callback, stage) => registrar.tap(state.spec, name, callback, stage),
      report,
    );
    return state.hook.raw;
  };
  const hooks = Object.create(null) as Record<string, RawHook>;
  for (const [name, state] of states)
    Object.defineProperty(hooks, name, { enumerable: true, get: () => hookOf(state) });
  /** What is thrown while a fire begins was thrown while its input was read. */
  const safely: SessionDeps['fire'] = (event, input, how) => {
    try {
      return fire(services, event, input, how);
    } catch (error) {
      return Promise.reject(refusalError(services, event, input, error, how));
    }
  };
  /** What is registered once nothing is fired any more would never run. */
  const demand = (): void => {
    if (services.closed) throw new HookscopeError('CLOSED', {});
  };
  const { maxStopContinuations = 8 } = options;
  const sessions = createSessions<C>({
    deps: {
      fire: safely,
      spec: (event) => entries.get(event),
      registrar,
      byHand: new HooksByHand(tree, report),
      clock,
      alarms: services.alarms,
      records: bus,
      hooksOf: (event, who) =>
        hooksOf(services.events[event] as EventState, registrar.agents.find({ ...who }, undefined).found),
      changes: () => plans.changes,
      maxStopContinuations,
      maxInputBytes: services.maxInputBytes,
      report,
      host: services,
    },
    defaults: session,
  });
  const fireAny: Host<C>['fireAny'] = (event, input, fireOptions) => {
    try {
      if (fireOptions !== undefined) checkFireOptions(fireOptions);
      return safely(event, input, fireOptions as FireOptions) as Promise<Decision>;
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const scopeHandle = (ref: ScopeRef): HookScope<C> => {
    checkScopeRef(ref, 'scope');
    warnOfSession(ref, report);
    return handleOf(registrar, ref, demand) as HookScope<C>;
  };
  const contextOf = (ref: ScopeRef | undefined, where: string): string[] => {
    if (ref !== undefined) checkScopeRef(ref, where);
    return tree.pending(ref);
  };
  const base = handleOf(registrar, undefined, demand) as HookScope<C>;
  const members: Omit<Host<C>, 'events$' | 'recordsBuilt'> = {
    id: 'host',
    register: base.register,
    use: base.use,
    on: base.on,
    fire: fireAny as Host<C>['fire'],
    fireAny,
    explain(event, input, how) {
      checkKeys(how, { scope: true } satisfies Keys<ExplainOptions>, 'explain: ');
      if (how?.scope !== undefined) checkScopeRef(how.scope, 'explain: scope');
      return explain(services, event, input, how);
    },
    registerScoped(id, scoped, how) {
      demand();
      checkScopeRef(id, 'registerScoped');
      warnOfSession(id, report);
      if (how?.parent !== undefined) checkScopeRef(how.parent, 'registerScoped: parent');
      return registrar.register(id, scoped, checkRegisterOptions(how, 'registerScoped', { parent: true }));
    },
    unregisterScoped(id) {
      checkScopeRef(id, 'unregisterScoped');
      if (typeof id === 'object' && id.agent === undefined) services.largeOutput.end(id.session ?? session_id);
      return registrar.end(id) !== undefined;
    },
    scope: scopeHandle,
    spawnHooks(type, scoped, how) {
      demand();
      return registrar.spawnHooks(type, scoped, checkRegisterOptions(how, 'spawnHooks'));
    },
    hooks: hooks as unknown as Host<C>['hooks'],
    pendingContext: (ref) => [...contextOf(ref, 'pendingContext')],
    takeContext: (ref) => contextOf(ref, 'takeContext').splice(0),
    describe: () => describeScope(tree.managed, registrar.spawnScopes(), registrar.makers(), tapsOfAll(services)),
    close() {
      services.closed = true;
      closing ??= closeHost({
        clock,
        background,
        bus,
        closeTimeout: options.closeTimeout ?? 5,
        lives: registrar.lives,
        sessions,
        servers: external.tools,
      })
        .finally(() => services.largeOutput.clear())
        .finally(() => logger.flush());
      return closing;
    },
    [Symbol.asyncDispose]: async () => void (await host.close()),
    openSession: (sessionOptions) => sessions.open(sessionOptions),
    // The tables of all agents are a separate chunk: most hosts never need them.
    supports: async (...asked) => (await import('./agents/supports.js')).supports(...asked),
    maxStopContinuations,
  };
  const host = new PluginHost(bus, members) as unknown as Host<C>;
  expose(host, services);
  return host;
}
