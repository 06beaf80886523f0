/** What a team's things are called. docs/fleet.md says who may read and write which. */
export interface Subjects {
  readonly policy: string;
  readonly state: string;
  readonly log: string;
  /** Subjects of the log: of one host, or of all. */
  logOf(host: string): string;
  hostIn(subject: string): string;
  /** Whoever wants to know what waits says so here. */
  readonly waiting: string;
  /** Where a host tells of a question, and where it is answered; `*`: of all. */
  asked(host: string, id: string): string;
  answer(host: string, id: string): string;
  /** The host and the question of a subject that `asked` has made. */
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
