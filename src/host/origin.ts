import type { ScopeRef } from '../scopes/tree.js';
import type { RegisterHow } from './register.js';
import type { RegisterOptions } from './types.js';

/** What the public calls say about where hooks come from; the host's own sources (files, plugins) say more. */
export interface Origin extends RegisterOptions {
  readonly parent?: ScopeRef | undefined;
  readonly plugin?: string | undefined;
  readonly dialect?: 'code' | 'claude' | undefined;
  readonly timeout?: number | undefined;
  readonly skip?: RegisterHow['skip'];
  readonly gate?: RegisterHow['gate'];
  readonly context?: RegisterHow['context'];
  readonly root?: string | undefined;
  readonly family?: string | undefined;
  /** Is told what does not keep hooks from being registered. Default: the host's logger. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Hooks that wait for agents of a type. */
export interface Wish {
  readonly hooks: unknown;
  readonly origin: Origin;
}

export const spawnOrigin = (type: string, { origin }: Wish): Origin => ({
  source: { kind: 'spawn', name: type },
  ...origin,
});
