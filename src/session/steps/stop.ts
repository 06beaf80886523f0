import type { Decision } from '../../host/types.js';
import { messagesForModel, remember, tellUser, wait } from '../context.js';
import { type Core, wasCut } from '../core.js';
import { endAgent } from './close.js';
import { fireStop, type StopOptions } from './stop-event.js';

/** What the harness has to do next. */
export interface StopAnswer {
  /** The loop continues, with `instruction` as the next message. */
  readonly continues: boolean;
  readonly instruction?: string;
  /** Continuations in a row so far: with `continues` this one included, else those before the loop ended. 0 if the loop was over before. */
  readonly continuations: number;
  /** Hooks wanted to continue, but the loop ended. */
  readonly capped: boolean;
  /** The decision on Stop or SubagentStop; absent if neither was fired, because the loop was over before (interrupted, or ended by a hook). */
  readonly decision?: Decision<'Stop'> | Decision<'SubagentStop'>;
}

/** Stops the loop. On a closed session, or if the loop is over, nothing is fired. A stop under way is joined. */
export function runStop(core: Core, options: StopOptions): Promise<StopAnswer> {
  if (!core.isOpen) return Promise.resolve(ended(core));
  return core.stop(() => stop(core, options));
}

async function stop(core: Core, options: StopOptions): Promise<StopAnswer> {
  if (core.over === undefined && options.error !== undefined) tellFailure(core, options);
  if (core.over !== undefined || options.error !== undefined) {
    return finish(core);
  }
  const most = core.settings.maxStopContinuations ?? core.deps.maxStopContinuations;
  const decision = await fireStop(core, options, core.continuations >= most ? 'cap' : undefined);
  if (!decision?.continues) {
    // The hooks' texts wait for the next turn. (An agent has no next turn.)
    if (decision) remember(core, decision);
    // Counted before the end, which forgets them.
    const { continuations } = core;
    const answer = await finish(core);
    return decision ? { ...answer, decision, continuations, capped: decision.endedBy === 'cap' } : answer;
  }
  tellUser(core, decision);
  wait(core, messagesForModel(decision));
  core.goOn();
  return {
    continues: true,
    instruction: instructionOf(decision),
    continuations: core.continuations,
    capped: false,
    decision,
  };
}

function tellFailure(core: Core, { error, errorDetails, lastMessage }: StopOptions): void {
  const fields = { error, error_details: errorDetails, last_assistant_message: lastMessage };
  core.fire('StopFailure', fields).then(
    (decision) => tellUser(core, decision),
    (failure) => {
      if (!wasCut(failure)) core.deps.report(`StopFailure was not fired: ${String(failure)}`, failure);
    },
  );
}

/** The model's next instruction: the reason, then the context. */
function instructionOf({ reason, additionalContext }: Decision<'Stop'> | Decision<'SubagentStop'>): string {
  return [...(reason === undefined ? [] : [reason]), ...additionalContext].join('\n') || 'Continue.';
}

/** Ends the turn and, for an agent, the agent. A concurrent close of the agent waits for this stop and ends it. */
async function finish(core: Core): Promise<StopAnswer> {
  core.rest();
  if (core.parent) {
    core.shut();
    if (!core.isEnding) await endAgent(core);
  }
  return ended(core);
}

function ended(core: Core): StopAnswer {
  return { continues: false, continuations: core.continuations, capped: false };
}
