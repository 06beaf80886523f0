import type { CustomEvents, NoEvents } from '../events/catalogue.js';
import { checkRegisterOptions } from '../host/options.js';
import type { Plugin, UseOptions } from '../host/plugin-types.js';
import { oneHook } from '../host/register/handle.js';
import type { Decision } from '../host/types.js';
import { takeSystemPrompt } from './context.js';
import type { Core } from './core.js';
import { exposeCore } from './inner.js';
import { checkSession, checkSpawn } from './keys.js';
import type { PermissionMode, SessionOptions, SpawnOptions } from './options.js';
import { allUnderWay, closeAgent, closeSession, interruptSession } from './steps/close.js';
import { runCompact } from './steps/compact.js';
import { elicit } from './steps/elicit.js';
import { openCore, type SessionsOf, spawnCore } from './steps/open.js';
import { runPrompt } from './steps/prompt.js';
import { runStop } from './steps/stop.js';
import { checkStop } from './steps/stop-event.js';
import { tellIdle, tellTask } from './steps/team.js';
import { display, notify, switchModel } from './steps/turn.js';
import { watchPaths } from './steps/watch.js';
import {
  addDirectory,
  changeCwd,
  configChanged,
  createWorktree,
  instructionsLoaded,
  removeWorktree,
} from './steps/workspace.js';
import { endBatch, runBatch } from './tool/batch.js';
import type { ToolCall } from './tool/call.js';
import { checkMode } from './tool/modes.js';
import { runTool } from './tool/tool.js';
import { treeOf } from './tree.js';
import type { Session } from './types.js';

/** A host's sessions. */
export interface Sessions<C extends CustomEvents = NoEvents> {
  open(options: SessionOptions<C> | undefined): Promise<Session<C>>;
  /** Called when the host closes: ends what runs in all sessions, each call with its record, and all watching. */
  abandon(): Promise<void>;
}

export function createSessions<C extends CustomEvents>(of: Omit<SessionsOf, 'open'>): Sessions<C> {
  const open = new Map<string, Core>();
  return {
    async open(options = {}) {
      checkSession(options);
      if (options.permission_mode === undefined)
        checkMode('createHost: session.permission_mode', of.defaults.permission_mode);
      const { core, started } = await openCore({ ...of, open }, options);
      return facade<C>(core, started, options.endTimeout);
    },
    async abandon() {
      const cores = [...open.values()];
      const calls = cores.flatMap(allUnderWay).flatMap(({ work }) => work);
      for (const core of cores) core.kill(new DOMException('The host closed', 'AbortError'), 'the host is closed');
      await Promise.allSettled(calls);
      for (const cleanup of cores.flatMap(treeOf).flatMap((core) => core.cleanups.splice(0))) await cleanup();
      for (const core of cores.flatMap(treeOf)) core.traced?.end();
      open.clear();
    },
  };
}

/** The public object for a core; every member delegates. */
function facade<C extends CustomEvents>(core: Core, started: Session['started'], endTimeout?: number): Session<C> {
  const { session_id, agent_id, agent_type } = core.who;
  const ref = agent_id === undefined ? { session: session_id } : { session: session_id, agent: agent_id };
  const { registrar } = core.deps;
  const close = (reason = 'other') => (core.parent ? closeAgent(core) : closeSession(core, reason, endTimeout));
  const session: Session<C> = {
    id: agent_id ?? session_id,
    session_id,
    agent_id,
    agent_type,
    started,
    initialUserMessage: started.initialUserMessage,
    get prompt_id() {
      return core.promptId;
    },
    get cwd() {
      return core.cwd;
    },
    get directories() {
      return [...core.directories];
    },
    get model() {
      return core.model;
    },
    get title() {
      return core.title;
    },
    get watchPaths() {
      return [...core.watchPaths];
    },
    get closed() {
      return !core.isOpen;
    },
    get permission_mode() {
      return core.mode as PermissionMode;
    },
    set permission_mode(mode) {
      checkMode('session.permission_mode', mode ?? null);
      core.changeMode(mode);
    },
    register(hooks, options) {
      core.demandScope('register');
      checkRegisterOptions(options, 'register');
      return registrar.register(ref, hooks, options);
    },
    on(event, hook, options) {
      core.demandScope('on');
      return registrar.register(ref, oneHook(event, hook, options));
    },
    async use(plugin: Plugin, ...[options, how]: [unknown?, UseOptions?]) {
      core.demandScope('use');
      return registrar.use(ref, plugin, options, how);
    },
    async fire(event, input) {
      core.demand('fire');
      return core.fire(event as never, input) as Promise<Decision<never>>;
    },
    prompt: (text, options = {}) => runPrompt(core, text, options),
    systemPrompt: (base) => takeSystemPrompt(core, base),
    pendingContext: () => [...core.scope.pending],
    tool: (call) => runTool(core, call as ToolCall),
    toolBatch: (calls) => runBatch(core, calls),
    endBatch: (calls, results) => endBatch(core, calls, results),
    async stop(options = {}) {
      checkStop(options);
      return runStop(core, options);
    },
    async spawn(options: SpawnOptions<C>) {
      checkSpawn(options);
      const spawned = await spawnCore(core, options);
      return facade<C>(spawned.core, spawned.started);
    },
    compact: (options) => runCompact(core, options),
    notify: (fields) => notify(core, fields),
    switchModel: (to) => switchModel(core, to),
    task: {
      create: (fields) => tellTask(core, 'create', fields),
      complete: (fields) => tellTask(core, 'complete', fields),
    },
    teammate: { idle: (fields) => tellIdle(core, fields) },
    elicit: (options) => elicit(core, options),
    changeCwd: (directory) => changeCwd(core, directory),
    addDirectory: (directory, source = 'slash_command') => addDirectory(core, directory, source),
    worktree: {
      create: (name, make) => createWorktree(core, name, make),
      remove: (path) => removeWorktree(core, path),
    },
    display: (fields) => display(core, fields),
    configChanged: (fields) => configChanged(core, fields),
    instructionsLoaded: (fields) => instructionsLoaded(core, fields),
    async watch(paths) {
      core.demand('watch');
      await watchPaths(core, paths);
    },
    interrupt: () => interruptSession(core),
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
    },
  };
  exposeCore(session, core);
  return session;
}
