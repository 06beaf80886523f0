import { whyItself } from '../../emit/reading/own-answer.js';
import type { FireRecord } from '../../emit/record.js';
import { clip, plain } from '../../plain.js';
import type { DoctorFinding } from './finding.js';

/** Events that hookscope itself answered because hooks could not be asked, or had not all answered. */
export class OwnAnswers {
  #count = 0;
  #last: FireRecord | undefined;

  add(record: FireRecord): void {
    this.#count += 1;
    if (this.#last === undefined || record.time >= this.#last.time) this.#last = record;
  }

  /** A remark, because the cause may have been mended since; one that persists is a finding of its own. */
  findings(mask: (record: FireRecord) => FireRecord, records: string): DoctorFinding[] {
    if (this.#last === undefined) return [];
    const { event, time, fire_id, unanswered = '' } = mask(this.#last);
    const many = this.#count === 1 ? 'an event' : `${this.#count} events`;
    const last = this.#count === 1 ? 'at' : 'the last time at';
    return [
      {
        level: 'remark',
        about: 'hook',
        text: `Hookscope itself answered ${many}, ${last} ${plain(time)} (${plain(event)}), ${whyItself([unanswered])}: ${clip(unanswered.trim(), 200)}.`,
        fix: `If this has not been fixed, follow the reason above. See hookscope why ${clip(fire_id, 60)}${records}.`,
      },
    ];
  }
}
