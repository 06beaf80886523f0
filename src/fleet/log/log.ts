import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Host } from '../../create-host.js';
import type { HookRecord } from '../../emit/record.js';
import { wellFormedJson } from '../../plain.js';
import { ownFolder } from '../../plugins/own-folder.js';
import type { Stop } from '../engine.js';
import type { LogStatus } from '../status.js';
import { lossLine, putAside } from './aside.js';
import { MaskedLog, type MaskOptions } from './masked.js';
import { Outbox, type OutboxOptions } from './outbox.js';
import type { LogData, LogThreadCommand, LogThreadMessage } from './thread.js';
import type { LogBounds } from './wal.js';

/** Takes the decisions of hosts, and sees that they arrive. */
export interface DecisionLog {
  /** Resolves when what it is given reaches the disk: before that a process that dies takes it along. */
  readonly begun: Promise<void>;
  attach(host: Host): Stop;
  readonly status: LogStatus;
  /** `isHeld`: nothing is sent until it is called again. */
  mask(options: MaskOptions, isHeld?: boolean): void;
  /** Resolves when everything is sent, or after this many seconds. */
  drained(seconds: number): Promise<void>;
  close(seconds: number): Promise<void>;
}

/** Milliseconds in which records go over together: what is lost when the process is killed is at most this, and a write. */
const TOGETHER = 30;
/** Characters that wait for the thread. */
const WAITING = 64 * 1024 * 1024;
/** Megabytes for what lives from one message to the next. */
const YOUNG = 32;

/** Records of decisions, outcomes and alarms. What hooks print while they run stays on the host. */
const isDecision = ({ type }: HookRecord): boolean =>
  type === 'hook_fire' || type === 'tool_call' || type === 'hook_alarm';

interface LogThread {
  readonly begun: Promise<void>;
  push(lines: readonly string[]): void;
  mask(options: MaskOptions, isHeld: boolean): void;
  readonly status: LogStatus;
  end(type: 'drain' | 'close', milliseconds: number): Promise<void>;
}

function logOf(far: LogThread, tell: (text: string) => void): DecisionLog {
  let waiting: string[] = [];
  let held = 0;
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  const pass = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    held = 0;
    far.push(lines);
  };
  return {
    begun: far.begun,
    attach(host) {
      const subscription = host.events$.subscribe((record) => {
        if (!isDecision(record)) return;
        if (held > WAITING) {
          if (lost++ === 0) tell('decisions come faster than they can be kept, so some are lost');
          return;
        }
        const line = wellFormedJson(record);
        held += line.length;
        waiting.push(line);
        timer ??= setTimeout(pass, TOGETHER);
      });
      return () => subscription.unsubscribe();
    },
    get status() {
      const { waiting: left, dropped, ...rest } = far.status;
      return { ...rest, waiting: left + waiting.length, dropped: dropped + lost };
    },
    mask: (options, isHeld = false) => {
      // Records emitted under the previous bundle are masked by its rules.
      pass();
      far.mask(options, isHeld);
    },
    async drained(seconds) {
      pass();
      await far.end('drain', seconds * 1000);
    },
    async close(seconds) {
      pass();
      await far.end('close', seconds * 1000);
    },
  };
}

/** In this thread, for engines that cannot run in another. */
export function logHere(options: OutboxOptions): DecisionLog {
  const outbox = new Outbox(options);
  return logOf(
    {
      begun: Promise.resolve(),
      push: (lines) => outbox.push(lines),
      mask: (masks, isHeld) => outbox.mask(masks, isHeld),
      get status() {
        return outbox.status;
      },
      end: (type, most) => (type === 'drain' ? outbox.drained(most) : outbox.close(most)),
    },
    options.tell,
  );
}

/** For processes that have no connection: the next one of their host that has one sends it. */
export function logAside({ folder, ...bounds }: LogBounds & { readonly folder: string }): DecisionLog {
  const masked = new MaskedLog(folder);
  let dropped = 0;
  return logOf(
    {
      begun: Promise.resolve(),
      push(given) {
        const { lines, lost } = masked.lines(given);
        try {
          putAside(folder, lost > 0 ? [...lines, lossLine(lost)] : lines, bounds);
        } catch {
          dropped += given.length;
        }
      },
      mask: (masks) => masked.mask(masks),
      get status() {
        return { sent: 0, waiting: 0, dropped };
      },
      end: (type) => (type === 'drain' ? masked.flush() : masked.close()),
    },
    () => undefined,
  );
}

/** In a thread of its own. */
export function logInThread(data: LogData, tell: (text: string) => void): DecisionLog {
  const thread = new Worker(join(ownFolder(), 'dist/fleet/log-thread.js'), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const done = new Map<number, () => void>();
  let status: LogStatus = { sent: 0, waiting: 0, dropped: 0 };
  let [ids, under, lost] = [0, 0, 0];
  let gone = false;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const over = (why: string): void => {
    if (gone) return;
    gone = true;
    begin();
    if (why !== '') tell(`decisions are no longer sent: ${why}`);
    for (const resolve of done.values()) resolve();
    done.clear();
  };
  thread.on('message', (message: LogThreadMessage) => {
    if (message.type === 'taken') under -= message.characters;
    else if (message.type === 'status') {
      status = message.status;
      begin();
    } else if (message.type === 'tell') tell(message.message);
    else {
      done.get(message.id)?.();
      done.delete(message.id);
    }
  });
  thread.on('error', (error) => over(error.message));
  thread.on('exit', () => over(''));
  const post = (message: LogThreadCommand): void => thread.postMessage(message);
  return logOf(
    {
      begun,
      push(lines) {
        if (gone || under > WAITING) {
          if (lost === 0 && !gone) tell('decisions come faster than they can be kept, so some are lost');
          lost += lines.length;
          return;
        }
        const joined = lines.join('\n');
        under += joined.length;
        post({ type: 'records', lines: joined });
      },
      mask: (options, isHeld) => post({ type: 'mask', options, isHeld }),
      get status() {
        return { ...status, dropped: status.dropped + lost };
      },
      async end(type, most) {
        if (!gone)
          await new Promise<void>((resolve) => {
            const id = ++ids;
            done.set(id, resolve);
            post({ type, id, most });
          });
        if (type === 'close') await thread.terminate();
      },
    },
    tell,
  );
}
