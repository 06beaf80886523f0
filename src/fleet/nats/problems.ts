import { messageOf } from '../../values/waiting/promises.js';

/** The identity with which a broker is contacted. */
export interface BrokerIdentity {
  readonly team: string;
  /** A host's, or `operator`. */
  readonly name: string;
  readonly credentials?: string | undefined;
}

const RIGHT = /Permissions Violation for (Publish|Subscription) (?:to|with) "([^"]+)"/i;
const PAGE = 'docs/fleet.md, "Who may do what"';

/** A broker's error, explained for whoever has to fix it; undefined: there is nothing to add. */
export function whyRefused(problem: unknown, { name, team, credentials }: BrokerIdentity): string | undefined {
  const text = typeof problem === 'string' ? problem : messageOf(problem);
  const who = name === 'operator' ? 'an operator' : `the host ${name}`;
  const file = credentials === undefined ? 'whoever has no credentials' : `the credentials ${credentials}`;
  const [, what, subject = ''] = RIGHT.exec(text) ?? [];
  if (what !== undefined && subject.startsWith('_INBOX_')) {
    const others = `those of ${who} of the team ${team} are needed`;
    return `${file} may not do that there: ${others}, and each listens at an inbox of its own name (${PAGE})`;
  }
  if (what !== undefined) {
    const verb = what.toLowerCase() === 'publish' ? 'send to' : 'listen at';
    return `${file} may not ${verb} ${subject} there, which ${who} of the team ${team} has to: its configuration says who may (${PAGE})`;
  }
  const make = 'hookscope fleet up and hookscope fleet push make it';
  if (/^stream not answered$/i.test(text))
    return `nothing of the team ${team} answers there; if it is not there yet, ${make}`;
  const [, time] = /^stream not answered within (\d+ seconds)$/i.exec(text) ?? [];
  if (time !== undefined)
    return `nothing of the team ${team} has arrived from there within ${time}: if it is not there yet, ${make}; if it is, the link is too slow for one bundle in that time`;
  if (/^stream not found$/i.test(text))
    return `there is nothing of the team ${team} there; hookscope fleet up and hookscope fleet push make what is needed`;
  if (!/authorization violation|authentication/i.test(text)) return undefined;
  const makes = "hookscope fleet up makes an operator's, hookscope fleet keys host NAME a host's";
  return credentials === undefined
    ? `it wants credentials, and none were given (${makes})`
    : `it does not know ${file} (${makes})`;
}
