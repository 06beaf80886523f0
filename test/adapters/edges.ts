import { expect } from 'vitest';
import type { Session } from '../../src/session/types.js';
import { names, type Opened, on, opened } from '../session/kit.js';

/** What a tool may throw that says nothing. */
export const THROWN = ['gone', undefined, null, 7, { code: 'E' }];

/** What a tool may answer, and JSON cannot carry. */
export const UNCARRIED: Readonly<Record<string, () => unknown>> = {
  'a bigint': () => ({ count: 3n }),
  'a circle': () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    return circle;
  },
  'a getter that throws': () => ({
    get text() {
      throw new Error('not yours');
    },
  }),
  'what is nested too deeply': () => {
    let deep = {};
    for (let i = 0; i < 5000; i++) deep = { deep };
    return deep;
  },
  'a symbol': () => Symbol('text'),
};
/** What the model reads of it. */
export const WITHHELD = /^\[the tool's response was withheld/;

export const deny = () => ({ decision: 'block' as const, reason: 'never' });

/** Whether an agent that was interrupted is gone, with its scope and its hooks. */
export const ended = {
  hooks: () => ({ Notification: [{ name: 'of the agent', hooks: [() => undefined] }] }),
  async check({
    host,
    session,
    seen,
    agent,
  }: Pick<Opened, 'host' | 'session' | 'seen'> & { agent: Session | undefined }) {
    expect(names(seen).filter((name) => name.startsWith('Subagent'))).toEqual(['SubagentStart']);
    const asked: unknown[] = [];
    host.events$.subscribe((record) => record.type === 'hook_fire' && asked.push(record));
    const input = { session_id: session.id, agent_id: agent?.id, message: 'Hi', notification_type: 'idle' };
    await host.fire('Notification', input as never);
    expect(asked).toMatchObject([{ scope_known: false, out_of_scope: 0 }]);
    expect(JSON.stringify(asked)).not.toContain('of the agent');
  },
};

/** A session that denies every call, and what of its tool has run all the same. */
export async function denying() {
  const all = await opened();
  on(all.host, 'PreToolUse', deny);
  const ran: string[] = [];
  return { ...all, ran };
}

/** Two sessions of a host, of which the first denies every call; and a tool that takes long enough for both to be under way. */
export async function twoSessions() {
  const all = await opened();
  const other = await all.host.openSession({ permission: () => ({ behavior: 'allow' }) });
  all.session.on('PreToolUse', deny);
  const ran: string[] = [];
  const slowly = async (path: string): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    ran.push(path);
    return path;
  };
  return { ...all, other, ran, slowly };
}
