import { isDeepStrictEqual } from 'node:util';
import type { Core } from '../core.js';
import { applyPermissions, newMode, type QuestionContext, type UserGrants } from '../questions.js';
import { type CheckedCall, describeCall } from './call.js';
import type { ApproverKind } from './judgement.js';

interface Grant {
  readonly permissions: readonly unknown[];
  readonly told: QuestionContext;
  readonly by: ApproverKind | undefined;
}

/** Permissions that came with an allow of a call. They apply once it is let run, and with a denial not at all; while it is judged again, the user's count for it alone. */
export class CallGrants {
  readonly #core: Core;
  #all: readonly Grant[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  /** Adds what came with an allow. The same granted again is granted once, by the user if one of them was. */
  add(permissions: readonly unknown[], told: QuestionContext, by: ApproverKind | undefined): void {
    if (permissions.length === 0) return;
    const same = this.#all.find((one) => isDeepStrictEqual(one.permissions, permissions));
    if (same?.by === 'user') return;
    this.#all = [...this.#all.filter((one) => one !== same), { permissions, told, by }];
  }

  /** What the user has granted with this call, for an earlier input of it, and the mode with that. */
  get ofUser(): UserGrants {
    const granted = this.#all.flatMap(({ permissions, by }) => (by === 'user' ? permissions : []));
    return { granted, permission_mode: newMode(granted) ?? this.#core.mode };
  }

  /** Applies all of them; returns them. */
  apply(call: CheckedCall): readonly unknown[] {
    for (const { permissions, told } of this.#all)
      applyPermissions(this.#core, permissions, describeCall(this.#core, call, told));
    return this.#all.flatMap(({ permissions }) => permissions);
  }
}
