import { randomUUID } from 'node:crypto';
import { HookscopeError } from '../../errors.js';
import type { CustomEvents, NoEvents } from '../../events/catalogue.js';
import type { SessionFields } from '../../host/fire/input.js';
import type { Plugin, UseOptions } from '../../host/plugin-types.js';
import { HooksOfStart } from '../../host/register/lives.js';
import type { Decision, Hooks } from '../../host/types.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeRef } from '../../scopes/tree.js';
import { noteTexts, remember, untilWatched } from '../context.js';
import { Core, type CoreOptions } from '../core.js';
import type { SessionDeps } from '../deps.js';
import { inherit, type PluginUse, type SessionOptions, type SessionSettings, type SpawnOptions } from '../options.js';
import { closeAgent, leave } from './close.js';
import { watchForHooks } from './watch.js';
import { instructionsLoaded } from './workspace.js';

/** What opening sessions needs: the host's parts, the session's own fields, and the open sessions by id. */
export interface SessionsOf {
  readonly deps: SessionDeps;
  readonly defaults: SessionFields & { readonly session_id: string };
  readonly open: Map<string, Core>;
}

/** Opens a session: first its scope and hooks, then Setup (if wanted), SessionStart and InstructionsLoaded. */
export async function openCore<C extends CustomEvents = NoEvents>(
  { deps, defaults, open }: SessionsOf,
  options: SessionOptions<C>,
): Promise<{ core: Core; started: Decision<'SessionStart'>; initialUserMessage: string | undefined }> {
  const session_id = options.session_id ?? (open.has(defaults.session_id) ? randomUUID() : defaults.session_id);
  if (open.has(session_id)) throw new HookscopeError('SESSION_OPEN', { session: session_id });
  if (options.signal?.aborted) throw unopened('SessionStart', spent('openSession'), options.signal.reason);
  const { agent_type } = options;
  const transcript_path = options.transcript_path ?? defaults.transcript_path ?? '';
  const settings = inherit(options, undefined);
  const core = new Core(
    deps,
    { session_id, transcript_path, agent_type },
    {
      scope: deps.registrar.agents.openForSession({ session: session_id }, {}),
      settings,
      cwd: options.cwd ?? defaults.cwd ?? process.cwd(),
      model: options.model,
      title: options.session_title,
      onWatchPaths: watcherOf(settings),
      mode: options.permission_mode ?? defaults.permission_mode,
    },
  );
  open.set(session_id, core);
  deps.byHand.opens(session_id);
  core.free = () => open.delete(session_id);
  closeOnAbort(core, options.signal);
  const undos: StartUndos = [];
  const texts = noteTexts(core);
  const takeBack = (): Promise<unknown> =>
    Promise.all([...undoAll(undos), deps.registrar.notStarted(core.scope, texts())]);
  const enter = async () => {
    await install(core, { session: session_id }, options, undos);
    if (options.setup) remember(core, await core.fire('Setup', { trigger: options.setup }));
    const { source = 'startup', model, session_title, resumed } = options;
    const started = await core.fire('SessionStart', { source, model, session_title, ...resumed });
    remember(core, started);
    for (const loaded of options.instructions ?? []) await instructionsLoaded(core, loaded);
    await untilWatched(core);
    texts();
    return { core, started, initialUserMessage: started.initialUserMessage };
  };
  return await orLeave(core, enter, takeBack);
}

