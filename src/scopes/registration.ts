import type { Dialect, HandlerKind } from '../events/define.js';
import type { Matcher } from './matcher.js';
import type { Rule } from './rule.js';

export type OnFailure = 'continue' | 'block' | 'ask';
export type Phase = 'rewrite' | 'decide' | 'observe';

/** Where a registration came from, as records and `describe()` show it. */
export interface Source {
  /** `code`, `plugin`, `config`, `hooks-file`, `user`, `project`, `local`, `managed`, `flag`, `agent`, `skill`, `sdk` … */
  readonly kind: string;
  readonly name?: string;
  readonly file?: string;
}
