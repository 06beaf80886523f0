import { clip } from '../../plain.js';
import { nearest } from '../../values/nearest.js';
import { wrongOption } from '../../values/options.js';
import { isText, show } from '../../values/shape.js';
import type { Effect, PermissionAnswer, PermissionMode } from '../options.js';

/** The opinions about an input that nobody has denied. */
export interface PermissionState {
  /** The verdict of the PreToolUse hooks. */
  readonly verdict: 'none' | 'allow' | 'ask';
  readonly rules: Exclude<PermissionAnswer['behavior'], 'deny'>;
  readonly mode: string;
  readonly effect: Effect;
  /** The user or a PermissionRequest hook has allowed exactly this input. */
  readonly granted: boolean;
}

export type PermissionRoute = 'run' | 'ask' | 'classify' | 'refuse';

/** No hook had an opinion, and it is more than a read: what each mode does then. */
const NOBODY_SPOKE: Readonly<Record<PermissionMode, (effect: Effect) => PermissionRoute>> = {
  default: () => 'ask',
  plan: () => 'ask',
  acceptEdits: (effect) => (effect === 'edit' ? 'run' : 'ask'),
  bypassPermissions: () => 'run',
  dontAsk: () => 'refuse',
  auto: () => 'classify',
};

export const MODES: readonly string[] = Object.keys(NOBODY_SPOKE);

export const isMode = (mode: unknown): mode is PermissionMode => isText(mode) && MODES.includes(mode);

/** Throws INVALID_OPTIONS for an unknown mode, which would ask or refuse less than was meant. */
export function checkMode(where: string, mode: unknown): void {
  if (mode === undefined || isMode(mode)) return;
  const near = isText(mode) ? nearest(mode, MODES) : undefined;
  throw wrongOption(where, `expected one of ${MODES.join(', ')}, got ${clip(show(mode), 40)}`, near);
}

/**
 * Whether an input runs. An ask counts in every mode (`dontAsk` turns it into a refusal). Otherwise an allow by a hook or the
 * rules is enough, except for edits in plan mode; a read needs no allow.
 */
export function settlePermission({ verdict, rules, mode, effect, granted }: PermissionState): PermissionRoute {
  if (granted) return 'run';
  if (verdict === 'ask' || rules === 'ask') return mode === 'dontAsk' ? 'refuse' : 'ask';
  const planned = mode === 'plan' && effect === 'edit';
  if ((verdict === 'allow' || rules === 'allow') && !planned) return 'run';
  if (effect === 'read') return 'run';
  // No other is ever set.
  return NOBODY_SPOKE[mode as PermissionMode](effect);
}
