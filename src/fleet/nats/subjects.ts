/** The NATS names of a team's streams and subjects. docs/fleet.md says who may read and write which. */
export interface Subjects {
  readonly policy: string;
  readonly state: string;
  readonly log: string;
  /** Subjects of the log: of one host, or of all. */
  logOf(host: string): string;
  hostIn(subject: string): string;
  /** The subject on which an approver asks which questions are waiting. */
  readonly waiting: string;
  /** The subject on which a host announces a question and gets its answers; `*` matches any. */
  asked(host: string, id: string): string;
  answer(host: string, id: string): string;
  /** The host and the question in a subject made by `asked`. */
  askedIn(subject: string): readonly [host: string, id: string];
}

export function subjectsOf(team: string): Subjects {
  return {
    policy: `HS_policy_${team}`,
    state: `HS_status_${team}`,
    log: `HS_log_${team}`,
    logOf: (host) => `hs.${team}.log.${host}`,
    hostIn: (subject) => subject.split('.').at(-1) as string,
    waiting: `hs.${team}.waiting`,
    asked: (host, id) => `hs.${team}.asked.${host}.${id}`,
    answer: (host, id) => `hs.${team}.answer.${host}.${id}`,
    askedIn: (subject) => subject.split('.').slice(-2) as [string, string],
  };
}
