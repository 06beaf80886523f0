import { failureEffect } from '../events/failure.js';
import type { Codec, Encoded, EncodeOptions } from './codec.js';
import { decode, payloadOf } from './decode.js';
import { encode } from './encode.js';
import { builtInOf, rowOf } from './rows.js';
import type { AgentTable, EventRow } from './table.js';

/** Makes an agent's codec. The code is shared; only the table differs. */
export function codecOf(table: AgentTable): Codec {
  const { name, title, source, version, fields, files, limits } = table;
  return Object.freeze({
    name,
    title,
    source,
    version,
    get events() {
      return table.events;
    },
    fields,
    files,
    limits,
    decode: (stdin: string, env = {}, argv: readonly string[] = []) => decode(table, stdin, env, argv),
    payload: ({ as, input }) => payloadOf(table, as, input),
    encode: (decision, event, options) => encode(table, decision, event, options),
    refuse: (reason, event, options) => refuse(table, reason, event, options),
    timeout(event, configured) {
      const { usual, most = Number.POSITIVE_INFINITY } = rowOf(table, event).timeout ?? {};
      return Math.min(configured ?? usual ?? limits.timeout, most);
    },
  } satisfies Codec);
}

function refuse(table: AgentTable, reason: string, event: string, options?: EncodeOptions): Encoded {
  const row = rowOf(table, event);
  const effect = refusalOf(row);
  if (effect === 'deny') return encode(table, { verdict: 'deny', reason }, event, options);
  if (effect === 'block') return encode(table, { blocked: true, reason }, event, options);
  const quiet = encode(table, {}, event, options);
  return { ...quiet, losses: [{ what: 'block', why: `nothing can be stopped on ${row.name}` }] };
}

/** The effect of a failed guard on the event. */
function refusalOf(row: EventRow): 'deny' | 'block' | 'none' {
  const spec = builtInOf(row);
  if (spec === undefined) return row.says.block === undefined ? 'none' : 'block';
  const effect = failureEffect(spec, 'block');
  return effect === 'ask' ? 'deny' : effect;
}