/** Opens an agent: its scope and hooks, then SubagentStart, whose context is for the agent. */
export async function spawnCore<C extends CustomEvents = NoEvents>(
  from: Core,
  options: SpawnOptions<C>,
): Promise<{ core: Core; started: Decision<'SubagentStart'> }> {
  from.demand('spawn');
  const { agent_type, agent_transcript_path } = options;
  if (typeof agent_type !== 'string')
    throw new HookscopeError('INVALID_OPTIONS', { where: 'spawn.agent_type', expected: 'expected a string' });
  const parent = parentOf(from, options.parent);
  const { session_id, transcript_path } = from.who;
  const agent_id = options.id ?? `a${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  if (from.agents.has(agent_id)) throw new HookscopeError('SESSION_OPEN', { session: session_id, agent: agent_id });
  if (options.signal?.aborted) throw unopened('SubagentStart', spent('spawn'), options.signal.reason);
  if (parent.over === 'interrupted')
    throw unopened('SubagentStart', `${parent.cutText('The turn that it would work for')} ${mendOf(parent)}`);
  const ref = { session: session_id, agent: agent_id };
  const above = parent.who.agent_id === undefined ? undefined : { session: session_id, agent: parent.who.agent_id };
  const settings = inherit(options, parent.settings);
  const { byHand, registrar } = from.deps;
  const waited = byHand.waitFor(ref);
  if (registrar.agents.isTaken(ref)) registrar.check(ref, options.hooks, (options.plugins ?? []).map(usedAs));
  const core = new Core(
    from.deps,
    { session_id, transcript_path, agent_id, agent_type, agent_transcript_path },
    {
      parent,
      scope: registrar.agents.openForSession(ref, { parent: above, agentType: agent_type }),
      settings,
      cwd: options.cwd ?? parent.cwd,
      model: options.model ?? parent.model,
      onWatchPaths: watcherOf(settings),
      mode: options.permission_mode,
    },
  );
  byHand.spawns(core.scope, agent_type, waited);
  parent.children.add(core);
  from.agents.set(agent_id, core);
  core.free = () => from.agents.delete(agent_id);
  closeOnAbort(core, options.signal);
  const undos: StartUndos = [];
  const given = new HooksOfStart();
  const setAside = (below: readonly Scope[]): void => registrar.agents.failing(core.scope, given, below);
  const takeBack = (): Promise<unknown> => Promise.all([...undoAll(undos), registrar.agents.notStarted(core.scope)]);
  const enter = async () => {
    await install(core, ref, options, undos, given);
    const started = await core.fire('SubagentStart', {});
    remember(core, started);
    registrar.agents.started(core.scope);
    return { core, started };
  };
  const entering = orLeave(core, enter, takeBack, setAside);
  // Tracked, so that closing the parent waits for the start.
  return await core.calls.during(entering, agent_type, agent_id);
}

const unopened = (event: string, why: string, cause?: unknown): HookscopeError =>
  new HookscopeError('ABORTED', { event, unopened: { why } }, { cause });

/** The advice for when a parent cannot spawn an agent now. */
function mendOf(parent: Core): string {
  if (parent.deps.host.closed) return 'Create a new host';
  if (!parent.dead) return 'Spawn it in the next turn';
  return rootOf(parent).dead
    ? 'Open another session'
    : 'Spawn it from the session, or from an agent whose signal has not aborted';
}

function rootOf(core: Core): Core {
  let root = core;
  while (root.parent) root = root.parent;
  return root;
}

const spent = (call: string): string =>
  `the signal of ${call}() had already aborted. Give it one that has not, of a new AbortController, or none`;

/** The parent of a new agent. One that is named must be open in this session. */
function parentOf(from: Core, named: SpawnOptions['parent']): Core {
  if (named === undefined) return from;
  const id = typeof named === 'string' ? named : named.id;
  const session = from.who.session_id;
  const parent = id === session ? rootOf(from) : from.agents.get(id);
  if (!parent) throw new HookscopeError('SESSION_CLOSED', { session, agent: id, call: 'spawn' });
  parent.demand('spawn');
  return parent;
}

async function install<C extends CustomEvents>(
  core: Core,
  ref: ScopeRef,
  { hooks, plugins = [] }: { hooks?: Hooks<C> | undefined; plugins?: readonly PluginUse[] | undefined },
  undos: StartUndos,
  given = new HooksOfStart(),
): Promise<void> {
  const { registrar } = core.deps;
  if (hooks) undos.push(registrar.register(ref, hooks, { given }));
  for (const use of plugins) {
    const [plugin, options, how] = usedAs(use);
    const start = { given, signal: core.signal };
    undos.push(await registrar.use(ref, plugin, options, how, undefined, undefined, start));
  }
}

const usedAs = (use: PluginUse) => (Array.isArray(use) ? use : [use]) as [Plugin, unknown?, UseOptions?];

/** Undo functions for what a session or agent was given at its start. */
type StartUndos = (() => unknown)[];

const undoAll = (undos: StartUndos): unknown[] => undos.reverse().map((undo) => undo());

/**
 * Enters. If that fails, nothing of the core is left: `takeBack` removes its own hooks; those that others registered in its scope stay.
 * `setAside`: until its children are closed, its own hooks are kept for them only.
 */
async function orLeave<T>(
  core: Core,
  enter: () => Promise<T>,
  takeBack: () => Promise<unknown>,
  setAside?: (below: readonly Scope[]) => void,
): Promise<T> {
  try {
    return await enter();
  } catch (error) {
    core.shut();
    // A core may already have spawned agents while it was starting.
    if (core.children.size > 0) {
      const children = [...core.children];
      setAside?.(children.map(({ scope }) => scope));
      await Promise.allSettled(children.map(closeAgent));
    }
    // `takeBack` is called at once, because an earlier agent in this scope may go on while plugins clean up.
    await leave(core, takeBack());
    throw error;
  }
}

function watcherOf({ watch }: SessionSettings): CoreOptions['onWatchPaths'] {
  if (watch === false) return undefined;
  return watchForHooks;
}

function closeOnAbort(core: Core, signal: AbortSignal | undefined): void {
  if (!signal) return;
  const abort = (): void => core.kill(signal.reason, `the ${core.parent ? "agent's" : "session's"} signal has aborted`);
  signal.addEventListener('abort', abort, { once: true });
  core.cleanups.push(() => signal.removeEventListener('abort', abort));
}
