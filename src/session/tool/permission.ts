import { isDeepStrictEqual } from 'node:util';
import type { HandlerOutcome } from '../../host/decide/decision.js';
import type { Decision } from '../../host/types.js';
import { tellUser } from '../context.js';
import type { Core } from '../core.js';
import type { PermissionAnswer } from '../options.js';
import { type FailedQuestion, type QuestionContext, question } from '../questions.js';
import { answersAlone, askerOf, isForAnother, isForUser, isUnseen, unseenInput, wasApproved } from './approved.js';
import type { CheckedCall } from './call.js';
import { callFields } from './call.js';
import { fireFor } from './call-record.js';
import { deniedText } from './content.js';
import { CallGrants } from './grants.js';
import type { Approval, DeniedBy, Judgement } from './judgement.js';
import { type PermissionRoute, settlePermission } from './modes.js';

type PreDecision = Decision<'PreToolUse'>;

/** An input that is still being rewritten after this many rounds never runs. */
const ROUNDS = 10;
const NOBODY: readonly string[] = [];

/**
 * Judges a call: by the PreToolUse hooks, by the harness's rules about the hooks' final input and, if one of them asks or no hook
 * had an opinion, by the PermissionRequest hooks and the user. A rewrite after the hooks makes judging begin again with it.
 * Rejects as `host.fire` does. A missing answer is never permission.
 */
export function judgeCall(core: Core, call: CheckedCall): Promise<Judgement> {
  return new CallJudge(core, call).judge();
}

/** The judging of one call. Steps return `undefined` if the input was rewritten after the hooks had judged it. */
class CallJudge {
  readonly #core: Core;
  readonly #call: CheckedCall;
  #input: unknown;
  #pre: PreDecision | undefined;
  /** The input that the user or a PermissionRequest hook allowed. */
  #allowed: (Approval & { readonly input: unknown }) | undefined;
  readonly #grants: CallGrants;
  #rewriters: readonly string[] = NOBODY;
  /** Whether anyone asked or was asked, in any round. */
  #questioned = false;
  /** `once` guards that ran for this call, which must also judge its rewritten inputs. */
  readonly #ranBefore: string[] = [];

  constructor(core: Core, call: CheckedCall) {
    this.#core = core;
    this.#grants = new CallGrants(core);
    this.#call = call;
    this.#input = call.input;
  }

  async judge(): Promise<Judgement> {
    for (let round = 0; round < ROUNDS; round++) {
      const pre = await this.#askHooks();
      const said = this.#hear(pre);
      if (said) return said;
      const verdict = pre.verdict as QuestionContext['verdict'];
      const rules =
        this.#call.permission && (await this.#question('permission', { verdict, reason: pre.reason, suggestions: [] }));
      const judged = this.#weigh(pre, verdict, rules);
      const settled = judged instanceof Promise ? await judged : judged;
      if (settled) return settled;
    }
    return this.#denied('failure', `The input was still being rewritten after ${ROUNDS} rounds.`);
  }

