import type { HookEvent } from '../events/catalogue.js';
import { SAMPLES } from './samples.js';

const DEEP = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ inner }), 'deep');

/** Unusual values that an agent may send, because tools and the model decide about the content of these fields. */
const ODD_VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  true,
  '',
  ' \n\t',
  'x'.repeat(100_000),
  '\u0000\u001b[2J\ud800 \u202e',
  '../../../../etc/passwd',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's
  '${HOME} $(touch /tmp/x) `id` %s',
  '__proto__',
  [],
  [null, [[]], {}],
  {},
  DEEP,
  JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": {"prototype": null}, "toString": 1, "hasOwnProperty": 0}',
  ),
];

/** Fields that the model or a tool fills. They may contain anything; other fields have the types of the schema. */
const FREE = ['tool_input', 'tool_response'];

/** Unusual inputs that fit the event's schema. */
export function oddInputs(event: HookEvent): readonly Readonly<Record<string, unknown>>[] {
  const sample = SAMPLES[event] as Readonly<Record<string, unknown>>;
  const free = FREE.filter((field) => field in sample);
  const wholes = free.flatMap((field) => ODD_VALUES.map((value) => ({ [field]: value })));
  const parts = free.flatMap((field) => {
    const value = sample[field];
    if (typeof value !== 'object' || value === null) return [];
    return Object.keys(value).flatMap((key) => ODD_VALUES.map((odd) => ({ [field]: { ...value, [key]: odd } })));
  });
  const texts = Object.entries(sample)
    .filter(([field, value]) => typeof value === 'string' && !free.includes(field))
    .flatMap(([field]) => ODD_VALUES.filter((odd) => typeof odd === 'string').map((odd) => ({ [field]: odd })));
  return [{}, ...wholes, ...parts, ...texts, { unknown_field: DEEP, agent_id: 'agent-x', agent_type: '' }];
}
