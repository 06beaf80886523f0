import fc from 'fast-check';
import { fire, RUN, stamped } from '../emit/samples.js';

const STAMP = { seq: 1, time: '2026-01-31T09:15:00.000Z' };

/** One record of every type. */
export const SAMPLES: readonly Readonly<Record<string, unknown>>[] = [
  { ...fire() },
  {
    ...fire(),
    policies: [{ channel: 'stable', revision: 'r', sequence: 1 }],
    answered: { answer: 'allow', by: 'alice', from: 'h2', reason: 'r', at: STAMP.time, waited_ms: 1, question: 'q' },
  },
  { ...stamped(2) },
  {
    ...STAMP,
    type: 'system',
    subtype: 'hook_progress',
    hook_id: 'r',
    hook_event: 'Stop',
    fire_id: 'f',
    output: 'o',
    name: RUN.name,
  },
  { ...STAMP, type: 'system', subtype: 'control_problem', peer: 'claude', problem: 'bad_json', message: 'm' },
  {
    ...STAMP,
    type: 'tool_call',
    session_id: 's',
    scope: 'session',
    tool_name: 'Bash',
    tool_use_id: 't',
    status: 'denied',
    ran: false,
    denied_by: 'hook',
    decided_by: 'guards#1',
    hooks_ms: { PreToolUse: 3 },
  },
  {
    ...STAMP,
    type: 'hook_alarm',
    alarm: 'not_honoured',
    message: 'm',
    session_id: 's',
    scope: 'session',
    tool_name: 'Bash',
    tool_use_id: 't',
    evidence: 'PostToolUse',
  },
];

const HOSTILE = [
  '\u001b]0;x\u0007',
  '\u001b[2J',
  '\u202egnp.exe',
  '\r\n\t\u0000',
  '__proto__',
  'constructor',
  'toString',
  '\ud800',
  '',
];
/** Arrays in arrays. What is so deep takes `JSON.stringify` long, so that they become text after it. */
class Nested {
  constructor(readonly depth: number) {}
  toJSON(): string {
    return `nested ${this.depth} times`;
  }
}
const nestedAsText = (json: string): string =>
  json.replace(/"nested (\d+) times"/g, (_, depth) => `${'['.repeat(Number(depth))}${']'.repeat(Number(depth))}`);

const value = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE, null, true, -1, 1e308, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')),
  fc.integer({ min: 1, max: 3000 }).map((depth) => new Nested(depth)),
);

/** Every place in a value, as keys from the top. */
function places(found: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof found !== 'object' || found === null) return [at];
  return [at, ...Object.keys(found).flatMap((key) => places((found as Record<string, unknown>)[key], [...at, key]))];
}

function changed(found: unknown, at: readonly string[], to: unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return to;
  const copy: Record<string, unknown> = (Array.isArray(found) ? [...found] : { ...(found as object) }) as never;
  const next = changed((found as Record<string, unknown>)[key], rest, to);
  Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** A record as JSON in which some values are of another type, hostile, or gone. */
export const anyRecords: fc.Arbitrary<string> = fc
  .constantFrom(...SAMPLES)
  .chain((sample) =>
    fc.array(fc.tuple(fc.constantFrom(...places(sample).slice(1)), value), { maxLength: 4 }).map((changes) =>
      changes.reduce<unknown>((record, [at, to]) => {
        try {
          return changed(record, at, to);
        } catch {
          // What was above it is something else by now.
          return record;
        }
      }, sample),
    ),
  )
  .map((record) => nestedAsText(JSON.stringify(record)));
