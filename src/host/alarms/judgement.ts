import { Entry } from './memory.js';
import { Remembered } from './remembered.js';

export interface Denial {
  readonly by: string;
  readonly reason: string | undefined;
}

/** The last judgement of a call. */
export class Judgement extends Entry {
  readonly tool: string;
  /** Denied by the hooks that judge calls, or because not all of them could be asked. */
  readonly denied: Denial | undefined;
  /** Refused by the user or the approver. */
  refused: Denial | undefined = undefined;
  /** The inputs it may run with, nearly always one; absent if they cannot be compared. */
  #may: Remembered | readonly Remembered[] | undefined;
  ran = false;
  told = false;

  constructor(tool: string, denied: Denial | undefined, input: Remembered | undefined) {
    super();
    this.tool = tool;
    this.denied = denied;
    this.#may = input;
  }

  get inputs(): readonly Remembered[] | undefined {
    return this.#may instanceof Remembered ? [this.#may] : this.#may;
  }

  /** A quick check whether it may run with an input. false means nothing. */
  isPlainly(value: unknown): boolean {
    const may = this.#may;
    return may instanceof Remembered ? may.isPlainly(value) : may?.some((one) => one.isPlainly(value)) === true;
  }

  /** It may run with this one, too. */
  grant(input: Remembered | undefined): void {
    const { inputs } = this;
    this.#may = input && inputs && [...inputs.slice(-3), input];
  }

  /** How many characters it holds. */
  get chars(): number {
    const { denied } = this;
    const may = this.#may;
    const reason = denied?.reason?.length ?? 0;
    return may instanceof Remembered ? reason + may.size : (may ?? []).reduce((sum, { size }) => sum + size, reason);
  }
}
