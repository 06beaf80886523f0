import { SAMPLES } from '../store/records.js';

const START = Date.UTC(2026, 0, 31, 9, 15);

/** So many fires of forty agents, in one text. Every fiftieth is denied. */
export function manyFires(count: number): string {
  const lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const denied = i % 50 === 0;
    const handler = {
      id: 'guard#1',
      name: `guard-${i % 7}`,
      handler: 'callback',
      source: { kind: 'code' },
      scope: 'host',
      stage: 0,
      wave: 0,
      status: 'ran',
      verdict: denied ? 'deny' : 'none',
      duration_ms: (i * 7919) % 30,
    };
    lines.push(
      JSON.stringify({
        seq: i + 1,
        time: new Date(START + i * 37).toISOString(),
        host_id: 'many',
        type: 'hook_fire',
        fire_id: `fire-${i}`,
        event: 'PreToolUse',
        scope: `agent-${i % 40}`,
        scope_known: true,
        session_id: 's',
        agent_id: `a${i % 40}`,
        tool_use_id: `call-${i}`,
        input: { tool_name: 'Bash', tool_input: { command: `step ${i}` } },
        decision: {
          event: 'PreToolUse',
          fold: 'gate',
          continue: true,
          verdict: denied ? 'deny' : 'none',
          ...(denied ? { decidedBy: 'guard#1', reason: `no ${i}` } : {}),
          overruled: [],
          failures: [],
          conflicts: [],
        },
        handlers: [handler],
        conflicts: [],
        out_of_scope: 0,
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** What would run, or ask somebody, if any of it were read as something else than text. */
export const PAYLOADS = [
  '</script><script>window.ran = 1</script>',
  '<!--<script>',
  '--></script><img src=x onerror="window.ran = 1">',
  '<img src="https://evil.example/a.png">',
  '<svg onload=window.ran=1><a href="javascript:window.ran=1">x</a></svg>',
  '<style>@import "https://evil.example/a.css"; body { background: url(https://evil.example/b) }</style>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '"><iframe srcdoc="<script>parent.ran = 1</script>">',
  '{{constructor.constructor("window.ran = 1")()}}',
  'javascript:window.ran=1',
  '\u2028\u2029\u202e]]>&lt;script&gt;window.ran=1&lt;/script&gt;',
  '__proto__',
];

/** Words that have a meaning to whoever reads records stay; every other text becomes a payload, and so do some keys. */
const WORDS = new Set([
  'type',
  'subtype',
  'time',
  'event',
  'fold',
  'status',
  'verdict',
  'host_id',
  'hook_event',
  'alarm',
]);

/** Records of every type, with each payload in every text of them; one is a megabyte long. */
export function hostileRecords(): string[] {
  let seq = 0;
  const lines = PAYLOADS.flatMap((payload) =>
    SAMPLES.map((sample) => JSON.stringify({ ...(poisoned(sample, payload) as object), seq: ++seq })),
  );
  const [fire] = SAMPLES;
  const long = {
    ...fire,
    seq: ++seq,
    fire_id: 'long',
    input: { tool_name: 'Bash', tool_input: PAYLOADS.join('').repeat(3000) },
  };
  return [...lines, JSON.stringify(long)];
}

function poisoned(value: unknown, payload: string, key = ''): unknown {
  if (typeof value === 'string') return WORDS.has(key) ? value : payload;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, payload, key));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, poisoned(one, payload, name)] as const);
  return Object.fromEntries([...entries, [`${payload} key`, payload]]);
}
