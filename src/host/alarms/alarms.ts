import type { Bus } from '../../emit/bus.js';
import type { AlarmRecord, Unstamped } from '../../emit/record.js';
import type { CallRole } from '../../events/define.js';
import { describeError } from '../../values/message.js';
import { tell as inform } from '../../values/promises.js';
import type { AnyDecision } from '../decide/decision.js';
import type { HostLogger } from '../tell/logger.js';
import { canonical, hashOf } from './canonical.js';
import { type CallKey, isNamed, Memory, shorten } from './memory.js';
import { Remembered } from './remembered.js';
import { alarmMessage, FORGOTTEN } from './words.js';

/** What was decided of a call and what was done are not the same (docs/semantics.md 13). */
export type HookAlarm = Unstamped<AlarmRecord>;

/** A call of a tool, as an event or a result tells of it. */
export interface ToolUse extends CallKey {
  readonly tool: string;
  /** As records name the scope. */
  readonly scope: string;
  /** This agent's PreToolUse is asked about every tool, and its ids are not reused. */
  readonly every?: boolean | undefined;
}

/** The evidence that a call has run. */
export interface Evidence {
  /** The event's name, or `result`. */
  readonly by: string;
  /** What it ran with; absent: that is not told. */
  readonly input?: { readonly value: unknown } | undefined;
}

interface Denial {
  readonly by: string;
  readonly reason: string | undefined;
}

/** The last judgement of a call. */
interface Judgement {
  readonly tool: string;
  readonly call: CallKey;
  /** By the hooks that judge calls, or because they were not asked to the end. */
  readonly denied: Denial | undefined;
  /** By the user or approver. */
  refused: Denial | undefined;
  /** What it may run with; absent: that could not be compared. */
  inputs: readonly Remembered[] | undefined;
  ran: boolean;
  told: boolean;
}

export interface AlarmParts {
  readonly bus: Bus;
  readonly onAlarm: ((alarm: HookAlarm) => void) | undefined;
  readonly logger: Pick<HostLogger, 'report' | 'alarm'>;
}

/** After this many undisputed calls without a report of what ran, silent judgements are no longer remembered. */
const PATIENCE = 1_000;
/** How far back a question without an id is looked for. */
const BACK = 1_000;

/** Remembers what was decided of each call and compares it with what is done. Nothing here throws, and nothing changes a decision. */
export class Alarms {
  /** Whether calls that may run as they are are remembered: plain, since every fire about a call asks. */
  awake = true;
  /** A denial or another input is remembered: what comes later of the same call must take its place. */
  strict = false;
  /** Something is remembered. */
  some = false;
  /** Replays a recording, which ran under other hooks. */
  #replay = false;
  readonly #parts: AlarmParts;
  readonly #memory = new Memory<Judgement>();
  #silent = 0;

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /** Whether a fire in which no hook could run has to be looked at. */
  cares(role: CallRole, every: boolean | undefined): boolean {
    if (role === 'judges') return every === true || this.#parts.onAlarm !== undefined;
    return role === 'ran' && (this.some || every === true);
  }

  /** Nothing is remembered and compared from here on: what ran in a recording obeyed the hooks of its own time. */
  replays(): void {
    this.#replay = true;
    this.awake = false;
  }

  /** Bytes that are remembered. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  judged(use: ToolUse, decision: AnyDecision, input: unknown): void {
    const denied = decision.verdict === 'deny' || decision.blocked === true;
    const { updatedInput } = decision;
    if (denied || updatedInput !== undefined) this.strict = true;
    // Nobody has asked what is remembered of calls that may run as they are, and nobody may ever ask.
    else if (this.#silent >= 0 && ++this.#silent > PATIENCE && !this.#parts.onAlarm) this.awake = false;
    this.#remember(
      use,
      denied ? { by: 'hook', reason: decision.reason } : undefined,
      updatedInput === undefined ? [input, false] : [updatedInput, true],
    );
  }

  /** The question was refused, which is no permission. */
  rejected(use: ToolUse, reason: string): void {
    this.strict = true;
    this.#remember(use, { by: 'host', reason }, undefined);
  }

