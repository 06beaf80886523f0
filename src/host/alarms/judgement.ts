import { type CallKey, MemoryEntry } from './memory.js';
import { type PassedInput, RememberedInput } from './remembered.js';

export interface Denial {
  readonly by: string;
  readonly reason: string | undefined;
}

/** A judgement as plain data, for the process that takes over. */
export interface PassedCall extends CallKey {
  readonly tool: string;
  readonly denied: Denial | undefined;
  readonly refused: Denial | undefined;
  readonly inputs: readonly PassedInput[] | undefined;
  readonly ran: boolean;
  readonly told: boolean;
}

/** The last judgement of a call. */
export class CallJudgement extends MemoryEntry {
  readonly tool: string;
  /** Denied by the hooks that judge calls, or because not all of them could be asked. */
  readonly denied: Denial | undefined;
  /** Refused by the user or the approver. */
  refused: Denial | undefined = undefined;
  /** The inputs that the call may run with, nearly always one; absent if they cannot be compared. */
  #may: RememberedInput | readonly RememberedInput[] | undefined;
  ran = false;
  told = false;
  /** The judgement was made in another process. */
  passed = false;

  constructor(tool: string, denied: Denial | undefined, input: RememberedInput | undefined) {
    super();
    this.tool = tool;
    this.denied = denied;
    this.#may = input;
  }

  /** Restores a judgement of another process. */
  static from({ tool, denied, inputs, refused, ran, told }: PassedCall): CallJudgement {
    const judgement = new CallJudgement(tool, denied, undefined);
    judgement.#may = inputs?.map(RememberedInput.from);
    return Object.assign(judgement, { refused, ran, told, passed: true });
  }

  get plain(): PassedCall {
    const { tool, denied, refused, ran, told } = this;
    return { ...this.call, tool, denied, refused, ran, told, inputs: this.inputs?.map(({ plain }) => plain) };
  }

  get inputs(): readonly RememberedInput[] | undefined {
    return this.#may instanceof RememberedInput ? [this.#may] : this.#may;
  }

  /** A quick check whether the call may run with an input. false is inconclusive. */
  isPlainly(value: unknown): boolean {
    const may = this.#may;
    return may instanceof RememberedInput ? may.isPlainly(value) : may?.some((one) => one.isPlainly(value)) === true;
  }

  /** Adds an input that the call may run with. */
  grant(input: RememberedInput | undefined): void {
    const { inputs } = this;
    this.#may = input && inputs && [...inputs.slice(-3), input];
  }

  /** The size of the judgement in characters. */
  get chars(): number {
    const { denied } = this;
    const may = this.#may;
    const reason = denied?.reason?.length ?? 0;
    return may instanceof RememberedInput
      ? reason + may.size
      : (may ?? []).reduce((sum, { size }) => sum + size, reason);
  }
}
