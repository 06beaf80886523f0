import type { RecordedPolicy } from '../../emit/record.js';
import { HookscopeError } from '../../errors.js';
import { rule } from '../../handlers/rule/spec.js';
import type { HostCore } from '../../host/core.js';
import type { Undo } from '../../host/types.js';
import { readyMatcher } from '../../matching/matcher.js';
import { type PolicyHooks, type PreparedPolicy, partsOf } from './prepare.js';

/** A channel's policy, and why every gate asks, if so. */
export interface PolicyInForce {
  readonly policy?: PreparedPolicy | undefined;
  readonly asks?: string | undefined;
  /** From this time on every gate asks: each fire looks at the clock, whether or not a fleet is still followed, and whatever timers have missed. */
  readonly until?: { readonly time: number; readonly why: string } | undefined;
}

/** The managed scope of all hosts that have joined: what each channel says, in each of them. */
export class ManagedPolicies {
  readonly #hosts = new Map<HostCore, Map<string, Undo>>();
  readonly #channels = new Map<string, PolicyInForce>();
  #isOver = false;

  /** Installs what is in force. Throws BUNDLE_REFUSED: this host cannot take it. */
  join(core: HostCore): Undo {
    const installed = new Map<string, Undo>();
    const forget = core.registrar.atClose('fleet', () => this.#left(core));
    const leave = (): void => {
      forget();
      this.#left(core);
      for (const undo of installed.values()) undo();
      installed.clear();
      core.policies = undefined;
    };
    try {
      for (const [channel, inForce] of this.#channels) installed.set(channel, install(core, channel, inForce));
      core.policies = this.#named();
    } catch (error) {
      leave();
      throw error;
    }
    this.#hosts.set(core, installed);
    return leave;
  }

  /**
   * Puts something else in place of what a channel says, in all hosts, within one turn: no fire finds a part of both, and those under way keep the plan that
   * they began with. Throws BUNDLE_REFUSED where a host cannot take it; then all is as it was.
   */
  replace(channel: string, inForce: PolicyInForce): void {
    const added: { readonly core: HostCore; readonly undo: Undo }[] = [];
    try {
      for (const core of this.#hosts.keys()) added.push({ core, undo: install(core, channel, inForce) });
    } catch (error) {
      for (const { undo } of added) undo();
      throw error;
    }
    const last = this.#channels.get(channel)?.policy;
    this.#channels.set(channel, inForce);
    const policies = this.#named();
    for (const { core, undo } of added) {
      core.policies = policies;
      const installed = this.#hosts.get(core) as Map<string, Undo>;
      const before = installed.get(channel);
      installed.set(channel, undo);
      before?.();
    }
    if (last !== inForce.policy) void last?.plugins.end();
  }

  /** No more changes will come. What is in force stays in the hosts; its plugins end with the last host. */
  close(): void {
    this.#isOver = true;
    this.#endIfAlone();
  }

  #left(core: HostCore): void {
    this.#hosts.delete(core);
    this.#endIfAlone();
  }

  #endIfAlone(): void {
    if (!this.#isOver || this.#hosts.size > 0) return;
    for (const { policy } of this.#channels.values()) void policy?.plugins.end();
  }

  #named(): readonly RecordedPolicy[] {
    const all = [...this.#channels].map(([channel, { policy }]) => {
      const { revision, sequence } = policy?.bundle.manifest ?? {};
      return Object.freeze({ channel, ...(revision === undefined ? {} : { revision, sequence: sequence as number }) });
    });
    return Object.freeze(all);
  }
}

/** All of it or nothing. */
function install(core: HostCore, channel: string, { policy, asks, until }: PolicyInForce): Undo {
  const undos: Undo[] = [];
  const undo = (): void => {
    for (const one of undos.splice(0).reverse()) one();
  };
  let at: string | undefined;
  try {
    for (const { hooks, origin } of [
      ...(policy === undefined ? [] : partsOf(policy, core.events)),
      ...(asks === undefined ? [] : [askingPart(core, channel, asks)]),
      ...(until === undefined ? [] : [askingPart(core, channel, until.why, until.time)]),
    ]) {
      at = origin.source?.file;
      undos.push(core.registrar.register(undefined, hooks, origin, true));
    }
    return undo;
  } catch (error) {
    undo();
    if (!(error instanceof HookscopeError) || policy === undefined) throw error;
    const { where, expected } = error.details as { where?: string; expected?: string };
    const said = where === undefined ? error.message : `${where}: ${expected}`;
    throw new HookscopeError(
      'BUNDLE_REFUSED',
      { bundle: policy.bundle.name, reason: `${at}: ${said}` },
      { cause: error },
    );
  }
}

/** A rule on every gate that can ask, from a time on. */
function askingPart({ events }: HostCore, channel: string, why: string, from?: number): PolicyHooks {
  const gates = Object.values(events).filter(({ spec }) => spec.fold === 'gate' && !spec.nestedDecision);
  const matcher =
    from === undefined
      ? {}
      : { matcher: readyMatcher(`from ${new Date(from).toISOString()} on`, () => Date.now() >= from) };
  const hooks = Object.fromEntries(gates.map(({ spec }) => [spec.name, [{ ...matcher, hooks: [rule('ask', why)] }]]));
  return { hooks, origin: { source: { kind: 'fleet', name: channel }, group: `fleet ${channel}` } };
}
