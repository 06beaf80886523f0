import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../../create-host.js';
import { eventName } from '../../events/catalogue.js';
import type { AnyDecision } from '../../host/decide/decision.js';
import { servicesOf } from '../../host/internals.js';
import type { ScopeRef } from '../../scopes/tree.js';
import { agentOf, roleOf } from '../../why/about.js';
import { type EventPlace, happeningOf } from '../host/claude-flags.js';
import { atPlace, type HostFlags, openHost } from '../host/open-host.js';
import { partOfCaller } from '../host/part-of-caller.js';
import { unknownEvent } from '../host/unknown-event.js';
import type { Flags } from '../options.js';
import { redactorFor } from '../redact.js';
import { type Terminal, unlessInterrupted } from '../terminal.js';
import { type RecordedEvent, type RecordedSession, readSession } from './session-file.js';
import { jsonLines, liveLines } from './show.js';
import { RunSummary } from './summary.js';

type RunFlags = HostFlags & Flags<'speed' | 'json' | 'redact'>;

export async function runCommand(files: readonly string[], flags: RunFlags, terminal: Terminal): Promise<number> {
  const { speed } = flags;
  const sessions = await unlessInterrupted(terminal, Promise.all(files.map(readSession)));
  for (const note of sessions.flatMap(({ notes }) => notes)) terminal.tell(note);
  const { host } = await unlessInterrupted(
    terminal,
    openHost(flags, {
      executes: true,
      tell: terminal.tell,
      shown: true,
      happening: whatHappens(sessions),
    }),
  );
  // Recorded calls obeyed the hooks of their time. If the present hooks would deny one, that is shown but is no alarm.
  servicesOf(host).alarms.replays();
  partOfCaller(host);
  const summary = new RunSummary();
  const redactor = redactorFor(flags);
  const mask = (text: string): string => redactor?.text(text) ?? text;
  const show = flags.json ? jsonLines(terminal) : liveLines(host, terminal, sessions, summary, mask);
  host.events$.subscribe((told) => {
    const record = redactor?.redact(told) ?? told;
    if (record.type === 'hook_fire') summary.add(record, agentOf(record));
    show.record(record);
  });
  try {
    for (const session of sessions) {
      await show.session(session);
      await replay(host, session, { speed, terminal, before: show.event });
    }
  } finally {
    show.end();
    const { pending } = await host.close();
    if (pending.length > 0) terminal.tell(`still running at the end, and cancelled: ${pending.join(', ')}`);
  }
  await show.summary(summary);
  return 0;
}

/** Where the sessions begin, and which agent is their main thread. */
function whatHappens(sessions: readonly RecordedSession[]): EventPlace {
  const all = sessions.flatMap(({ events }) => events.map(({ input }) => happeningOf(input)));
  return { cwd: all[0]?.cwd, mainAgent: all.find(({ mainAgent }) => mainAgent !== undefined)?.mainAgent };
}

interface Replay {
  /** How many times as fast as the original; absent: without waiting. */
  readonly speed: number | undefined;
  readonly terminal: Terminal;
  before(event: RecordedEvent): Promise<void>;
}

/** Fires a session's events one after the other, and keeps its agents' scopes. */
async function replay(host: Host, session: RecordedSession, { speed, terminal, before }: Replay): Promise<void> {
  const open = new Set<string>();
  const began = performance.now();
  for (const recorded of session.events) {
    if (speed !== undefined) await until(began + recorded.at / speed, terminal.signal);
    if (terminal.signal.aborted || terminal.gone) break;
    await before(recorded);
    await fireRecorded(host, recorded, open, terminal.signal);
  }
  for (const ref of open) host.unregisterScoped(JSON.parse(ref) as ScopeRef);
}

async function fireRecorded(
  host: Host,
  recorded: RecordedEvent,
  open: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const { input, place } = recorded;
  const event = eventName(recorded.event, Object.keys(host.hooks));
  if (event === undefined) throw atPlace(place, unknownEvent(recorded.event, host));
  const role = roleOf(event);
  const { session_id: session, agent_id: agent } = input as { session_id?: string; agent_id?: string };
  const ref = { ...(session && { session }), ...(agent && { agent }) };
  try {
    if (role === 'open' && agent) {
      host.registerScoped(ref, {});
      open.add(JSON.stringify(ref));
    }
    const decision: AnyDecision = await host.fireAny(event, input, { signal });
    if (role === 'close' && agent && !decision.continues) {
      host.unregisterScoped(ref);
      open.delete(JSON.stringify(ref));
    }
  } catch (error) {
    if (!signal.aborted) throw atPlace(place, error);
  }
}

async function until(time: number, signal: AbortSignal): Promise<void> {
  // An interrupt ends the wait; the loop checks the signal.
  await sleep(Math.max(0, time - performance.now()), undefined, { signal }).catch(() => undefined);
}
