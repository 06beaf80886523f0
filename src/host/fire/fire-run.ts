import { nextId } from '../../emit/record.js';
import { HookscopeError, isHookscopeError } from '../../errors.js';
import { unreadable } from '../../events/guard.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { ScopeLookup } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import { linkAbort } from '../../values/waiting/link-abort.js';
import { undecided } from '../alarms/use.js';
import { type Attempt, affectsLaterHooks, PENDING } from '../call/attempt.js';
import { type CarriedInput, InputCarrier } from '../call/carry.js';
import { Deadlines } from '../call/deadlines.js';
import type { BackgroundWork, RunningFire } from '../call/facts.js';
import { type CallOwner, HandlerCall } from '../call/handler-call.js';
import { KeptAnswer } from '../call/kept-answer.js';
import { contextOf, type HostCore, keepContext } from '../core.js';
import type { AnyDecision } from '../decide/decision.js';
import type { SettledAsk } from '../elsewhere.js';
import type { FireSettings } from '../fire-options.js';
import type { RawTap } from '../hooks.js';
import type { Candidates, Plan } from '../plan/plan.js';
import type { EventState } from '../services.js';
import { reportUnreadable } from '../tell/refused.js';
import { BusFireReporter } from '../tell/reporter.js';
import { conclude, tellDecision } from './conclude.js';
import { shortened } from './kept.js';
import { isAsk, isOpen, settleAsk } from './open-ask.js';
import { asksByPolicy, outermostAsk } from './policy.js';
import { Screen } from './screen.js';
import { copyForShadows } from './shadow-input.js';
import { TappedWalk } from './tapped-walk.js';
import { Walk } from './walk.js';

const USUAL: FireSettings = Object.freeze({});

/**
 * One fire under way. Until an answer affects later hooks, it keeps only its place in the list and the answers so far; then it
 * continues in a `Walk`, which keeps notes. A hot class: `private` members (CONTRIBUTING.md).
 */
export class FireRun implements RunningFire, CallOwner {
  readonly services: HostCore;
  readonly state: EventState;
  readonly plan: Plan;
  readonly input: Json;
  readonly options: FireSettings;
  readonly subject: Subject;
  readonly toolUseID: string | undefined;
  readonly reporter: BusFireReporter | undefined;
  readonly clock: RunningFire['clock'];
  cancelled: HookscopeError | undefined = undefined;
  readonly found: ScopeLookup;
  readonly remembers: boolean;
  /** `performance.now()` at the start; 0 if asks cannot be settled outside the process. */
  readonly began: number;
  readonly candidates: Candidates;
  readonly waiting: string[] | undefined;
  /** The next hook to ask, the answers so far that affect no later hook, and which hooks were skipped. The other hooks before it were silent. */
  at = 0;
  spoken: KeptAnswer[] | undefined = undefined;
  screen: Screen | undefined = undefined;
  walk: Walk | undefined = undefined;
  carrying: InputCarrier | undefined = undefined;
  /** The input for shadows, the hooks that are not enforced; undefined: there are none. */
  followed: Json | undefined = undefined;
  private tapped: TappedWalk | undefined = undefined;
  private call: HandlerCall | undefined = undefined;
  private madeId: string | undefined;
  private deadlines: Deadlines | undefined = undefined;
  private resolve: ((decision: AnyDecision | Promise<AnyDecision>) => void) | undefined = undefined;
  private reject: ((error: unknown) => void) | undefined = undefined;
  private forget: (() => void) | undefined = undefined;
  private isFinished = false;

  constructor(
    services: HostCore,
    state: EventState,
    found: ScopeLookup,
    plan: Plan,
    input: Json,
    how: FireSettings = USUAL,
    watched: boolean,
    remembers: boolean,
  ) {
    this.services = services;
    this.state = state;
    this.found = found;
    this.plan = plan;
    this.input = input;
    this.options = how;
    this.remembers = remembers;
    this.madeId = how.id;
    this.began = how.asked === undefined ? 0 : performance.now();
    this.subject = state.spec.subject?.(input);
    this.toolUseID = how.toolUseID ?? (input['tool_use_id'] as string | undefined);
    this.waiting = contextOf(services, found, input, how.scope);
    this.candidates = plan.candidates(this.subject, how.guards !== undefined);
    this.reporter = watched ? new BusFireReporter(this, services.bus) : undefined;
    this.clock = this.reporter?.clock ?? (services.slowAfter > 0 ? performance : undefined);
  }

  get spec(): EventSpec {
    return this.state.spec;
  }
  get id(): string {
    this.madeId ??= nextId();
    return this.madeId;
  }
  get background(): BackgroundWork {
    return this.services.background;
  }
  get scopeId(): string {
    return this.found.id;
  }
  addContext(texts: string[]): void {
    keepContext(this, texts);
  }
  get asksByPolicy(): boolean {
    return asksByPolicy(this);
  }
  askedAt(): number | undefined {
    return outermostAsk(this);
  }
  get finalInput(): Json {
    return this.walk?.notes.input ?? this.input;
  }

