/** The NATS names of a team's streams and subjects. docs/fleet.md says who may read and write which. */
export interface Subjects {
  readonly policy: string;
  readonly state: string;
  readonly log: string;
  /** The stream behind the bucket of the policy, and a channel's subject in it. */
  readonly policyBucket: string;
  policyOf(channel: string): string;
  /** The stream behind the bucket of states, and a host's subject in it. */
  readonly stateBucket: string;
  stateOf(host: string): string;
  /** Subjects of the log: of one host, or of all. */
  logOf(host: string): string;
  hostIn(subject: string): string;
  /** The subject on which an approver asks which questions are waiting. */
  readonly waiting: string;
  /** The subjects on which a host announces a question, gets its answers, and says what it made of one; `*` matches any. */
  asked(host: string, id: string): string;
  answer(host: string, id: string): string;
  taken(host: string, answer: string): string;
  /** The host and the question in a subject made by `asked`. */
  askedIn(subject: string): readonly [host: string, id: string];
}

export function subjectsOf(team: string): Subjects {
  const [policy, state] = [`HS_policy_${team}`, `HS_status_${team}`];
  return {
    policy,
    state,
    log: `HS_log_${team}`,
    policyBucket: `KV_${policy}`,
    policyOf: (channel) => `$KV.${policy}.${channel}`,
    stateBucket: `KV_${state}`,
    stateOf: (host) => `$KV.${state}.${host}`,
    logOf: (host) => `hs.${team}.log.${host}`,
    hostIn: (subject) => subject.split('.').at(-1) as string,
    waiting: `hs.${team}.waiting`,
    asked: (host, id) => `hs.${team}.asked.${host}.${id}`,
    answer: (host, id) => `hs.${team}.answer.${host}.${id}`,
    taken: (host, answer) => `hs.${team}.taken.${host}.${answer}`,
    askedIn: (subject) => subject.split('.').slice(-2) as [string, string],
  };
}
