import { beginning } from '../../../emit/redact/total.js';
import type { HostCore } from '../../../host/core.js';

/**
 * Problems with messages of the control protocol or with the connection. Each is emitted on `host.events$` and logged by the host's
 * logger. Only `connection` ends the connection.
 */
export type ControlProblemName =
  /** A line that is not JSON. */
  | 'bad_json'
  /** JSON that is not a message: not an object, without a type, or a control message without its ids. */
  | 'bad_message'
  /** A line exceeds the limit and was skipped. */
  | 'too_long'
  /** The other side ended in the middle of a line. */
  | 'cut_off'
  /** A request has the id of one that is still being answered. It was dropped; the first one is answered. */
  | 'duplicate_request'
  /** A reply to a request that does not exist. */
  | 'unexpected_response'
  /** The pipe is broken. */
  | 'connection'
  /** `initialize` names an unknown event. Its hooks were left out. */
  | 'unknown_event'
  /** Hooks are registered for an event that Claude Code does not send to callbacks. */
  | 'never_sent'
  /** Hooks are registered for an event that this program was not asked to report (`listen: 'needed'`). */
  | 'not_listened'
  /** A hook asked for something that this protocol does not support (`suppressOutput`). */
  | 'no_effect'
  /** Any other problem, such as a warning about the hooks in `initialize`, or messages that were dropped because nobody read them. */
  | 'failed';

export interface ControlProblem {
  readonly problem: ControlProblemName;
  /** What was received and how it was handled, in words. */
  readonly message: string;
  readonly request_id?: string;
}

/** Shortens a long text and puts it on one line. */
export function clipped(text: string, length = 200): string {
  return text.length > length ? `${beginning(text, length)} (${text.length} characters)` : text;
}

/** How many problems of a kind a connection reports per minute. The rest is only counted. */
const MOST = 100;
const MINUTE = 60_000;

/** Limits the number of reported problems, so that endless garbage does not make endless records. */
export class FewProblems {
  readonly #tell: (problem: ControlProblem) => void;
  readonly #now: () => number;
  readonly #told = new Map<ControlProblemName, { began: number; count: number }>();

  constructor(tell: (problem: ControlProblem) => void, now: () => number = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  tell(problem: ControlProblem): void {
    const now = this.#now();
    const told = this.#told.get(problem.problem);
    if (told && now - told.began < MINUTE) told.count++;
    else {
      this.#sum(problem.problem);
      this.#told.set(problem.problem, { began: now, count: 1 });
    }
    if ((this.#told.get(problem.problem)?.count ?? 0) <= MOST) this.#tell(problem);
  }

  /** Reports how many problems were left out. */
  end(): void {
    for (const name of this.#told.keys()) this.#sum(name);
    this.#told.clear();
  }

  #sum(problem: ControlProblemName): void {
    const left = (this.#told.get(problem)?.count ?? 0) - MOST;
    if (left > 0) this.#tell({ problem, message: `${left} more of this kind were left out` });
  }
}

/** Problems that our own hooks cause. They are few, so each is logged; the other side can cause any number of the others. */
const OURS: readonly ControlProblemName[] = ['never_sent', 'not_listened', 'no_effect'];

/** Reports a problem on the stream and to the logger, where problems that the other side causes are one line per kind and minute. */
export function tellProblem(
  { bus, report }: HostCore,
  peer: string,
  { problem, message, request_id }: ControlProblem,
): void {
  report(`${message} (${problem})`, undefined, `control ${peer} ${OURS.includes(problem) ? message : problem}`);
  const id = request_id === undefined ? {} : { request_id };
  bus.emit(() => ({ type: 'system', subtype: 'control_problem', peer, problem, message, ...id }));
}
