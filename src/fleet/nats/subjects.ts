/** What a team's things are called. docs/fleet.md says who may read and write which. */
export interface Subjects {
  readonly policy: string;
  readonly state: string;
  readonly log: string;
  /** Subjects of the log: of one host, or of all. */
  logOf(host: string): string;
  hostIn(subject: string): string;
  /** Whoever wants to know what waits asks here. */
  readonly waiting: string;
  asked(host: string): string;
  answer(host: string): string;
}

export function subjectsOf(team: string): Subjects {
  return {
    policy: `HS_policy_${team}`,
    state: `HS_status_${team}`,
    log: `HS_log_${team}`,
    logOf: (host) => `hs.${team}.log.${host}`,
    hostIn: (subject) => subject.split('.').at(-1) as string,
    waiting: `hs.${team}.waiting`,
    asked: (host) => `hs.${team}.asked.${host}`,
    answer: (host) => `hs.${team}.answer.${host}`,
  };
}
