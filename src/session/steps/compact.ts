import { randomUUID } from 'node:crypto';
import type { Decision } from '../../host/types.js';
import { checkKeys, checkOption, type Keys } from '../../values/options.js';
import { checks, type OptionCheck, oneOf } from '../../values/shape.js';
import { resultOf } from '../../values/waiting/promises.js';
import { messagesForModel, remember, tellUser, wait } from '../context.js';
import { type Core, wasCut } from '../core.js';
import { orAborted } from '../questions.js';
import { afterwards } from '../tool/results.js';

/** The options of `session.compact`. */
export interface CompactOptions {
  /** `manual`: the user asked for it, which counts as a prompt. */
  readonly trigger: 'manual' | 'auto';
  readonly custom_instructions?: string | null | undefined;
  /** Default: the session's. */
  readonly model?: string | undefined;
  /** Makes the summary. `instructions`: the user's, followed by what PreCompact hooks add; null if there are none. */
  run(instructions: string | null, context: { readonly signal: AbortSignal }): string | Promise<string>;
}

const COMPACT: Keys<CompactOptions> = {
  trigger: oneOf('manual', 'auto'),
  custom_instructions: checks.textOrNull,
  model: checks.text,
  run: checks.fn,
};

/** The result of a compaction. */
export interface CompactAnswer {
  /** Nothing was compacted: a hook refused it, or it was interrupted. */
  readonly blocked: boolean;
  readonly reason?: string;
  readonly summary?: string;
  readonly instructions: string | null;
  readonly decision?: Decision<'PreCompact'>;
}

/** PreCompact, the compaction, SessionStart (source `compact`), PostCompact. Rejects with what `run` throws; nothing more is fired. */
export async function runCompact(core: Core, options: CompactOptions): Promise<CompactAnswer> {
  core.demand('compact');
  checkOption('compact(options)', options, checks.object);
  checkKeys(options, COMPACT, 'compact: ');
  checkOption('compact: run', options.run, checks.fn);
  checkOption('compact: trigger', options.trigger, COMPACT.trigger as OptionCheck);
  const { trigger, custom_instructions = null } = options;
  if (trigger === 'manual') core.beside(randomUUID());
  const { signal } = core;
  let decision: Decision<'PreCompact'> | undefined;
  let instructions = custom_instructions;
  let summary: string;
  try {
    decision = await core.fire('PreCompact', { trigger, custom_instructions }, { signal });
    tellUser(core, decision);
    instructions = withInstructions(instructions, decision.additionalContext);
    wait(core, messagesForModel(decision));
    const { blocked, reason } = decision;
    if (blocked) return { blocked, ...(reason === undefined ? {} : { reason }), instructions, decision };
    const running = resultOf(() => options.run(instructions, { signal })) as Promise<string>;
    summary = await orAborted(running, signal, 'PostCompact');
    checkOption('compact: the summary that run returns', summary, checks.text);
  } catch (error) {
    if (wasCut(error)) return { blocked: true, reason: core.cutText('The compaction'), instructions };
    throw error;
  }
  // The compaction is done; events that are cut short now do not undo it.
  const model = options.model ?? core.model;
  const restarted = await afterwards(
    core.fire('SessionStart', { source: 'compact', model, session_title: core.title }, { signal }),
  );
  if (restarted) remember(core, restarted);
  const after = await afterwards(core.fire('PostCompact', { trigger, compact_summary: summary }, { signal }));
  if (after) tellUser(core, after);
  return { blocked: false, summary, instructions, decision };
}

function withInstructions(own: string | null, added: readonly string[]): string | null {
  return added.length === 0 ? own : [...(own ? [own] : []), ...added].join('\n');
}
