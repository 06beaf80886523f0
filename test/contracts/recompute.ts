/**
 * A decision made again from its record: what docs/semantics.md 10 promises that anybody can do. It knows the catalogue's facts about
 * the event and nothing of the host.
 */
import type { FireRecord, HandlerRecord } from '../../src/emit/record.js';
import type { EventSpec } from '../../src/events/spec.js';

type Json = Readonly<Record<string, unknown>>;
const LATTICE = ['none', 'allow', 'ask', 'defer', 'deny'];
const strength = (h: HandlerRecord): number => LATTICE.indexOf(h.verdict ?? 'none');

/** Every field of the decision that is not the list of what each handler said. */
export function recompute(record: FireRecord, spec: EventSpec): Json {
  const heard = record.handlers.filter((h) => (h.status === 'ran' || h.status === 'failed') && h.phase !== 'observe');
  return {
    event: record.event,
    fold: spec.fold,
    ...common(heard, record, spec),
    ...rewritten(heard, record, spec),
    ...extras(heard, spec),
    ...BY_FOLD[spec.fold](heard, record, spec),
  };
}

const output = (h: HandlerRecord): Json => (h.output ?? {}) as Json;
const specific = (h: HandlerRecord): Json => (output(h)['hookSpecificOutput'] ?? {}) as Json;
const nested = (h: HandlerRecord): Json => (specific(h)['decision'] ?? {}) as Json;
const text = (value: unknown): string | undefined => (value === '' ? undefined : (value as string | undefined));
const texts = (values: readonly unknown[]): string[] =>
  values.filter((v): v is string => typeof v === 'string' && v !== '');
const knows = (spec: EventSpec, key: string): boolean => key in spec.output.shape;
const ends = (h: HandlerRecord, spec: EventSpec): boolean =>
  output(h)['continue'] === false || (!spec.nestedDecision && output(h)['preventContinuation'] === true);
const saysBlock = (h: HandlerRecord): boolean => ['block', 'deny'].includes(String(output(h)['decision']));
const blocks = (h: HandlerRecord): boolean => h.phase !== 'rewrite' && saysBlock(h);
/** What a failure counts as, by the published table. */
const effect = (h: HandlerRecord, spec: EventSpec): boolean => {
  if (!h.failure) return false;
  if (spec.failure === 'fails') return true;
  const untrusted = h.failure.cause === 'untrusted';
  if (spec.failure === 'ignored' || (h.on_failure === 'continue' && !h.failure.blocks && !untrusted)) return false;
  if (spec.fold === 'gate')
    return h.on_failure === 'block' || h.failure.blocks === true || untrusted || spec.askOnFailure;
  return spec.fold === 'block';
};
const unblockable = (record: FireRecord, spec: EventSpec): boolean =>
  spec.unblockable?.includes(spec.subject?.(record.input as never) ?? '') === true;

function common(heard: readonly HandlerRecord[], record: FireRecord, spec: EventSpec): Json {
  const ending = spec.endsLoop ? heard.filter((h) => ends(h, spec)) : [];
  const stopReason = texts(ending.map((h) => output(h)['stopReason']))[0];
  return {
    continue: ending.length === 0,
    ...(stopReason === undefined ? {} : { stopReason }),
    suppressOutput: heard.some((h) => h.dialect === 'code' && output(h)['suppressOutput'] === true),
    additionalContext: knows(spec, 'additionalContext')
      ? texts(heard.map((h) => specific(h)['additionalContext']))
      : [],
    systemMessages: texts(heard.map((h) => output(h)['systemMessage'])),
    failures: heard.flatMap((h) =>
      h.failure
        ? [{ id: h.id, name: h.name, ...h.failure, blocked: effect(h, spec) && !unblockable(record, spec) }]
        : [],
    ),
    conflicts: record.conflicts,
    overruled: [],
  };
}

function rewritten(heard: readonly HandlerRecord[], record: FireRecord, spec: EventSpec): Json {
  if (!spec.rewrites) return {};
  const { field, keys, mcpKeys = [] } = spec.rewrites;
  const mcp = String(spec.subject?.(record.input as never)).startsWith('mcp__');
  const place = (h: HandlerRecord): Json =>
    spec.nestedDecision ? (nested(h)['behavior'] === 'allow' ? nested(h) : {}) : specific(h);
  // A rewrite that cannot take effect is its handler's failure; what else the handler said counts.
  const good = heard.filter((h) => h.failure?.cause !== 'bad_schema');
  const offered = good.some((h) => [...keys, ...(mcp ? mcpKeys : [])].some((key) => key in place(h)));
  if (!offered && !record.final_input) return {};
  // Inside a nested verdict only an allow carries a rewrite.
  if (spec.nestedDecision && gate(heard, record, spec)['verdict'] !== 'allow') return {};
  return { [spec.fold === 'gate' ? 'updatedInput' : 'updatedOutput']: (record.final_input ?? record.input)[field] };
}

