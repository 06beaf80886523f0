import type { Bus } from '../../emit/bus.js';
import type { AlarmRecord, UnstampedRecord } from '../../emit/record.js';
import type { CallRole } from '../../events/spec.js';
import { toolNames } from '../../matching/tool-names.js';
import { describeError } from '../../values/message.js';
import { tell as inform } from '../../values/waiting/promises.js';
import type { AnyDecision } from '../decide/decision.js';
import type { HostLogger } from '../tell/logger.js';
import { Asks } from './asks.js';
import { canonical, hashOf, headOf } from './canonical.js';
import { CallJudgement, type Denial, type PassedCall } from './judgement.js';
import { type CallKey, isNamed, Memory, shorten } from './memory.js';
import { RememberedInput } from './remembered.js';
import { alarmMessage, FORGOTTEN, shortReason } from './words.js';

/** Raised when what was done with a tool call differs from what was decided (docs/semantics.md 13). */
export type HookAlarm = UnstampedRecord<AlarmRecord>;

/** A tool call, as an event or a result describes it. */
export interface ToolUse extends CallKey {
  /** The type of its agent, if known. */
  readonly agentType?: string | undefined;
  readonly tool: string;
  /** The scope's id, as in records. */
  readonly scope: string;
  /** This agent's PreToolUse is asked about every tool, and its ids are not reused. */
  readonly every?: boolean | undefined;
}

/** The evidence that a call has run. */
export interface Evidence {
  /** The event's name, or `result`. */
  readonly by: string;
  /** The input it ran with; absent if the evidence does not say. */
  readonly input?: { readonly value: unknown } | undefined;
}

export interface AlarmParts {
  readonly bus: Bus;
  readonly onAlarm: ((alarm: HookAlarm) => void) | undefined;
  readonly logger: Pick<HostLogger, 'report' | 'alarm'>;
}

/** After this many calls allowed unchanged without any evidence of what ran, such calls are no longer remembered. */
const PATIENCE = 1_000;
/** How many judgements are searched for a question that has no id. */
const BACK = 1_000;

/** Remembers what was decided about each call and compares that with what then happens. Never throws and never changes a decision. */
export class Alarms {
  /** Whether calls that were allowed unchanged are remembered too. A plain field, because every fire about a call reads it. */
  awake = true;
  /** A denial or a rewritten input has been remembered, so later judgements of the same call must replace it. */
  strict = false;
  /** Whether anything is remembered. */
  some = false;
  readonly asks = new Asks();
  /** A recording is being replayed; it ran under other hooks. */
  #replay = false;
  readonly #parts: AlarmParts;
  readonly #memory = new Memory<CallJudgement>();
  #silent = 0;
  /** Passes changes on to the process that takes over. */
  #next: ((call: PassedCall) => void) | undefined;

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /** Whether a fire matters even if no hook can run in it. */
  cares(role: CallRole, every: boolean | undefined): boolean {
    if (role === 'judges') return every === true || this.#parts.onAlarm !== undefined;
    return role === 'ran' && (this.some || this.asks.some || every === true);
  }

  /** Stops remembering and comparing: the calls of a recording were decided by the hooks of that time. */
  replays(): void {
    this.#replay = true;
    this.awake = false;
  }

  /** How many bytes the memory holds. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  judged(use: ToolUse, decision: AnyDecision, input: unknown): void {
    const denied = decision.verdict === 'deny' || decision.blocked === true;
    const { updatedInput } = decision;
    if (denied || updatedInput !== undefined) this.strict = true;
    // Nothing has been reported as run so far, so remembering calls that were allowed unchanged may be wasted work.
    else if (this.#silent >= 0 && ++this.#silent > PATIENCE && !this.#parts.onAlarm) this.awake = false;
    this.#remember(
      use,
      denied ? { by: 'hook', reason: decision.reason } : undefined,
      updatedInput === undefined ? [input, false] : [updatedInput, true],
    );
  }

  /** The fire was rejected, which counts as a denial. */
  rejected(use: ToolUse, reason: string): void {
    this.strict = true;
    this.#remember(use, { by: 'host', reason }, undefined);
  }

