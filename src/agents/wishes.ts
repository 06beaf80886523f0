import { EXTRAS } from '../events/output/extras.js';
import type { Answer } from './codec.js';
import type { Sayable } from './table.js';

/** One part of a decision that the agent is to be told. */
export interface Directive {
  readonly what: Sayable;
  /** The reason of the part, or its text. */
  text?: string | undefined;
  /** The replacement for a value. */
  value?: unknown;
}

/** Splits a decision into its parts. */
export function wishesOf(d: Answer): Directive[] {
  const wishes: Directive[] = [];
  const add = (what: Sayable, more: Omit<Directive, 'what'> = {}): void => void wishes.push({ what, ...more });
  if (d.continue === false) add('stop', text(d.stopReason, d.reason));
  const why = text(d.reason, d.continue === false ? d.stopReason : undefined);
  if (d.verdict !== undefined && d.verdict !== 'none') add(d.verdict, why);
  if (d.blocked === true) add('block', why);
  if (d.continues === true && d.continue !== false) add('continue', text(d.reason));
  if (d.interrupt === true) add('interrupt');
  // A denied call does not run.
  if (d.updatedInput !== undefined && d.verdict !== 'deny') add('rewrite', { value: d.updatedInput });
  if (d.updatedOutput !== undefined) add('rewrite', { value: d.updatedOutput });
  if (d.suppressOutput === true) add('suppress');
  if (d.value !== undefined) add('value', { value: d.value, ...text(d.reason) });
  if (d.updatedPermissions !== undefined && d.updatedPermissions.length > 0)
    add('permissions', { value: d.updatedPermissions });
  const context = (d.additionalContext ?? []).filter((one) => one !== '');
  if (context.length > 0) add('context', { text: context.join('\n') });
  const messages = (d.systemMessages ?? []).filter((one) => one !== '');
  if (messages.length > 0) add('message', { text: messages.join('\n') });
  for (const what of EXTRAS) if (d[what] !== undefined) add(what, { value: d[what] });
  if (d.terminalSequence !== undefined) add('terminalSequence', { text: d.terminalSequence });
  return wishes;
}

/** The first text that is not blank. */
function text(...candidates: readonly (string | undefined)[]): { text?: string } {
  const found = candidates.find((one) => one !== undefined && one.trim() !== '');
  return found === undefined ? {} : { text: found };
}