/** The keys that go through as they are: lists joined, else the last. */
function extras(heard: readonly HandlerRecord[], spec: EventSpec): Json {
  const found: Record<string, unknown> = {};
  const sequences = heard.map((h) => output(h)['terminalSequence']).filter((s) => s !== undefined);
  if (sequences.length > 0) found['terminalSequence'] = sequences.join('');
  const read = ['permissionDecision', 'permissionDecisionReason', 'additionalContext', ...(spec.value ?? [])];
  const rewrites = [...(spec.rewrites?.keys ?? []), ...(spec.rewrites?.mcpKeys ?? [])];
  for (const key of spec.nestedDecision ? [] : Object.keys(spec.output.shape)) {
    if (read.includes(key) || rewrites.includes(key)) continue;
    for (const value of heard.map((h) => specific(h)[key])) {
      const before = found[key];
      if (value !== undefined)
        found[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
  }
  return found;
}

function gate(heard: readonly HandlerRecord[], record: FireRecord, spec: EventSpec): Json {
  const spoken = heard.filter((h) => strength(h) > 0);
  const strictest = (list: readonly HandlerRecord[]): HandlerRecord | undefined =>
    list.find((h) => strength(h) === Math.max(...list.map(strength)));
  const usual =
    record.decisions === 'first' ? spoken[0] : record.decisions === 'last' ? spoken.at(-1) : strictest(spoken);
  const managed = spoken.filter((h) => h.scope === 'managed' && strength(h) >= LATTICE.indexOf('ask'));
  const untrusted = spoken.filter((h) => h.failure?.cause === 'untrusted');
  const enders = spoken.filter((h) => h.dialect === 'code' && ends(h, spec));
  const decider = strictest(
    spoken.filter((h) => h === usual || managed.includes(h) || untrusted.includes(h) || enders.includes(h)),
  );
  const interrupted = spec.interrupts && heard.some((h) => ends(h, spec));
  if (!decider) return { verdict: 'none', ...(interrupted ? { interrupt: true } : {}) };
  const { verdict } = decider;
  const reason = gateReason(decider, spec);
  return {
    verdict,
    decidedBy: decider.id,
    ...(reason === undefined ? {} : { reason }),
    overruled: spoken.filter((h) => h.verdict !== verdict).map((h) => h.id),
    ...(spec.nestedDecision ? granted(heard, verdict) : {}),
    ...(interrupted ? { interrupt: true } : {}),
  };
}

function granted(heard: readonly HandlerRecord[], verdict: unknown): Json {
  const sharing = heard.filter(
    (h) => h.verdict === verdict && nested(h)['behavior'] === verdict && h.phase === 'decide',
  );
  const permissions = sharing.flatMap((h) => (nested(h)['updatedPermissions'] ?? []) as unknown[]);
  return {
    ...(verdict === 'allow' && permissions.length > 0 ? { updatedPermissions: permissions } : {}),
    ...(verdict === 'deny' && sharing.some((h) => nested(h)['interrupt'] === true) ? { interrupt: true } : {}),
  };
}

/** Its own words for its verdict, or the failure that made it. */
function gateReason(h: HandlerRecord, spec: EventSpec): string | undefined {
  const said = output(h);
  const stop = text(said['stopReason']);
  const own = ownWord(h, spec);
  const stopped = h.dialect === 'code' && ends(h, spec);
  if (stopped && own.verdict !== 'deny') return stop ?? own.reason;
  const counted = h.phase === 'rewrite' ? 'none' : (own.verdict ?? 'none');
  const lapsed = counted === 'allow' && h.verdict !== 'allow';
  const before = stopped ? 'deny' : lapsed ? 'none' : counted;
  return h.failure && LATTICE.indexOf(h.verdict ?? 'none') > LATTICE.indexOf(before) ? h.failure.message : own.reason;
}

const OLDER: Readonly<Record<string, string>> = { approve: 'allow', allow: 'allow', block: 'deny', deny: 'deny' };

/** What it said, and why, in whichever spelling is the stronger. */
function ownWord(h: HandlerRecord, spec: EventSpec): { verdict: string | undefined; reason: string | undefined } {
  const said = output(h);
  const stop = text(said['stopReason']);
  const plain = text(said['reason']) ?? stop;
  if (spec.nestedDecision) {
    const verdict = nested(h)['behavior'] as string | undefined;
    return { verdict, reason: (verdict === 'deny' ? text(nested(h)['message']) : undefined) ?? plain };
  }
  const flat = specific(h)['permissionDecision'] as string | undefined;
  const flatReason = text(specific(h)['permissionDecisionReason']);
  const old = OLDER[String(said['decision'])];
  if (old !== undefined && LATTICE.indexOf(old) > LATTICE.indexOf(flat ?? 'none'))
    return { verdict: old, reason: plain };
  return { verdict: flat, reason: flatReason ?? (old !== undefined && old !== flat ? stop : plain) };
}

/** The reasons of those that block themselves, and the messages of failures that do. */
const whyBlocked = (list: readonly HandlerRecord[]): Json => {
  const reasons = texts(
    list.map((h) => {
      if (h.failure && !blocks(h)) return h.failure.message;
      return text(output(h)['reason']) ?? text(output(h)['stopReason']);
    }),
  );
  return { decidedBy: list[0]?.id, ...(reasons.length > 0 ? { reason: reasons.join('\n') } : {}) };
};

function block(heard: readonly HandlerRecord[], record: FireRecord, spec: EventSpec): Json {
  if (unblockable(record, spec)) return { blocked: false };
  const blocking = heard.filter((h) => blocks(h) || effect(h, spec));
  return blocking.length === 0 ? { blocked: false } : { blocked: true, ...whyBlocked(blocking) };
}

function stop(heard: readonly HandlerRecord[], _record: FireRecord, spec: EventSpec): Json {
  const ending = heard.filter((h) => ends(h, spec));
  const keeping = heard.filter(
    (h) =>
      h.phase !== 'rewrite' &&
      (blocks(h) ||
        text(specific(h)['additionalContext']) !== undefined ||
        (h.dialect === 'code' && output(h)['continue'] === true && !ends(h, spec))),
  );
  const [first] = ending;
  if (first) {
    const reason = text(output(first)['reason']) ?? text(output(first)['stopReason']);
    const overruled = keeping.filter((h) => !ending.includes(h)).map((h) => h.id);
    return { continues: false, decidedBy: first.id, overruled, ...(reason === undefined ? {} : { reason }) };
  }
  return keeping.length === 0 ? { continues: false } : { continues: true, ...whyBlocked(keeping) };
}

function replace(heard: readonly HandlerRecord[], _record: FireRecord, spec: EventSpec): Json {
  const refuses = (h: HandlerRecord): boolean => blocks(h) && spec.exit2 === 'block';
  const against = heard.filter((h) => refuses(h) || effect(h, spec));
  const declines = spec.blockValue !== undefined && !heard.some((h) => effect(h, spec));
  if (against.length > 0 && !declines) return { blocked: true, ...whyBlocked(against) };
  const offers = heard.flatMap((h) => {
    const value = offered(h, spec);
    return value === undefined || against.includes(h) || (saysBlock(h) && spec.exit2 === 'block') ? [] : [{ h, value }];
  });
  const [refused] = against;
  const last = refused ? { h: refused, value: spec.blockValue } : offers.pop();
  if (!last) return { blocked: false };
  const losers = offers.map(({ h }) => h.id);
  return {
    blocked: false,
    value: last.value,
    ...(refused ? whyBlocked(against) : { decidedBy: last.h.id }),
    overruled: losers,
    conflicts: losers.map((loser) => ({ winner: last.h.id, loser })),
  };
}

function offered(h: HandlerRecord, spec: EventSpec): unknown {
  const keys = (spec.value ?? []).filter((key) => specific(h)[key] !== undefined);
  if (keys.length === 0) return undefined;
  if (spec.value?.length === 1) return specific(h)[keys[0] as string];
  return Object.fromEntries(keys.map((key) => [key, specific(h)[key]]));
}

const BY_FOLD = { gate, block, stop, replace, context: () => ({}), observe: () => ({}) };
