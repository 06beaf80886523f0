import type { Host } from '../../src/create-host.js';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import type { HostOptions } from '../../src/host/options.js';
import type { SessionOptions } from '../../src/session/options.js';
import type { Session } from '../../src/session/types.js';
import { anyHooks, testHost } from '../host/kit.js';

export type Input = Readonly<Record<string, unknown>>;

/** One event as a hook got it. */
export interface Seen {
  readonly event: HookEvent;
  readonly input: Input;
}

/** Notes every event when its first hook is called; what it returns is the list it adds to. */
export function spy(host: Pick<Host, 'register'>): Seen[] {
  const seen: Seen[] = [];
  const groups = HOOK_EVENTS.map((event) => {
    const note = (input: Input, _id: unknown, { call }: { call: string }): void => {
      if (call === 'first') seen.push({ event, input: JSON.parse(JSON.stringify(input)) as Input });
    };
    return [event, [{ stage: -1000, name: 'spy', hooks: [note] }]];
  });
  host.register(anyHooks(Object.fromEntries(groups)));
  return seen;
}

/** `PreToolUse:Bash`, `Stop`: what happened, by scope: an agent's id, or `main`. */
export function byScope(seen: readonly Seen[]): Record<string, string[]> {
  const scopes: Record<string, string[]> = {};
  for (const { event, input } of seen) {
    const scope = String(input['agent_id'] ?? 'main');
    const list = scopes[scope] ?? [];
    scopes[scope] = list;
    list.push(label(event, input));
  }
  return scopes;
}

function label(event: HookEvent, input: Input): string {
  const subject = CATALOGUE[event].namedBySubject ? CATALOGUE[event].subject?.(input as never) : undefined;
  return subject === undefined || subject === input['agent_type'] ? event : `${event}:${subject}`;
}

/** The names of the events alone, in order. */
export const names = (seen: readonly Seen[]): string[] => seen.map(({ event }) => event);

export interface Opened {
  readonly host: Host;
  readonly session: Session;
  readonly seen: Seen[];
  readonly reports: string[];
}

/** A host with a spy and one session, in which every call is allowed unless the options say otherwise. */
export async function opened(options: SessionOptions = {}, hostOptions: HostOptions = {}): Promise<Opened> {
  const { host, reports } = testHost(hostOptions);
  const seen = spy(host);
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' }), ...options });
  return { host, session, seen, reports };
}

/** Registers hooks of one event. */
export function on(host: Pick<Host, 'register'>, event: HookEvent, ...hooks: unknown[]): void {
  host.register(anyHooks({ [event]: [{ hooks }] }));
}
