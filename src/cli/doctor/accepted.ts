import { ended, plain } from '../../plain.js';
import { type Acceptance, acceptancesFile, readAcceptances } from '../../trust/acceptances.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { DoctorFinding } from './finding.js';

/** At most this many are listed. */
const LISTED = 20;

/** What was accepted since then: it needs no person, so the user should know it. */
export function acceptedFindings(since: number): DoctorFinding[] {
  const fix =
    'If that was not you, look at it: whoever has your rights can accept. hookscope trust --list shows what is accepted.';
  const remark = (text: string): DoctorFinding => ({ level: 'remark', about: 'file', text: ended(text), fix });
  try {
    const all = readAcceptances(since);
    const more = all.length - LISTED;
    return [
      ...all.slice(0, LISTED).map((one) => remark(words(one))),
      ...(more > 0 ? [remark(`${more} earlier acceptances are in ${plain(acceptancesFile())}`)] : []),
    ];
  } catch (error) {
    const text = `What was accepted cannot be read from ${plain(acceptancesFile())}: ${plain(messageOf(error))}`;
    return [{ level: 'problem', about: 'file', text: ended(text), fix: 'Move it away; a new one is begun.' }];
  }
}

function words({ at, how, what, from, to, executable, data }: Acceptance): string {
  const short = (hash: string | null): string => (typeof hash === 'string' ? hash.slice(0, 12) : 'none');
  const hashes = from === to ? '' : `, SHA-256 was ${short(from)}, is now ${short(to)}`;
  const names = Array.isArray(data) ? `; bound by name alone, whatever they hold: ${data.join(', ')}` : '';
  const stopped = executable === false ? ', although it can no longer be executed' : '';
  return `${plain(what)} was accepted at ${plain(at)} by ${plain(how)}${plain(hashes + stopped + names)}`;
}
