import type { FireRecord, HookRecord } from '../emit/record.js';
import { append } from '../values/append.js';
import { areOfOne, type CallChain, type CallRecording, isStateless, roleIn } from './parallel.js';

/** A record, and the calls that it may be about. */
export interface Placing {
  readonly record: HookRecord;
  among: readonly CallRecording[];
}

/**
 * Puts each record into its call. What is certain rules out other records of that call; as many equal ends as calls are one for each. A record
 * of which it still cannot be told which call it is about stays apart, linked with all of them.
 */
export function settle(placings: readonly Placing[], calls: Set<CallRecording>): void {
  for (const placing of placings) placing.among = [...new Set(placing.among.map(wholeOf))];
  ruleOut(placings);
  const open = placings.filter(({ among }) => among.length > 1);
  for (const placing of placings) if (placing.among.length === 1) put(placing);
  for (const group of groupsOf(open)) shareOut(group, calls);
  for (const placing of open) if (placing.among.length === 1) put(placing);
}

export function wholeOf(call: CallRecording): CallRecording {
  let whole = call;
  while (whole.into !== undefined) whole = whole.into;
  return whole;
}

function put({ record, among }: Placing): void {
  const [call] = among as [CallRecording];
  call.records.push(record);
  if (roleIn(record) === 'answers' && record.type === 'hook_fire') call.asks.push(record);
}

function ruleOut(placings: readonly Placing[]): void {
  const byCall = new Map<CallRecording, Placing[]>();
  for (const placing of placings)
    for (const call of placing.among) {
      const own = byCall.get(call);
      if (own === undefined) byCall.set(call, [placing]);
      else own.push(placing);
    }
  const sure = placings.filter(({ among }) => among.length === 1);
  for (const { record, among } of sure) {
    const [call] = among as [CallRecording];
    for (const other of byCall.get(call) ?? []) {
      if (other.among.length < 2 || !other.among.includes(call) || areOfOne(record, other.record)) continue;
      other.among = other.among.filter((one) => one !== call);
      if (other.among.length === 1) sure.push(other);
    }
  }
}

interface Group {
  readonly placings: Placing[];
  readonly calls: Set<CallRecording>;
}

/** Records that share a call that they may be about. */
function groupsOf(placings: readonly Placing[]): readonly Group[] {
  const byCall = new Map<CallRecording, Group>();
  const groups = new Set<Group>();
  for (const placing of placings) {
    const near = [...new Set(placing.among.flatMap((call) => byCall.get(call) ?? []))];
    const [group = { placings: [], calls: new Set<CallRecording>() }, ...rest] = near.sort(
      (a, b) => b.calls.size - a.calls.size,
    );
    groups.add(group);
    group.placings.push(placing);
    for (const call of placing.among) group.calls.add(call);
    for (const other of rest) {
      groups.delete(other);
      append(group.placings, other.placings);
      for (const call of other.calls) group.calls.add(call);
    }
    for (const call of [...placing.among, ...rest.flatMap((one) => [...one.calls])]) byCall.set(call, group);
  }
  return [...groups];
}

function shareOut({ placings, calls: among }: Group, calls: Set<CallRecording>): void {
  const areAlike = new Set([...among].map((call) => call.records.map(meaningOf).sort().join())).size === 1;
  for (const sort of areAlike ? ['end', 'answers', 'tool_call'] : []) {
    const own = placings.filter(({ record }) => sortOf(record) === sort);
    const isEach = own.every((one) => one.among.length === among.size && meaningOf(one.record) === meaning(own));
    if (isEach) for (const hosts of byHost(own)) if (hosts.length === among.size) assign(hosts, [...among]);
  }
  const open = placings.filter((placing) => placing.among.length > 1);
  if (open.length === 0) return;
  const chain = joined([...among].map((call) => call.chain));
  for (const { record } of open) {
    const rest = { asks: [], end: undefined, isDeferred: false, certain: [], beside: [] };
    const apart: CallRecording = { records: [record], chain, ...rest };
    chain.calls.push(apart);
    calls.add(apart);
  }
}

/** Which of them gets which one makes no difference. */
function assign(placings: readonly Placing[], calls: readonly CallRecording[]): void {
  for (const [i, placing] of placings.entries()) placing.among = [calls[i] as CallRecording];
}

const meaning = ([first]: readonly Placing[]): string | undefined => first && meaningOf(first.record);

function sortOf(record: HookRecord): string {
  return record.type !== 'hook_fire' ? record.type : roleIn(record) === 'answers' ? 'answers' : 'end';
}

/** What is told of the call. */
function meaningOf(record: HookRecord): string {
  if (record.type === 'tool_call') {
    const { status, ran, denied_by, decided_by, approver, reason } = record;
    return JSON.stringify([status, ran, denied_by, decided_by, approver, reason]);
  }
  return record.type === 'hook_fire' ? JSON.stringify([record.event, record.decision.verdict]) : record.type;
}

function byHost(placings: readonly Placing[]): readonly Placing[][] {
  const lists = new Map<string, Placing[]>();
  for (const placing of placings) {
    const { record } = placing;
    const of = isStateless(record) ? ['config', (record as FireRecord).revision] : ['host', record.host_id];
    const key = JSON.stringify(of);
    lists.set(key, [...(lists.get(key) ?? []), placing]);
  }
  return [...lists.values()];
}

/** One chain of all calls of these. */
function joined([first, ...rest]: readonly CallChain[]): CallChain {
  const chain = first as CallChain;
  for (const other of new Set(rest)) {
    if (other === chain) continue;
    append(chain.calls, other.calls);
    for (const call of other.calls) call.chain = chain;
  }
  return chain;
}
