import { isObject, type Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import { BadOutput } from './printed.js';
import type { OutputShape } from './shape.js';

/** The event of an answer, and the keys that its output accepts. */
interface LostSubject {
  readonly spec: EventSpec;
  readonly shape: OutputShape;
}

/** The keys in which some program gives a verdict: Claude Code's, those of other agents, and that of a decision. */
const WORDS = ['permissionDecision', 'behavior', 'decision', 'permission', 'verdict'] as const;
/** Of these, the keys of an inner object, which without its wrapper is refused whatever it says. */
const INNER = ['permissionDecision', 'behavior'] as const;

/** How strict a verdict is; 0: none. */
type Strength = 0 | 1 | 2 | 3;
const STRENGTH: Readonly<Record<string, Strength>> = { allow: 1, approve: 1, ask: 2, defer: 2, deny: 3, block: 3 };
const NAMES = ['', 'an allow', 'an ask', 'a deny'] as const;

const strengthOf = (said: unknown): Strength => {
  const word = isObject(said) ? said['behavior'] : said;
  return typeof word === 'string' ? (STRENGTH[word.trim().toLowerCase()] ?? 0) : 0;
};

/**
 * Refuses a gate's verdict in words or in a place where it is not read, since it was meant as one: one that is stricter than what is
 * read, or an inner object without its wrapper. Beside a deny, or with `continue: false`, nothing is lost.
 */
export function refuseLost(subject: LostSubject, output: Json, specific: Json): void {
  const { spec, shape } = subject;
  const ends = output['continue'] === false;
  if (shape.nested !== undefined) refuseBehavior(output, specific, ends);
  const read = verdictRead(subject, output, specific);
  if (ends || read === 3 || !(saysWord(output) || saysWord(specific))) return;
  const unwrapped = strictest(INNER, (key) => bare(subject, output, key));
  const inside = (key: string): Strength => (shape.specific.has(key) ? 0 : strengthOf(specific[key]));
  const lost = Math.max(
    strictest(WORDS, (key) => bare(subject, output, key)),
    strictest(WORDS, inside),
  ) as Strength;
  // Where verdicts are nested, the user is asked unless a hook answers, so only an allow beside it loses an ask.
  const harmless = shape.nested !== undefined && read === 0 ? 2 : 1;
  if (unwrapped === 0 && lost <= Math.max(read, harmless)) return;
  throw new BadOutput(`${NAMES[lost]} in words that ${spec.name} does not read: expected ${wordsFor(shape, lost)}`);
}

/** On a nested verdict, `behavior` outside its `decision`. */
function refuseBehavior(output: Json, { decision, behavior }: Json, ends: boolean): void {
  const nested = isObject(decision) ? decision['behavior'] : undefined;
  if ((behavior !== undefined && behavior !== nested && !ends) || output['behavior'] !== undefined)
    throw new BadOutput('behavior belongs into decision: { hookSpecificOutput: { decision: { behavior: … } } }');
}

function verdictRead({ shape }: LostSubject, output: Json, specific: Json): Strength {
  if (shape.nested !== undefined) return strengthOf(specific['decision']);
  const inner = shape.hasVerdict ? strengthOf(specific['permissionDecision']) : 0;
  return Math.max(strengthOf(output['decision']), inner) as Strength;
}

/** A hook that prints its whole input repeats the words that are in it. */
const isEcho = ({ spec }: LostSubject, output: Json, key: string): boolean =>
  Object.hasOwn(spec.input.shape, key) && output['hook_event_name'] !== undefined;

const bare = (subject: LostSubject, output: Json, key: string): Strength =>
  isEcho(subject, output, key) ? 0 : strengthOf(output[key]);

const strictest = <Key>(keys: readonly Key[], of: (key: Key) => Strength): Strength =>
  keys.reduce<Strength>((most, key) => Math.max(most, of(key)) as Strength, 0);

/** Most answers have none of the words. */
function saysWord(output: Json): boolean {
  for (const key of WORDS) if (output[key] !== undefined) return true;
  return false;
}

function wordsFor({ nested, hasVerdict }: OutputShape, lost: Strength): string {
  if (nested !== undefined && lost === 2) return 'no decision, with which the user is asked';
  const word = (['', 'allow', 'ask', 'deny'] as const)[lost];
  if (nested !== undefined) return `{ hookSpecificOutput: { decision: { behavior: "${word}" } } }`;
  return hasVerdict ? `{ hookSpecificOutput: { permissionDecision: "${word}" } }` : '{ decision: "block" }';
}