  start(): Promise<AnyDecision> {
    const { signal } = this.options;
    if (signal !== undefined) this.obey(signal);
    try {
      if (this.begin()) return this.finishNow();
    } catch (error) {
      this.fail(error);
    }
    if (this.isFinished) return Promise.reject(this.cancelled);
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  private obey(signal: NonNullable<FireSettings['signal']>): void {
    this.forget = linkAbort(signal, this);
    // A function that makes hooks for an agent, or a getter of the input, may have aborted it since the check.
    if (signal.aborted) this.end(signal.reason);
  }

  private begin(): boolean {
    const { hook } = this.state;
    if (this.candidates.quiet !== undefined && this.clock === undefined && !hook?.foreign) return this.listen();
    // Notes are needed from the start if hooks run in parallel, or if a record will list every hook.
    if (!hook?.foreign) return this.startWalk([]).advance();
    // A tap added during a fire takes effect from the next fire.
    this.tapped = new TappedWalk(this, this.startWalk(hook.taps()));
    void this.tapped.run(hook);
    return false;
  }

  private startWalk(taps: readonly RawTap[]): Walk {
    this.walk = new Walk(this, this.candidates, this.call, taps, () => this.finish());
    return this.walk;
  }

  /** Asks hooks one after the other. false: an answer is pending. */
  private listen(): boolean {
    const { list, plain } = this.candidates;
    if (!plain) this.screen ??= new Screen(this, this.candidates);
    const { screen } = this;
    for (; this.at < list.length && this.cancelled === undefined; this.at++) {
      if (screen !== undefined && !screen.runs(list[this.at] as Registration, this.at)) continue;
      const r = list[this.at] as Registration;
      // A call that timed out is left behind; it cannot serve another hook.
      if (this.call === undefined || this.call.spent)
        this.call = new HandlerCall(this, this, r, 0, this.input, screen?.viewed);
      const result = this.call.begin(r, this.input, 'first');
      if (result === undefined) continue;
      if (result === PENDING) return false;
      if (affectsLaterHooks(result)) return this.walkOn(result);
      this.keep(result);
    }
    return true;
  }

  /** Keeps an answer that changes nothing for later hooks. */
  private keep(result: Attempt): void {
    const short = shortened(result, this.services.largeOutput, this.input['session_id']);
    this.spoken ??= [];
    this.spoken.push(KeptAnswer.of(this.candidates.list[this.at] as Registration, short));
  }

  private walkOn(word: Attempt): boolean {
    const walk = this.startWalk([]);
    this.call?.handTo(walk);
    walk.takeOver(this, word);
    return walk.advance();
  }

  /** The pending call has answered. */
  answered(result: Attempt | undefined): void {
    const affects = result !== undefined && affectsLaterHooks(result);
    if (!affects && result !== undefined) this.keep(result);
    if (!affects) this.at++;
    if (affects ? this.walkOn(result) : this.listen()) this.finish();
  }

  /** Every call completed synchronously. */
  private finishNow(): Promise<AnyDecision> {
    this.forget?.();
    try {
      const decision = this.decide();
      // A handler cancelled the fire synchronously: the other answers must not be read as permission.
      if (this.cancelled) return Promise.reject(this.cancelled);
      if (isAsk(decision) && isOpen(this)) return settleAsk(this, decision);
      const { quiet } = this.candidates;
      return decision === quiet?.decision ? quiet.promise : Promise.resolve(decision);
    } catch (error) {
      return Promise.reject(this.unreadable(error));
    }
  }

  private finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.call?.release();
    this.walk?.release();
    this.forget?.();
    try {
      const decision = this.decide();
      if (this.cancelled) this.reject?.(this.cancelled);
      else this.resolve?.(isAsk(decision) && isOpen(this) ? settleAsk(this, decision) : decision);
    } catch (error) {
      this.reject?.(this.unreadable(error));
    }
  }

  private unreadable(error: unknown): HookscopeError {
    const refused = reportUnreadable(this, error);
    return this.cancelled ?? refused;
  }

  /** The last two steps: fold the answers, then report to subscribers. */
  private decide(): AnyDecision {
    const decision = conclude(this);
    if (this.plan.shadows.length > 0) this.followed = copyForShadows(this);
    const isQuiet = this.walk === undefined && this.spoken === undefined;
    // An open ask is reported once it is settled. Without a subscriber, silence need not be reported.
    return (isQuiet && !this.remembers) || (isAsk(decision) && isOpen(this)) ? decision : tellDecision(this, decision);
  }

  tell(decision: AnyDecision, settled?: SettledAsk): AnyDecision {
    return tellDecision(this, decision, settled);
  }

  /** The input for hooks outside the process. If it cannot be serialised, the fire rejects, which permits nothing. */
  carried(input: Json): CarriedInput | undefined {
    this.carrying ??= new InputCarrier(this.spec, this.services.maxInputBytes, (error) => this.cancel(error));
    return this.carrying.of(input);
  }

  /** The caller's signal has fired. */
  end(cause: unknown): void {
    this.cancel(new HookscopeError('ABORTED', { event: this.spec.name }, { cause }));
  }

  /** Rejects at once, ends every running handler, and asks no further hook. */
  cancel(error: HookscopeError): void {
    this.cancelled ??= error;
    undecided(this, error);
    this.reject?.(this.cancelled);
    if (this.walk === undefined) this.call?.cancel();
    else this.walk.cancel();
  }

  fail(error: unknown): void {
    this.cancel(isHookscopeError(error) ? error : unreadable(this.spec.name, error));
    this.tapped?.leave();
    // No effect if `cancel` ended a pending call: the fire has then finished with it.
    this.finish();
  }

  remaining(registration: Registration): number {
    this.deadlines ??= new Deadlines();
    return this.deadlines.remaining(registration);
  }
}
