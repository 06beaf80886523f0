import { beginning } from '../../../emit/redact/part.js';
import type { HostCore } from '../../../host/core.js';

/**
 * What can be wrong with what the other side of the control protocol sends, or with the way to it. Each is told on `host.events$`
 * (and to the host's logger); none ends the connection by itself but `connection`.
 */
export type ControlProblemName =
  /** A line that is not JSON. */
  | 'bad_json'
  /** JSON that is not a message: not an object, without a type, or a control message without its ids. */
  | 'bad_message'
  /** A line over the limit; it was skipped. */
  | 'too_long'
  /** The other side ended in the middle of a line. */
  | 'cut_off'
  /** A request under an id that is still being answered; it was dropped, the first one is answered. */
  | 'duplicate_request'
  /** A reply to nothing that was asked. */
  | 'unexpected_response'
  /** The pipe broke. */
  | 'connection'
  /** `initialize` names an event that is not in the catalogue; its hooks were left out. */
  | 'unknown_event'
  /** Hooks are registered for an event that Claude Code does not send to callbacks. */
  | 'never_sent'
  /** Hooks were called for an event that this program was not asked to report (`listen: 'needed'`). */
  | 'not_listened'
  /** A hook asked for something that cannot be done over this protocol (`suppressOutput`). */
  | 'no_effect'
  /** Something that our answer cannot express to the other side. */
  | 'failed';

export interface ControlProblem {
  readonly problem: ControlProblemName;
  /** For people: what came, and what was done with it. */
  readonly message: string;
  readonly request_id?: string;
}

/** The beginning of something long, on one line. */
export function clipped(text: string, length = 200): string {
  return text.length > length ? `${beginning(text, length)} (${text.length} characters)` : text;
}

/** Problems of one kind that a connection tells in a minute; what comes beyond them is counted. */
const MOST = 100;
const MINUTE = 60_000;

/** Keeps garbage without end from being records without end. */
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

  /** Says how many were left out. */
  end(): void {
    for (const name of this.#told.keys()) this.#sum(name);
    this.#told.clear();
  }

  #sum(problem: ControlProblemName): void {
    const left = (this.#told.get(problem)?.count ?? 0) - MOST;
    if (left > 0) this.#tell({ problem, message: `${left} more of this kind were left out` });
  }
}

/** Caused by our own hooks, so they are few and each gets a line. The other side can cause any number of the others. */
const OURS: readonly ControlProblemName[] = ['never_sent', 'not_listened', 'no_effect'];

/** To the logger, where what the other side does is one line per minute and kind, and on the stream. */
export function tellProblem(
  { bus, report }: HostCore,
  peer: string,
  { problem, message, request_id }: ControlProblem,
): void {
  report(`${message} (${problem})`, undefined, `control ${peer} ${OURS.includes(problem) ? message : problem}`);
  const id = request_id === undefined ? {} : { request_id };
  bus.emit(() => ({ type: 'system', subtype: 'control_problem', peer, problem, message, ...id }));
}
