import type { HookRecord } from '../../emit/record.js';
import { plain } from '../../plain.js';
import { losesNow, UNCLOSED, type UnclosedFile } from '../history/unclosed.js';
import type { DoctorFinding } from './finding.js';

/** The most hosts that are distinguished. */
const MOST = 10_000;

/** Counts missing records: a host numbers its records without gaps. */
export class SequenceGaps {
  readonly #hosts = new Map<string, { first: number; last: number; count: number }>();

  add({ seq, host_id: host }: HookRecord & { readonly host_id?: string }): void {
    if (host === undefined || !(seq > 0)) return;
    const known = this.#hosts.get(host);
    if (known === undefined) {
      if (this.#hosts.size < MOST) this.#hosts.set(host, { first: seq, last: seq, count: 1 });
      return;
    }
    known.first = Math.min(known.first, seq);
    known.last = Math.max(known.last, seq);
    known.count += 1;
  }

  /** For a writer that was killed or could not write: after which record others may be missing. Hosts without records are left out, unless records are being lost now. `latest`: when the newest record of the store was made. */
  unclosed(one: UnclosedFile, latest: string | undefined, place: string | undefined): DoctorFinding[] {
    const { file, pid, since, hosts, lost, runs } = one;
    const lasts = lost !== undefined && losesNow(one, latest, place);
    const read = hosts.flatMap((host) => {
      const known = this.#hosts.get(host);
      return known === undefined ? [] : [`record ${known.last} of host ${host}`];
    });
    if (read.length === 0 && !lasts) return [];
    const how = lost === undefined ? UNCLOSED : `could not write its last ${lost === 1 ? 'record' : `${lost} records`}`;
    const behind = read.length === 0 ? '' : `, after ${read.join(' and ')}`;
    return [
      {
        level: lasts ? 'problem' : 'remark',
        about: 'records',
        text: plain(
          `Process ${pid}, which ${runs === 'surely' ? 'writes' : 'wrote'} to ${file} since ${since}, ${how}${behind}.`,
        ),
        fix:
          lost === undefined
            ? "Nothing can be done about those. If it was your own program, end it with await sink.close(); a hookscope command that was killed needs nothing. Where a kill may lose none either, keep records with durability: 'sync'."
            : 'Nothing can be done about those. See that the file may be written and that there is room on the disk, or give the sink a larger capacity.',
      },
    ];
  }

  findings(): DoctorFinding[] {
    const missing = [...this.#hosts.values()].map(({ first, last, count }) => Math.max(0, last - first + 1 - count));
    const hosts = missing.filter((number) => number > 0).length;
    if (hosts === 0) return [];
    const sum = missing.reduce((a, b) => a + b, 0);
    return [
      {
        level: 'remark',
        about: 'records',
        text: `${sum} ${sum === 1 ? 'record is' : 'records are'} missing between those of ${hosts === 1 ? 'one host' : `${hosts} hosts`}: a sink was too slow, could not write, or was cut off.`,
        fix: 'Look at what the logger said about the sink, and at its dropped count.',
      },
    ];
  }
}