  /** The question was withdrawn: an earlier judgement stands, if there is one. */
  withdrawn(use: ToolUse): void {
    if (!this.#memory.get(use)) this.#remember(use, undefined, undefined);
  }

  /** The user or approver said no. `use.id` undefined: the one call that it can be about. */
  refused(use: Omit<ToolUse, 'id'> & { id: string | undefined }, denial: Denial, input: unknown): void {
    const found = this.#find(use, input);
    // The call itself was not worth remembering, but now it is.
    if (found.length === 0 && use.id !== undefined && !this.awake) {
      this.strict = true;
      this.#remember(use as ToolUse, undefined, [input, false]);
      found.push(...this.#find(use, input));
    }
    // With several equal calls it is unknown which one was meant.
    if (found.length === 1) (found[0] as Judgement).refused = { ...denial, reason: denial.reason?.slice(0, 1_000) };
  }

  /** The user or approver said yes; `given`: to this input, in place of the one that was judged. */
  granted(
    use: Omit<ToolUse, 'id'> & { id: string | undefined },
    input: unknown,
    given?: { readonly value: unknown },
  ): void {
    const known = given && Remembered.of(given.value, true);
    for (const judgement of this.#find(use, input)) {
      judgement.refused = undefined;
      if (!given) continue;
      judgement.inputs = known && judgement.inputs && [...judgement.inputs.slice(-3), known];
      this.#memory.resize(judgement.call, sizeOf(judgement));
    }
  }

  /** It ran, and did not fail. */
  ran(call: Omit<ToolUse, 'tool'> & { readonly tool: string | undefined }, { by, input }: Evidence): void {
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
    // An id that is used again, by a harness that need not have asked about the second call.
    if (!use.every && input && (again || shorten(use.tool) !== judgement.tool)) return;
    judgement.ran = true;
    if (judgement.told) return;
    const denial = judgement.denied ?? judgement.refused;
    if (denial) this.#tell('not_honoured', use, { by, denial, judgement, input });
    else if (input && !isAsDecided(judgement, use, input.value))
      this.#tell('other_input', use, { by, judgement, input });
  }

  /** A call of an agent whose scope was not open. */
  reopened(use: ToolUse, by: string): void {
    this.#tell('reopened', use, { by });
  }

  #remember(use: ToolUse, denied: Denial | undefined, judged: readonly [unknown, boolean] | undefined): void {
    if (this.#replay) return;
    const { session, agent, id } = use;
    const known = judged && Remembered.of(...judged);
    const judgement: Judgement = {
      tool: shorten(use.tool),
      call: { session, agent, id },
      denied: denied && { ...denied, reason: denied.reason?.slice(0, 1_000) },
      refused: undefined,
      inputs: known && [known],
      ran: false,
      told: false,
    };
    this.some = true;
    this.#memory.set(judgement.call, judgement, sizeOf(judgement));
  }

  /** Of a question without an id: all calls of that tool with that input that have not run, the newest first. */
  #find(use: Omit<ToolUse, 'id'> & { id: string | undefined }, input: unknown): Judgement[] {
    const { session, agent, id } = use;
    if (id !== undefined) {
      const known = this.#memory.get({ session, agent, id });
      return known ? [known] : [];
    }
    const tool = shorten(use.tool);
    const keys = new Set([canonical(input)?.key, canonical(input, true)?.key]);
    const found: Judgement[] = [];
    for (const one of this.#memory.newest(BACK)) {
      if (one.ran || one.tool !== tool || one.call.session !== session || one.call.agent !== agent) continue;
      if (one.inputs?.some(({ exact }) => keys.has(exact.key))) found.push(one);
    }
    return found;
  }

  #unasked(use: ToolUse, by: string, input: unknown): void {
    this.#remember(use, undefined, [input, false]);
    const judgement = this.#memory.get(use);
    if (judgement) judgement.ran = true;
    this.#tell('unasked', use, { by, input: { value: input } });
  }

  #tell(
    alarm: HookAlarm['alarm'],
    { session, agent, id, tool, scope }: ToolUse,
    { by, denial, judgement, input }: Evidence & { denial?: Denial; judgement?: Judgement },
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
      tool_name: tool,
      tool_use_id: id,
      evidence: by,
      ...(denial ? { denied_by: denial.by } : {}),
      ...(denial?.reason === undefined ? {} : { reason: denial.reason }),
      ...(judged ? { judged_input: judged.head, judged_sha256: hashOf(judged) } : {}),
      ...(ran ? { ran_input: ran.head, ran_sha256: hashOf(ran) } : {}),
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

/** What cannot be compared is no reason for an alarm. */
function isAsDecided({ inputs, tool }: Judgement, use: ToolUse, value: unknown): boolean {
  if (shorten(use.tool) !== tool) return false;
  if (!inputs || inputs.some((judged) => judged.isPlainly(value))) return true;
  const done = canonical(value);
  if (!done || inputs.some(({ exact }) => exact.key === done.key)) return true;
  const loosely = canonical(value, true)?.key;
  return inputs.some(({ loose }) => loose !== undefined && loose === loosely);
}

/** Characters that it holds. */
const sizeOf = ({ denied, inputs }: Judgement): number =>
  (inputs ?? []).reduce((sum, { size }) => sum + size, denied?.reason?.length ?? 0);
