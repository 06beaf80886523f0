import { createHost, type Host } from '../create-host.js';
import type { FireRecord } from '../emit/fire-record.js';
import type { HookRecord } from '../emit/record.js';
import type { HostOptions } from '../host/options.js';
import { SESSION } from '../session/keys.js';
import type { SessionOptions } from '../session/options.js';
import type { ToolResult } from '../session/tool/call.js';
import type { Session } from '../session/types.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks } from '../values/shape.js';
import { story } from './fired.js';
import { noLogger, TEST_SESSION } from './tested.js';

/** Options of `testSession`: those of a session, and of its host. `permission_mode` defaults to `bypassPermissions`, so calls without a verdict run. */
export interface TestSessionOptions extends SessionOptions {
  readonly host?: HostOptions;
  /** The results of tools, by name, or functions of the input that return them. Default: `done`. */
  readonly tools?: Readonly<Record<string, unknown>>;
}

/** A session for a test, in a host of its own. Closing it ends the session and closes the host. */
export interface TestSession extends AsyncDisposable {
  readonly host: Host;
  readonly session: Session;
  readonly records: readonly HookRecord[];
  /** The names of the events fired so far, in order. Those of an agent begin with its id: `agent-1 PreToolUse`. */
  events(): string[];
  /** Everything that happened so far as text, without ids and times. */
  story(): string;
  /** Makes a tool call, by the session or by an agent from `session.spawn`. */
  call(name: string, input?: Readonly<Record<string, unknown>>, by?: Session): Promise<ToolResult>;
  /** Ends the session and closes the host. */
  close(): Promise<void>;
}

const OPTIONS: Keys<TestSessionOptions> = { ...SESSION, host: checks.object, tools: checks.object };

/** `bypassPermissions`, because there is no user to ask about a call without a verdict. */
const DEFAULTS = { watch: false, session_id: TEST_SESSION, permission_mode: 'bypassPermissions' } as const;

/**
 * Opens a session with plugins and hooks, for a test.
 *
 * ```ts
 * await using test = await testSession({ plugins: [[budget, { calls: 2 }]] });
 * const agent = await test.session.spawn({ agent_type: 'worker' });
 * await test.call('Bash', { command: 'ls' }, agent);
 * ```
 * @throws HookscopeError as `host.openSession`
 */
export async function testSession(options: TestSessionOptions = {}): Promise<TestSession> {
  checkKeys(options, OPTIONS, 'testSession: ');
  const { host: hostOptions, tools = {}, ...sessionOptions } = options;
  const host = createHost({ logger: noLogger, ...hostOptions });
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  const session = await host.openSession({ ...DEFAULTS, ...sessionOptions }).catch(async (error) => {
    await host.close();
    throw error;
  });
  const fires = (): FireRecord[] =>
    records.filter((record): record is FireRecord => record.type === 'hook_fire' && record.shadow_of === undefined);
  const close = async (): Promise<void> => {
    await session.close();
    await host.close();
  };
  return {
    host,
    session,
    records,
    events: () => fires().map(({ agent_id, event }) => (agent_id === undefined ? event : `${agent_id} ${event}`)),
    story: () => fires().map(story).join('\n'),
    call(name, input = {}, by = session) {
      const answer = Object.hasOwn(tools, name) ? tools[name] : 'done';
      const execute = async (given: unknown): Promise<unknown> =>
        typeof answer === 'function' ? answer(given) : answer;
      return by.tool({ name, input, execute });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
