import { on, opened } from '../session/kit.js';

/** What a tool may throw that says nothing. */
export const THROWN = ['gone', undefined, null, 7, { code: 'E' }];

export const deny = () => ({ decision: 'block' as const, reason: 'never' });

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
