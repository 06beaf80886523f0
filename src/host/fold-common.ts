import type { EventEntry } from '../events/define.js';
import type { DecisionFailure, DecisionFields, HandlerOutcome } from './decision.js';
import { effectOf } from './failure.js';
import type { Said } from './fold.js';
import type { Failure } from './handlers/handler.js';

/** What every event has. */
export function common(entry: EventEntry, said: readonly Said[], subject: string | undefined): DecisionFields {
  const additionalContext: string[] = [];
  const systemMessages: string[] = [];
  const failures: DecisionFailure[] = [];
  const fields: DecisionFields = { additionalContext, systemMessages, failures };
  for (const s of said) {
    if (s.failure) failures.push(listFailure(entry, s, subject));
    if (!s.outcome) continue;
    if (s.outcome.additionalContext !== undefined) additionalContext.push(s.outcome.additionalContext);
    if (s.outcome.systemMessage !== undefined) systemMessages.push(s.outcome.systemMessage);
    if (s.outcome.suppressOutput && s.registration.dialect === 'code') fields.suppressOutput = true;
    if (s.outcome.continue === false && entry.endsLoop) {
      fields.continue = false;
      if (s.outcome.stopReason !== undefined) fields.stopReason ??= s.outcome.stopReason;
    }
  }
  return fields;
}

function listFailure(entry: EventEntry, s: Said, subject: string | undefined): DecisionFailure {
  const { id, name, onFailure } = s.registration;
  const failure = s.failure as Failure;
  return {
    id,
    name,
    cause: failure.cause,
    message: failure.message,
    ...(failure.blocks ? { blocks: true as const } : {}),
    blocked: effectOf(entry, onFailure, failure) !== 'none' && !entry.unblockable?.includes(subject ?? ''),
  };
}

/** Event-specific keys: lists are joined, of flags and strings the last in plan order counts. Those of a nested verdict go with it. */
export function specifics(entry: EventEntry, said: readonly Said[]): DecisionFields {
  const fields: Record<string, unknown> = {};
  for (const s of said) {
    const { terminalSequence, ...own } = s.outcome?.specific ?? {};
    if (terminalSequence !== undefined)
      fields['terminalSequence'] = `${fields['terminalSequence'] ?? ''}${terminalSequence}`;
    if (entry.interrupts && s.outcome?.continue === false) fields['interrupt'] = true;
    if (entry.nestedDecision) continue;
    for (const [key, value] of Object.entries(own)) {
      const before = fields[key];
      fields[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
  }
  return fields as DecisionFields;
}

/** What each handler said, in plan order. */
export function listOutcomes(said: readonly Said[]): HandlerOutcome[] {
  return said.map(({ registration, outcome }) => {
    const out: { -readonly [K in keyof HandlerOutcome]: HandlerOutcome[K] } = {
      id: registration.id,
      name: registration.name,
    };
    if (registration.dialect === 'claude') out.dialect = 'claude';
    if (!outcome) return out;
    const decision = outcome.verdict ?? (outcome.block ? 'block' : undefined);
    if (decision !== undefined) out.decision = decision;
    const message = outcome.systemMessage ?? outcome.reason;
    if (message !== undefined) out.message = message;
    if (outcome.continue !== undefined) out.continue = outcome.continue;
    if (outcome.systemMessage !== undefined) out.systemMessage = outcome.systemMessage;
    if (outcome.suppressOutput !== undefined) out.suppressOutput = outcome.suppressOutput;
    if (outcome.stopReason !== undefined) out.stopReason = outcome.stopReason;
    if (outcome.reason !== undefined) out.reason = outcome.reason;
    const specific = outcome.output['hookSpecificOutput'];
    if (specific !== undefined) out.hookSpecificOutput = specific as Readonly<Record<string, unknown>>;
    return out;
  });
}