  /** The result if the PreToolUse hooks alone decide; otherwise undefined. */
  #hear(pre: PreDecision): Judgement | undefined {
    this.#pre = pre;
    tellUser(this.#core, pre);
    const { verdict } = pre;
    if (verdict === 'ask') this.#questioned = true;
    if (pre.updatedInput !== undefined) this.#rewrite(pre.updatedInput, rewriters(pre));
    if (verdict === 'deny') {
      const text = deniedText(`PreToolUse:${this.#call.name}`, pre.reason);
      if (pre.answered !== undefined)
        return this.#denied(pre.answered.answer === 'none' ? 'nobody' : 'person', pre.reason, { text });
      return this.#denied('hook', pre.reason, { text, decidedBy: pre.decidedBy });
    }
    if (verdict === 'defer') return { ...this.#soFar('deferred'), reason: pre.reason, decidedBy: pre.decidedBy };
    return undefined;
  }

  /** Combines the verdict of the hooks, which did not deny, with the answer of the rules. */
  #weigh(
    pre: PreDecision,
    verdict: QuestionContext['verdict'],
    rules: PermissionAnswer | FailedQuestion | undefined,
  ): Judgement | Promise<Judgement | undefined> | undefined {
    if (rules && 'failed' in rules) return this.#denied('failure', rules.failed);
    if (rules?.behavior === 'deny') return this.#denied('rules', rules.message);
    if (rules?.updatedInput !== undefined && this.#rewrite(rules.updatedInput, ['permission()'])) return undefined;
    const reason = (verdict === 'ask' ? pre.reason : undefined) ?? rules?.message;
    const told = { verdict, reason, suggestions: rules?.suggestions ?? [] };
    const granted = this.#isGranted();
    switch (this.#settle(verdict, rules?.behavior ?? 'none', granted)) {
      case 'run':
        return this.#run(granted ? this.#allowed : this.#approval(pre, rules?.behavior));
      case 'refuse':
        return this.#denied('mode', reason);
      case 'classify':
        return this.#classify(told);
      case 'ask':
        return this.#request(told);
    }
  }

  /** Whether exactly this input was allowed. A hook cannot allow it in place of a user who was asked. */
  #isGranted(): boolean {
    const allowed = this.#allowed;
    if (allowed === undefined || !isDeepStrictEqual(allowed.input, this.#input)) return false;
    return allowed.approver === 'user' || !this.#isUsers();
  }

  /** Whether only the user can allow the input, because the user was asked about it or about another input of the call. */
  #isUsers(): boolean {
    const { pause } = this.#call.tool;
    return answersAlone(pause, this.#input) || isForAnother(pause, this.#input);
  }

  #settle(
    verdict: QuestionContext['verdict'],
    rules: Exclude<PermissionAnswer['behavior'], 'deny'>,
    granted: boolean,
  ): PermissionRoute {
    const { effect, needsApproval, tool } = this.#call;
    if (isForUser(tool.pause)) return granted ? 'run' : 'ask';
    // If the user approved another input, this one needs a new answer, whoever else allows it.
    const ruled = needsApproval || isForAnother(tool.pause, this.#input) ? 'ask' : rules;
    const mode = this.#grants.ofUser.permission_mode;
    const settled = settlePermission({ verdict, rules: ruled, mode, effect, granted });
    if (granted || settled === 'refuse') return settled;
    if (answersAlone(tool.pause, this.#input)) return 'ask';
    // The classifier is not asked about an input that the user allowed.
    return settled === 'classify' && wasApproved(tool.pause, this.#input) ? 'run' : settled;
  }

  #approval(pre: PreDecision, rules: PermissionAnswer['behavior'] | undefined): Approval {
    return wasApproved(this.#call.tool.pause, this.#input) ? { approver: 'user' } : approval(pre, rules);
  }

  #denied(
    by: DeniedBy,
    reason: string | undefined,
    more: Pick<Judgement, 'text' | 'interrupts' | 'decidedBy'> = {},
  ): Judgement {
    const why = reason || usualReason(by, this.#call.name, this.#grants.ofUser.permission_mode);
    return { ...this.#soFar('denied'), by, reason: why, ...more, text: more.text ?? why };
  }

  /** Lets the call run: what was granted with it applies now. */
  #run({ approver, decidedBy, reason }: Approval = {}): Judgement {
    const rewrittenBy = this.#rewriters.length === 0 ? undefined : this.#rewriters;
    const granted = this.#grants.apply(this.#call);
    const asked = this.#questioned;
    return {
      verdict: 'run',
      input: this.#input,
      pre: this.#pre as PreDecision,
      granted,
      rewrittenBy,
      asked,
      approver,
      decidedBy,
      reason,
    };
  }

  #soFar(verdict: Judgement['verdict']): Judgement {
    return { verdict, input: this.#input, pre: this.#pre as PreDecision, granted: [] };
  }

  #askHooks(): Promise<PreDecision> {
    const { signal } = this.#call;
    return fireFor(this.#core, this.#call, 'PreToolUse', callFields(this.#call, this.#input), {
      signal,
      ranBefore: this.#ranBefore,
      canAsk: this.#call.ask !== undefined,
    });
  }

  #question<Q extends 'permission' | 'ask' | 'classify'>(
    what: Q,
    told: QuestionContext,
    { call = this.#call, asker }: { readonly call?: CheckedCall; readonly asker?: string } = {},
  ): ReturnType<typeof question<Q>> {
    const { ofUser } = this.#grants;
    return question(this.#core, call, what, { input: this.#input, told: { ...told, ...ofUser }, asker });
  }

  async #classify(told: QuestionContext): Promise<Judgement | undefined> {
    const answer = await this.#question('classify', told);
    if (answer === undefined) return this.#request(told);
    if ('failed' in answer) return this.#denied('failure', answer.failed);
    if (answer.behavior === 'allow') return this.#run({ approver: 'classifier' });
    if (answer.behavior === 'deny') return this.#denied('classifier', answer.message);
    return this.#request({ ...told, reason: answer.message ?? told.reason });
  }

  /** Asks the PermissionRequest hooks, then the user. */
  async #request(told: QuestionContext): Promise<Judgement | undefined> {
    const { id, name, mcp, signal } = this.#call;
    const suggestions = told.suggestions.length > 0 ? told.suggestions : undefined;
    const fields = { tool_name: name, tool_input: this.#input, permission_suggestions: suggestions, mcp_server: mcp };
    const hooks = await fireFor(this.#core, this.#call, 'PermissionRequest', fields, { signal, toolUseID: id });
    tellUser(this.#core, hooks);
    if (hooks.verdict === 'deny' || hooks.interrupt) {
      const { interrupt: interrupts, decidedBy } = hooks;
      return this.#denied('hook', hooks.reason ?? hooks.stopReason, { interrupts, decidedBy });
    }
    if (hooks.verdict === 'allow' && !this.#isUsers())
      return this.#allow(hooks, told, {
        by: { approver: 'hook', decidedBy: hooks.decidedBy, reason: hooks.reason },
        names: rewriters(hooks),
      });
    this.#questioned = true;
    const { pause } = this.#call.tool;
    const ask = answersAlone(pause, this.#input) ? pause : this.#call.ask;
    if (ask === pause && isUnseen(pause, this.#input))
      return this.#denied('nobody', unseenInput(name, pause, this.#rewriters));
    const asker = ask === pause ? askerOf(pause) : 'ask';
    const answer = await this.#question('ask', told, { call: { ...this.#call, ask }, asker });
    if (answer === undefined) return this.#denied('nobody', told.reason);
    if ('failed' in answer) return this.#denied('failure', answer.failed);
    if (answer.behavior !== 'allow') return this.#denied('person', answer.message, { interrupts: answer.interrupt });
    return this.#allow(answer, told, { by: { approver: 'user' }, names: ['ask()'] });
  }

  /** Handles an allow: the input runs if it is unchanged; a rewritten one is judged again. */
  #allow(
    {
      updatedInput,
      updatedPermissions: permissions = [],
    }: { readonly updatedInput?: unknown; readonly updatedPermissions?: readonly unknown[] | undefined },
    told: QuestionContext,
    { by, names }: { readonly by: Approval; readonly names: readonly string[] },
  ): Judgement | undefined {
    const changed = updatedInput !== undefined && this.#rewrite(updatedInput, names);
    this.#allowed = { ...by, input: this.#input };
    this.#grants.add(permissions, told, by.approver);
    return changed ? undefined : this.#run(by);
  }

  /** Takes a rewritten input; false if it equals the present one. */
  #rewrite(input: unknown, by: readonly string[]): boolean {
    if (isDeepStrictEqual(input, this.#input)) return false;
    this.#input = input;
    this.#rewriters = [...new Set([...this.#rewriters, ...by])];
    return true;
  }
}

/** The hooks that rewrote the input, in plan order. */
function rewriters({ outcomes }: Pick<PreDecision, 'outcomes'>): string[] {
  return outcomes.filter((o) => newInput(o.hookSpecificOutput) !== undefined).map((o) => `the hook "${o.name}"`);
}

function newInput(said: HandlerOutcome['hookSpecificOutput']): unknown {
  return said?.['updatedInput'] ?? (said?.['decision'] as { updatedInput?: unknown } | undefined)?.updatedInput;
}

/** Who allowed a call about which nobody was asked: a hook, a rule or the mode. */
function approval(
  { verdict, decidedBy, reason, answered }: PreDecision,
  rules: PermissionAnswer['behavior'] | undefined,
): Approval {
  if (answered?.answer === 'allow') return { approver: 'user' };
  if (verdict === 'allow') return { approver: 'hook', decidedBy, reason };
  return { approver: rules === 'allow' ? 'rule' : 'mode' };
}

function usualReason(by: DeniedBy, name: string, mode: string): string {
  if (by === 'mode') return `Permission to use ${name} has been denied: permission mode ${mode} asks nobody.`;
  if (by === 'person') return `The user denied permission to use ${name}.`;
  if (by === 'nobody') return `Permission to use ${name} was not granted: nobody was there to be asked.`;
  return `Permission to use ${name} has been denied.`;
}
