import type { Decoded } from '../agents/codec.js';
import { HookscopeError } from '../errors.js';
import { eventName, HOOK_EVENTS, specOf } from '../events/catalogue.js';
import type { Fold } from '../events/spec.js';
import { carried, lossesIn } from '../handlers/untold.js';
import type { AnyDecision } from '../host/decide/decision.js';
import type { FireSettings } from '../host/fire-options.js';
import { nearest } from '../values/nearest.js';
import { type CommandAnswer, decided, type FailurePolicy, failed } from './agent-protocol.js';

/** The agent that is meant where none is named. */
export const CLAUDE = 'claude-code';

type Env = Readonly<Record<string, string | undefined>>;

/** The event read from standard input, translated to ours. */
export type ToldInput = Decoded;

/** How an agent's event is read, and how its answer is written. */
export interface Protocol {
  /** The agent, as `--as` names it. */
  readonly agent: string;
  /** The event, as the request's path names it. */
  readonly event: string;
  /** The same in our words, and what an answer to it can do: also where an input cannot be read. */
  readonly ours: string;
  readonly fold: Fold;
  /** A person sits there, and can be asked. */
  readonly attended: boolean;
  /** What is printed if there is nothing to say. */
  readonly quiet: string;
  /** Seconds that the agent waits; undefined: the usual. */
  seconds(configured: number | undefined): number | undefined;
  /** Throws INVALID_INPUT, UNKNOWN_EVENT. */
  read(text: string, env: Env): ToldInput;
  /** The settings for the fire. */
  settings(
    told: ToldInput,
    policy: FailurePolicy,
  ): Pick<FireSettings, 'doneBy' | 'guards' | 'keepsKeys' | 'keptKeys' | 'losses'>;
  /** The hooks were asked. `late`: what hooks in the background have left. */
  say(decision: AnyDecision, told: ToldInput, late?: readonly string[]): CommandAnswer;
  /** They could not be asked, or not in time. */
  fail(reason: string, policy: FailurePolicy, told?: ToldInput): CommandAnswer;
}

/** Claude Code's, whose words are ours. Throws UNKNOWN_EVENT. */
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
    say: (decision, { input }) => decided(carried(spec, decision.toJSON(), input)),
    fail: (reason, policy) => failed(spec, reason, policy),
  };
}
