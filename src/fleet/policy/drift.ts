import { createHost } from '../../create-host.js';
import type { FireRecord } from '../../emit/fire-record.js';
import type { HostCore } from '../../host/core.js';
import { servicesOf } from '../../host/internals.js';
import { about } from '../../why/about.js';
import { Managed } from './managed.js';
import type { Policy } from './prepare.js';

/** How many of a host's newest decisions are looked at. */
export const RECENT = 1_000;

/** What another bundle would have changed. */
export interface Drift {
  readonly fires: number;
  readonly changed: number;
  /** How many by event, by what they came to and would come to: `PreToolUse: none -> deny by acme/base/Bash(git push *)`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The first of them. */
  readonly examples: readonly {
    readonly fire: string;
    readonly event: string;
    readonly about: string;
    readonly then: string;
    readonly now: string;
  }[];
}

const RANK = ['none', 'allow', 'ask', 'defer', 'deny'];

/**
 * What a bundle would have decided of what was recorded. Nothing runs: rules, matchers, `if` and enforcement are computed anew, what other hooks have said
 * stands, also that of commands and the like of a former bundle; what is new and no rule counts as silent.
 */
export async function driftOf(policy: Policy, records: AsyncIterable<FireRecord>, most = 5): Promise<Drift> {
  const rules = rulesOf(policy);
  const host = createHost({ logger: () => undefined });
  const core: HostCore = servicesOf(host);
  const managed = new Managed();
  managed.join(core);
  managed.replace('drift', { policy: rules });
  let [fires, changed] = [0, 0];
  const kinds = new Map<string, number>();
  const examples: Drift['examples'][number][] = [];
  try {
    for await (const record of records) {
      const { event, decision, handlers, input } = record;
      if (record.shadow_of !== undefined || record.error !== undefined || !(event in core.events)) continue;
      const then = wordOf(decision);
      if (then === undefined) continue;
      fires += 1;
      const others = handlers
        .filter(
          ({ source, handler, status, verdict }) =>
            (source.kind !== 'fleet' || handler !== 'rule') && status !== 'skipped' && verdict !== undefined,
        )
        .map(({ verdict }) => verdict as string);
      const found = await host.fireAny(event, { ...input, ...record.final_input });
      const own = wordOf(found) ?? 'none';
      const now = decision.blocked === undefined ? strictest([...others, own]) : blockedBy([...others, own]);
      if (now === then) continue;
      changed += 1;
      const by = now === own ? (found.decidedBy ?? '').replace(/#\d+$/, '') : '';
      const kind = `${event}: ${then} -> ${now}${by === '' ? '' : ` by ${by}`}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (examples.length < most) examples.push({ fire: record.fire_id, event, about: about(record), then, now });
    }
  } finally {
    await host.close();
  }
  return { fires, changed, kinds: Object.fromEntries([...kinds].sort((a, b) => b[1] - a[1])), examples };
}

/** What an event came to, of those that can be stopped. */
function wordOf(decision: object): string | undefined {
  const { verdict, blocked } = decision as { verdict?: string | undefined; blocked?: boolean | undefined };
  return verdict ?? (blocked === undefined ? undefined : blocked ? 'block' : 'none');
}

const strictest = (verdicts: readonly string[]): string =>
  verdicts.reduce((a, b) => (RANK.indexOf(b) > RANK.indexOf(a) ? b : a), 'none');
const blockedBy = (verdicts: readonly string[]): string =>
  verdicts.some((verdict) => verdict === 'block' || verdict === 'deny') ? 'block' : 'none';

/** The same without what would run something. */
function rulesOf(policy: Policy): Policy {
  type Hooks = NonNullable<Policy['files'][number]['hooks']>;
  const only = (hooks: Hooks): Hooks =>
    Object.fromEntries(
      Object.entries(hooks).map(([event, groups]) => [
        event,
        groups.map((group) => ({ ...group, hooks: group.hooks.filter(({ type }) => type === 'rule') })),
      ]),
    );
  const files = policy.files.map(({ hooks, spawnHooks, ...file }) => ({
    ...file,
    ...(hooks && { hooks: only(hooks) }),
    ...(spawnHooks && {
      spawnHooks: Object.fromEntries(Object.entries(spawnHooks).map(([type, own]) => [type, only(own)])),
    }),
  }));
  return { ...policy, files };
}
