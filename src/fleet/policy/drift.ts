import { createHost, type Host } from '../../create-host.js';
import type { FireRecord, HandlerRecord } from '../../emit/fire-record.js';
import { isWithdrawn } from '../../emit/reading/answers.js';
import { HookscopeError } from '../../errors.js';
import { servicesOf } from '../../host/internals.js';
import { STARTER_NOT_RECORDED } from '../../replay/judge.js';
import { replay } from '../../replay/replay.js';
import { about } from '../../why/about.js';
import { ManagedPolicies } from './managed.js';
import { isOfChannel, isOfNoBundle, type PreparedPolicy } from './prepare.js';

/** How many of a host's newest decisions are compared. */
export const RECENT = 1_000;

/** The differences that another bundle would have made. */
export interface Drift {
  readonly fires: number;
  readonly changed: number;
  /**
   * How many could not be determined: a hook of the bundle was not asked back then, and could have changed them; its answer is taken as silence. Or an older
   * record does not say who has started the agent; such a decision has not changed.
   */
  readonly unknown: number;
  /** How many by event, and by the old and new decision: `PreToolUse: none -> deny by acme/base/Bash(git push *)`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The undetermined ones, by the hook that would have to be asked. */
  readonly unasked: Readonly<Record<string, number>>;
  /** The first of those that change. */
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
 * What a bundle would have decided of what was recorded: a replay. Nothing runs. Rules, matchers, `if`, enforcement and failure policies are computed anew;
 * what a command or the like of the bundle says is what was recorded of the same one; what hooks of others have said stands.
 */
export async function driftOf(policy: PreparedPolicy, records: AsyncIterable<FireRecord>, most = 5): Promise<Drift> {
  const host = createHost({ logger: () => undefined }) as Host;
  const { events } = servicesOf(host);
  const { channel } = policy.bundle.manifest;
  const isOurs = hooksOf(channel);
  const managed = new ManagedPolicies();
  managed.join(servicesOf(host));
  managed.replace('drift', { policy });
  /** By id, until they are decided. */
  const waiting = new Map<string, FireRecord>();
  async function* decidable(): AsyncGenerator<FireRecord> {
    for await (const record of inOrder(records)) {
      const { event, shadow_of, error, input } = record;
      if (shadow_of !== undefined || error !== undefined || !(event in events)) continue;
      if (thenIn(record, channel) !== undefined) {
        waiting.set(record.fire_id, record);
        yield afterOthers(record, isOurs);
        // Only the start of an agent may say its type.
      } else if (input['agent_type'] !== undefined) yield record;
    }
  }
  let [fires, changed, unknown] = [0, 0, 0];
  const [kinds, unasked] = [new Map<string, number>(), new Map<string, number>()];
  const examples: Drift['examples'][number][] = [];
  try {
    for await (const { fire, now: own } of replay(host, decidable())) {
      const record = waiting.get(fire.id);
      if (record === undefined) continue;
      waiting.delete(fire.id);
      const { event, decision, handlers } = record;
      fires += 1;
      if ((own.unknown.length > 0 && !own.certain) || own.problem !== undefined) {
        unknown += 1;
        for (const { name } of own.unknown) count(unasked, `${event}: ${plainName(name)}`);
        // Whom the hooks of the bundle are for is not known.
        if (own.unknown.some(({ why }) => why === STARTER_NOT_RECORDED)) continue;
      }
      const then = thenIn(record, channel) as string;
      const others = verdictsOf(handlers.filter((row) => !isOurs(row)));
      const said = wordOf(own.decision) ?? 'none';
      const now = decision.blocked === undefined ? strictest([...others, said]) : blockedBy([...others, said]);
      if (now === then) continue;
      changed += 1;
      const by = now === said ? own.decision['decidedBy'] : undefined;
      count(kinds, `${event}: ${then} -> ${now}${typeof by === 'string' ? ` by ${plainName(by)}` : ''}`);
      if (examples.length < most) examples.push({ fire: record.fire_id, event, about: about(record), then, now });
    }
  } finally {
    await host.close();
  }
  return { fires, changed, unknown, kinds: sorted(kinds), unasked: sorted(unasked), examples };
}

/** Compares a policy with what was decided on a host. Rejects with BUNDLE_REFUSED if it would change more than its own limit allows. */
export async function checkDrift(policy: PreparedPolicy, recent: AsyncIterable<FireRecord>): Promise<void> {
  const { manifest, name } = policy.bundle;
  const { maxDrift } = manifest;
  if (maxDrift === undefined) return;
  const { fires, changed, examples } = await driftOf(policy, recent);
  const [first] = examples;
  if (first === undefined || changed / fires <= maxDrift) return;
  const example = `${first.event} ${first.fire} from ${first.then} to ${first.now}`;
  const reason = `it would change ${changed} of the last ${fires} decisions here, more than its maxDrift of ${maxDrift} lets it; ${example}`;
  throw new HookscopeError('BUNDLE_REFUSED', { bundle: name, reason });
}

/** What an earlier bundle of the channel had; those of other channels stay, as all that it does not replace. */
const hooksOf =
  (channel: string) =>
  ({ source: { kind, name = '' } }: HandlerRecord): boolean =>
    kind === 'fleet' && isOfChannel(name, channel);
const plainName = (name: string): string => name.replace(/#\d+$/, '');

/** What is kept on a host comes with the newest first; what agents are, and what has run once, is known from what was before. */
async function* inOrder(records: AsyncIterable<FireRecord>): AsyncGenerator<FireRecord> {
  const first: FireRecord[] = [];
  const byTime = (): FireRecord[] =>
    first.splice(0).sort((a, b) => Date.parse(a.time) - Date.parse(b.time) || a.seq - b.seq);
  let isMore = false;
  for await (const record of records) {
    if (isMore) yield record;
    else if (first.push(record) === RECENT) {
      isMore = true;
      yield* byTime();
    }
  }
  yield* byTime();
}

function count(all: Map<string, number>, key: string): void {
  all.set(key, (all.get(key) ?? 0) + 1);
}

const sorted = (all: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...all].sort((a, b) => b[1] - a[1]));

/** If other hooks have rewritten the input, the bundle judges the result. */
function afterOthers(record: FireRecord, isOurs: (row: HandlerRecord) => boolean): FireRecord {
  const { final_input: final, versions = [], handlers, ...rest } = record;
  if (
    final === undefined ||
    isWithdrawn(record) ||
    handlers.some((row) => isOurs(row) && row.handler !== 'rule' && row.output !== undefined)
  )
    return record;
  const last = versions.length + 1;
  const rows = handlers.map((row): HandlerRecord => {
    const { judged = 0, answers, status, output, failure } = row;
    if (status === 'skipped') return row;
    const all = answers ?? [
      { judged, status, ...(output === undefined ? {} : { output }), ...(failure && { failure }) },
    ];
    return { ...row, answers: all.flatMap((one) => (one.judged === last ? [{ ...one, judged: 0 }] : [])) };
  });
  return { ...rest, input: { ...record.input, ...final }, handlers: rows };
}

/** An ask of the fleet itself, of any channel: its policy had expired, or was not known. */
const isWant = ({ source: { kind, name = '' } }: HandlerRecord): boolean => kind === 'fleet' && isOfNoBundle(name);

/** What hooks have said, and not the fleet for want of a policy. */
const verdictsOf = (handlers: readonly HandlerRecord[]): string[] =>
  handlers.flatMap((row) => (row.status === 'skipped' || isWant(row) ? [] : (row.verdict ?? [])));

/**
 * What the hooks decided. Undefined: nothing that can be compared, since the event cannot be stopped, or the fleet asked because the channel had no policy in
 * force. Where it asked beside a policy (an expired one, or that of another channel), the hooks count.
 */
function thenIn({ decision, handlers, policies = [] }: FireRecord, channel: string): string | undefined {
  const wants = handlers.filter(isWant);
  const isUnknown =
    wants.some(({ source: { name } }) => name === channel) &&
    policies.find((one) => one.channel === channel)?.revision === undefined;
  if (isUnknown) return undefined;
  const { verdict } = decision;
  const isByHooks =
    verdict === undefined || !wants.some((row) => row.status !== 'skipped' && row.verdict !== undefined);
  return isByHooks ? wordOf(decision) : strictest(verdictsOf(handlers));
}

/** The decision on an event that can be stopped. */
function wordOf(decision: object): string | undefined {
  const { verdict, blocked } = decision as { verdict?: string | undefined; blocked?: boolean | undefined };
  return verdict ?? (blocked === undefined ? undefined : blocked ? 'block' : 'none');
}

const strictest = (verdicts: readonly string[]): string =>
  verdicts.reduce((a, b) => (RANK.indexOf(b) > RANK.indexOf(a) ? b : a), 'none');
const blockedBy = (verdicts: readonly string[]): string =>
  verdicts.some((verdict) => verdict === 'block' || verdict === 'deny') ? 'block' : 'none';