  /** The fire was aborted; an earlier judgement of the call stands if there is one. */
  withdrawn(use: ToolUse): void {
    if (!this.#memory.get(use)) this.#remember(use, undefined, undefined);
  }

  /** The user or the approver said no. Without `use.id`, this applies only if exactly one call matches. */
  refused(use: Omit<ToolUse, 'id'> & { id: string | undefined }, denial: Denial, input: unknown): void {
    if (this.asks.some) this.asks.settle(use);
    const found = this.#find(use, input);
    // The call was not worth remembering until it was refused.
    if (found.length === 0 && use.id !== undefined && !this.awake) {
      this.strict = true;
      this.#remember(use as ToolUse, undefined, [input, false]);
      found.push(...this.#find(use, input));
    }
    // If several calls match, there is no telling which one was meant.
    const [one] = found;
    if (one === undefined || found.length > 1) return;
    one.refused = { ...denial, reason: shortReason(denial.reason) };
    this.#next?.(one.plain);
  }

  /** The user or the approver said yes, with `given` to a different input than the one that was judged. */
  granted(
    use: Omit<ToolUse, 'id'> & { id: string | undefined },
    input: unknown,
    given?: { readonly value: unknown },
  ): void {
    const known = given && RememberedInput.of(given.value, true);
    for (const judgement of this.#find(use, input)) {
      judgement.refused = undefined;
      if (given) {
        judgement.grant(known);
        this.#memory.resize(judgement, judgement.chars);
      }
      this.#next?.(judgement.plain);
    }
  }

  /** The call ran and did not fail. */
  ran(call: Omit<ToolUse, 'tool'> & { readonly tool: string | undefined }, { by, input }: Evidence): void {
    if (this.asks.some) this.asks.settle(call);
    if (this.#replay) return;
    this.awake = true;
    this.#silent = -1;
    const judgement = this.#memory.get(call);
    if (!judgement) {
      if (this.#memory.mayBeForgotten(call)) this.#parts.logger.report(FORGOTTEN, undefined, FORGOTTEN);
      else if (isNamed(call) && call.every && input) this.#unasked(call, by, input.value);
      return;
    }
    const use = isNamed(call) ? call : { ...call, tool: judgement.tool };
    const again = judgement.ran;
    // The harness has reused the id, and may not have asked about the second call. One under the id of a denied call is that call.
    const isOther = again || (!isOfTool(judgement, use.tool) && denialOf(judgement) === undefined);
    if (!use.every && input && isOther) return;
    if (!again) this.#hasRun(judgement);
    if (!judgement.told) this.#compare(judgement, use, { by, input });
    this.#next?.(judgement.plain);
  }

  #hasRun(judgement: CallJudgement): void {
    judgement.ran = true;
    this.#memory.ran(judgement);
  }

  #compare(judgement: CallJudgement, use: ToolUse, { by, input }: Evidence): void {
    const denial = denialOf(judgement);
    if (denial) this.#tell('not_honoured', use, { by, denial, judgement, input });
    else if (input && !isAsDecided(judgement, use, input.value))
      this.#tell('other_input', use, { by, judgement, input });
  }

  /** Passes on the judgements of calls that have not run, and every later change, to the process that takes over. */
  passOn(to: (call: PassedCall) => void): void {
    for (const judgement of [...this.#memory.newest(Number.POSITIVE_INFINITY)].reverse()) to(judgement.plain);
    this.#next = to;
  }

  /** Takes over a judgement of the previous process. One that was made here is newer and stays. */
  takeOver(call: PassedCall): void {
    if (this.#memory.get(call)?.passed === false) return;
    const judgement = CallJudgement.from(call);
    this.strict = true;
    this.some = true;
    this.#memory.set(call, judgement, judgement.chars);
    if (call.ran) this.#memory.ran(judgement);
  }

  /** A call by an agent whose scope had to be opened again. */
  reopened(use: ToolUse, by: string): void {
    if (!this.#replay) this.#tell('reopened', use, { by });
  }

  #remember(use: ToolUse, denied: Denial | undefined, judged: readonly [unknown, boolean] | undefined): void {
    if (this.#replay) return;
    const why = denied && { by: denied.by, reason: shortReason(denied.reason) };
    const judgement = new CallJudgement(shorten(use.tool), why, judged && RememberedInput.of(...judged));
    this.some = true;
    this.#memory.set(use, judgement, judgement.chars);
    this.#next?.(judgement.plain);
  }

  /** The calls that a question may be about. Without an id: calls of that tool with that input that have not run, newest first. */
  #find(use: Omit<ToolUse, 'id'> & { id: string | undefined }, input: unknown): CallJudgement[] {
    const { session, agent, id } = use;
    if (id !== undefined) {
      const known = this.#memory.get({ session, agent, id });
      return known ? [known] : [];
    }
    const keys = new Set([canonical(input)?.key, canonical(input, true)?.key]);
    const found: CallJudgement[] = [];
    for (const one of this.#memory.newest(BACK)) {
      const { call } = one;
      if (!isOfTool(one, use.tool) || call.session !== session || call.agent !== agent) continue;
      if (one.inputs?.some(({ exact }) => keys.has(exact.key))) found.push(one);
    }
    return found;
  }

  #unasked(use: ToolUse, by: string, input: unknown): void {
    this.#remember(use, undefined, [input, false]);
    const judgement = this.#memory.get(use);
    if (judgement) this.#hasRun(judgement);
    this.#tell('unasked', use, { by, input: { value: input } });
  }

  #tell(
    alarm: HookAlarm['alarm'],
    { session, agent, agentType, id, tool, scope }: ToolUse,
    { by, denial, judgement, input }: Evidence & { denial?: Denial; judgement?: CallJudgement },
  ): void {
    if (judgement) judgement.told = true;
    const judged = judgement?.inputs?.at(-1)?.exact;
    const ran = input && canonical(input.value);
    const told: HookAlarm = Object.freeze({
      type: 'hook_alarm',
      alarm,
      message: alarmMessage(alarm, { tool, id, denial }),
      session_id: session,
      scope,
      ...(agent === undefined ? {} : { agent_id: agent }),
      ...(agentType === undefined ? {} : { agent_type: agentType }),
      tool_name: tool,
      tool_use_id: id,
      evidence: by,
      ...(denial ? { denied_by: denial.by } : {}),
      ...(denial?.reason === undefined ? {} : { reason: denial.reason }),
      ...(judged ? { judged_input: headOf(judged), judged_sha256: hashOf(judged) } : {}),
      ...(ran ? { ran_input: headOf(ran), ran_sha256: hashOf(ran) } : {}),
    });
    const { bus, onAlarm, logger } = this.#parts;
    bus.emit(() => ({ ...told }));
    logger.alarm(`Alarm (${alarm}): ${told.message}`, told);
    if (onAlarm)
      inform(
        () => onAlarm(told),
        (error) => logger.report(`onAlarm failed: ${describeError(error)}`),
      );
  }
}

const denialOf = ({ denied, refused }: CallJudgement): Denial | undefined => denied ?? refused;

/** Whether the judged call was of this tool, under this or another of its names. */
const isOfTool = ({ tool }: CallJudgement, name: string): boolean =>
  shorten(name) === tool || toolNames(name).some((one) => one === tool);

/** An input that cannot be compared raises no alarm. */
function isAsDecided(judgement: CallJudgement, use: ToolUse, value: unknown): boolean {
  if (!isOfTool(judgement, use.tool)) return false;
  if (judgement.isPlainly(value)) return true;
  const { inputs } = judgement;
  if (!inputs) return true;
  const done = canonical(value);
  if (!done || inputs.some(({ exact }) => exact.key === done.key)) return true;
  const loosely = canonical(value, true)?.key;
  return inputs.some(({ loose }) => loose !== undefined && loose === loosely);
}
