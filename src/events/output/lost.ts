import { isObject, type Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import type { OutputShape } from './shape.js';

/** The event of an answer, and the keys that its output accepts. */
interface LostSubject {
  readonly spec: EventSpec;
  readonly shape: OutputShape;
}

/** The keys in which some program gives a verdict: Claude Code's, those of other agents, and that of a decision. */
const WORDS = ['permissionDecision', 'behavior', 'decision', 'permission', 'verdict'] as const;
/** Of these, the keys of an inner object, which is refused without its wrapper, whatever it says. */
const INNER = ['permissionDecision', 'behavior'] as const;

/** How strict a verdict is; 0: none. */
type Strength = 0 | 1 | 2 | 3;
const STRENGTH: ReadonlyMap<string, Strength> = new Map([
  ['allow', 1],
  ['approve', 1],
  ['ask', 2],
  ['defer', 2],
  ['deny', 3],
  ['block', 3],
]);
const NAMES = ['', 'an allow', 'an ask', 'a deny'] as const;

const strengthOf = (said: unknown): Strength => {
  const word = isObject(said) ? said['behavior'] : said;
  return typeof word === 'string' ? (STRENGTH.get(word.trim().toLowerCase()) ?? 0) : 0;
};

/**
 * Describes a gate's verdict in words or in a place where it is not read, since it was meant as one: one that is stricter than what is
 * read, or an inner object without its wrapper. `undefined`: nothing is lost, as beside a deny, or with `continue: false`.
 */
export function lostIn(subject: LostSubject, output: Json, specific: Json): string | undefined {
  const { spec, shape } = subject;
  const read = verdictRead(subject, output, specific);
  if (output['continue'] === false || read === 3 || !(saysWord(output) || saysWord(specific))) return undefined;
  if (shape.nested !== undefined && losesBehavior(output, specific, read))
    return 'behavior belongs into decision: { hookSpecificOutput: { decision: { behavior: … } } }';
  const inside = (key: string): Strength => (shape.specific.has(key) ? 0 : strengthOf(specific[key]));
  const lost = Math.max(
    strictest(WORDS, (key) => bare(subject, output, key)),
    strictest(WORDS, inside),
  ) as Strength;
  // Where verdicts are nested, the user is asked unless a hook answers, so only an allow beside it loses an ask.
  const harmless = shape.nested !== undefined && read === 0 ? 2 : 1;
  if (lost <= Math.max(read, harmless) && !isUnwrapped(subject, output, specific, read)) return undefined;
  return `${NAMES[lost]} in words that ${spec.name} does not read: expected ${wordsFor(shape, lost)}`;
}

/** On a nested verdict, `behavior` outside its `decision`, which says more than what is read. */
const losesBehavior = (output: Json, specific: Json, read: Strength): boolean =>
  [output['behavior'], specific['behavior']].some(
    (said) => said !== undefined && (read === 0 || strengthOf(said) > read),
  );

/** The answer is an inner object without its wrapper, not one beside which a word has been added. */
const isUnwrapped = (subject: LostSubject, output: Json, specific: Json, read: Strength): boolean =>
  read === 0 &&
  Object.keys(specific).every((key) => key === 'hookEventName') &&
  strictest(INNER, (key) => bare(subject, output, key)) > 0;

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
