import type { Decoded } from '../agents/codec.js';
import type { Environment } from '../agents/decode.js';
import { HookscopeError } from '../errors.js';
import { eventName, HOOK_EVENTS, specOf } from '../events/catalogue.js';
import type { Fold } from '../events/spec.js';
import { claudeDecision, lossesIn, whyShown } from '../handlers/untold.js';
import type { AnyDecision } from '../host/decide/decision.js';
import type { FireSettings } from '../host/fire-options.js';
import { nearest } from '../values/nearest.js';
import { type CommandAnswer, decisionAnswer, type FailurePolicy, failureAnswer } from './agent-protocol.js';

/** The default agent. */
export const CLAUDE = 'claude-code';

/** The event read from standard input, translated to ours. */
export type ToldInput = Decoded;

/** How an agent's event is read and answered. */
export interface Protocol {
  /** The agent, as `--as` names it. */
  readonly agent: string;
  /** The event, as the request's path names it. */
  readonly event: string;
  /** Our name of the event; `fold` says what an answer can do. Both are known even if the input cannot be read. */
  readonly ours: string;
  readonly fold: Fold;
  /** A user is at the agent and can be asked. */
  readonly attended: boolean;
  /** The output of an empty answer. */
  readonly quiet: string;
  /** How long the agent waits, in seconds; undefined: the usual time. */
  seconds(configured: number | undefined): number | undefined;
  /** Throws INVALID_INPUT, UNKNOWN_EVENT. */
  read(text: string, env: Environment): ToldInput;
  /** The settings for the fire. */
  settings(
    told: ToldInput,
    policy: FailurePolicy,
  ): Pick<FireSettings, 'doneBy' | 'guards' | 'keepsKeys' | 'keptKeys' | 'losses'>;
  /** The answer for a decision. `late`: context from background hooks. */
  say(decision: AnyDecision, told: ToldInput, late?: readonly string[]): CommandAnswer;
  /** The answer if hooks could not be asked, or not in time. */
  fail(reason: string, policy: FailurePolicy, told?: ToldInput): CommandAnswer;
}

/** Claude Code's protocol, whose format is ours. Throws UNKNOWN_EVENT. */
export function claudeProtocol(given: string, attended = false): Protocol {
  const name = eventName(given);
  const spec = name === undefined ? undefined : specOf(name);
  if (spec === undefined) {
    const names = HOOK_EVENTS;
    const told = { agent: 'Claude Code', known: names.join(', ') };
    throw new HookscopeError('UNKNOWN_EVENT', { event: given, nearest: nearest(given, names), ...told });
  }
  return {
    agent: CLAUDE,
    event: spec.name,
    ours: spec.name,
    fold: spec.fold,
    attended,
    quiet: '',
    seconds: (configured) => configured ?? spec.timeout?.claude,
    read: (text) => ({
      event: spec.name,
      as: spec.name,
      own: false,
      input: JSON.parse(text) as ToldInput['input'],
      losses: [],
    }),
    settings: ({ input }) => ({ doneBy: 'client', losses: (decision) => lossesIn(spec, decision, input) }),
    say(decision, { input }) {
      const said = decisionAnswer(claudeDecision(spec, decision.toJSON(), input));
      const shown = whyShown(spec, decision.suppressOutput);
      return shown === undefined ? said : { ...said, stderr: `hookscope: ${shown}\n` };
    },
    fail: (reason, policy) => failureAnswer(spec, reason, policy),
  };
}
