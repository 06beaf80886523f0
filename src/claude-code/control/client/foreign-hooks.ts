import type { Bus } from '../../../emit/bus.js';
import type { CallInfo } from '../../../emit/record.js';
import { hookProgress, hookResponse, hookStarted } from '../../../emit/run-records.js';
import type { Json } from '../peer/wire.js';

const SUBTYPES: readonly unknown[] = ['hook_started', 'hook_progress', 'hook_response'];

interface ForeignRun {
  readonly run: CallInfo;
  readonly began: number;
  stdout: string;
  stderr: string;
}

/** How many running hooks of the client are remembered. Beyond that, the oldest are forgotten, since some never end. */
const REMEMBERED = 1_000;

/**
 * Emits the hook messages of the client itself on our stream, marked by `origin` and converted to our records. Progress contains only the
 * new output (theirs repeats everything so far), and a response has the duration that we measured.
 */
export class ForeignHooks {
  readonly #bus: Bus;
  readonly #origin: string;
  readonly #seen = new Map<string, ForeignRun>();

  constructor(bus: Bus, origin: string) {
    this.#bus = bus;
    this.#origin = origin;
  }

  take(message: Json): void {
    const { type, subtype, hook_id: id } = message;
    if (type !== 'system' || !SUBTYPES.includes(subtype) || typeof id !== 'string' || id === '') return;
    if (!this.#bus.observed) return;
    const seen = this.#seen.get(id) ?? this.#begin(id, message);
    const stdout = textOf(message['stdout']);
    const stderr = textOf(message['stderr']);
    if (subtype === 'hook_started') this.#bus.emit(() => hookStarted(seen.run));
    else if (subtype === 'hook_progress') {
      const piece = { stdout: newPart(stdout, seen.stdout), stderr: newPart(stderr, seen.stderr) };
      Object.assign(seen, { stdout, stderr });
      this.#bus.emit(() => hookProgress(seen.run, piece));
    } else {
      this.#seen.delete(id);
      const code = message['exit_code'];
      const { outcome } = message;
      this.#bus.emit(() => ({
        ...hookResponse(seen.run, {
          stdout,
          stderr,
          output: textOf(message['output']),
          exitCode: typeof code === 'number' ? code : undefined,
          durationMs: performance.now() - seen.began,
        }),
        outcome: outcome === 'error' || outcome === 'cancelled' ? outcome : 'success',
      }));
    }
  }

  #begin(id: string, { hook_name, hook_event, session_id }: Json): ForeignRun {
    const event = textOf(hook_event) || 'unknown';
    const name = textOf(hook_name) || event;
    const run: CallInfo = {
      hookId: id,
      hookName: name,
      event,
      sessionId: textOf(session_id),
      fireId: id,
      scope: 'session',
      handler: 'unknown',
      handlerId: id,
      name,
      source: { kind: this.#origin },
      origin: this.#origin,
    };
    const seen: ForeignRun = { run, began: performance.now(), stdout: '', stderr: '' };
    this.#seen.set(id, seen);
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.keys().next().value as string);
    return seen;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const newPart = (all: string, before: string): string => (all.startsWith(before) ? all.slice(before.length) : all);
