import type { Effect, PermissionAnswer, PermissionMode } from '../options.js';

/** What is known about an input after all judges have answered and none has denied it. */
export interface Standing {
  /** The verdict of the PreToolUse hooks. */
  readonly verdict: 'none' | 'allow' | 'ask';
  readonly rules: Exclude<PermissionAnswer['behavior'], 'deny'>;
  readonly mode: string;
  readonly effect: Effect;
  /** The user or a PermissionRequest hook has allowed this very input. */
  readonly granted: boolean;
}

export type Settled = 'run' | 'ask' | 'classify' | 'refuse';

/** No hook had an opinion, and it is more than a read: what each mode does then. An unknown mode is `default`. */
const NOBODY_SPOKE: Readonly<Record<PermissionMode, (effect: Effect) => Settled>> = {
  default: () => 'ask',
  plan: () => 'ask',
  acceptEdits: (effect) => (effect === 'edit' ? 'run' : 'ask'),
  bypassPermissions: () => 'run',
  dontAsk: () => 'refuse',
  auto: () => 'classify',
};

/**
 * Whether an input runs. An ask counts in every mode (`dontAsk` then refuses); otherwise an allow, of a hook or of the
 * rules, is enough, except for edits in plan mode; a read needs none.
 */
export function settlePermission({ verdict, rules, mode, effect, granted }: Standing): Settled {
  if (granted) return 'run';
  if (verdict === 'ask' || rules === 'ask') return mode === 'dontAsk' ? 'refuse' : 'ask';
  const planned = mode === 'plan' && effect === 'edit';
  if ((verdict === 'allow' || rules === 'allow') && !planned) return 'run';
  if (effect === 'read') return 'run';
  const silent = Object.hasOwn(NOBODY_SPOKE, mode) ? NOBODY_SPOKE[mode as PermissionMode] : NOBODY_SPOKE.default;
  return silent(effect);
}
