import type { z } from 'zod';
import { nearest } from '../values/nearest.js';
import { checkOptions, wrongOption } from '../values/options.js';
import { checks, isObject, isText, type OptionCheck, oneOf, SECONDS, TEXTS } from '../values/shape.js';
import { baseInput, FOLD_OUTPUT } from './base.js';
import { definition, type EventOptions, type WithBase } from './define.js';
import { HANDLER_KINDS } from './handler-kinds.js';
import { EVENT_WORDS, type EventDefinition, type EventSpec, type Fold } from './spec.js';

const SCHEMA: OptionCheck = { expected: 'an object schema of zod, z.object({ … })', accepts: isObjectSchema };
const KINDS = HANDLER_KINDS.map((kind) => `"${kind}"`).join(', ');

type EventKeys = keyof EventOptions<z.ZodObject, z.ZodObject, Fold>;

/** The checks of an event's fields. */
const EVENT: Readonly<Record<EventKeys, OptionCheck>> = {
  input: SCHEMA,
  output: SCHEMA,
  fold: oneOf(...Object.keys(FOLD_OUTPUT)),
  subject: {
    expected: 'a field of the input or a function of it',
    accepts: (v) => isText(v) || typeof v === 'function',
  },
  subjectField: checks.text,
  narrowNames: checks.flag,
  exit2: oneOf(...EVENT_WORDS.exit2),
  plainStdout: oneOf(...EVENT_WORDS.plainStdout),
  plainAnswer: checks.flag,
  endsLoop: checks.flag,
  tool: checks.flag,
  callRole: oneOf(...EVENT_WORDS.callRole),
  endsCall: checks.flag,
  types: {
    expected: `an array of ${KINDS}`,
    accepts: (v) => Array.isArray(v) && v.every((kind) => HANDLER_KINDS.includes(kind)),
  },
  timeout: checks.object,
  rewrites: checks.object,
  value: TEXTS,
  blockValue: checks.object,
  failure: oneOf(...EVENT_WORDS.failure),
  askOnFailure: checks.flag,
  nestedDecision: checks.flag,
  interrupts: checks.flag,
  scope: oneOf(...EVENT_WORDS.scope),
  inAgentScope: checks.text,
  unblockable: TEXTS,
  namedBySubject: checks.flag,
  afterTheFact: checks.flag,
  hides: checks.text,
  claude: checks.object,
  inTurn: checks.flag,
  group: oneOf(...EVENT_WORDS.group),
  about: checks.text,
  classic: checks.flag,
};

type KeyChecks<Key extends keyof EventSpec> = Readonly<Record<keyof NonNullable<EventSpec[Key]>, OptionCheck>>;

/** The checks of the keys inside a field. */
const WITHIN: { readonly [Key in 'timeout' | 'rewrites' | 'claude']: KeyChecks<Key> } = {
  timeout: { claude: SECONDS, max: SECONDS },
  rewrites: { field: checks.text, keys: TEXTS, mcpKeys: TEXTS, shaped: checks.flag, unknownToClaude: checks.flag },
  claude: {
    sent: oneOf(...EVENT_WORDS.sent),
    unanswered: oneOf('blocks'),
    answerNeeded: checks.flag,
    beginsTurn: checks.flag,
    bounds: oneOf(...EVENT_WORDS.bounds),
    stopped: oneOf(...EVENT_WORDS.stopped),
    askedTwice: checks.flag,
    envFile: checks.flag,
  },
};

const REQUIRED = { timeout: ['claude'], rewrites: ['field', 'keys'] } as const;

/** Throws INVALID_OPTIONS for a misspelt key or a wrong value. `where` is the text before the key in the message. */
export function checkEvent(options: unknown, where: string): void {
  if (!isObject(options)) throw wrongOption(where.replace(/[:.] ?$/, ''), 'expected an object, { input, fold }');
  checkOptions(where, options, EVENT);
  for (const key of ['input', 'fold']) if (options[key] === undefined) throw wrongOption(where + key, 'is missing');
  for (const [key, shape] of Object.entries(WITHIN)) {
    const held = options[key] as Readonly<Record<string, unknown>> | undefined;
    if (held === undefined) continue;
    checkOptions(`${where}${key}.`, held, shape);
    const missing = (REQUIRED[key as keyof typeof REQUIRED] ?? []).find((name) => held[name] === undefined);
    if (missing) throw wrongOption(`${where}${key}.${missing}`, 'is missing');
  }
}

/** Fields of every decision. A hook's own key of one of these names would overwrite it. */
const OF_DECISIONS: readonly string[] = [
  'event',
  'fold',
  'verdict',
  'blocked',
  'continues',
  'continue',
  'stopReason',
  'reason',
  'decidedBy',
  'overruled',
  'suppressOutput',
  'systemMessages',
  'failures',
  'conflicts',
  'endedBy',
  'answered',
  'outcomes',
  'toJSON',
];

/**
 * Declares an event of your own. Give it to `createHost({ events: { Deploy: defineEvent({ … }) } })`; it is then fired, matched, folded,
 * recorded and typed like any other. Throws INVALID_OPTIONS, also where a key of `output` has the name of a decision's field, such as `reason`.
 *
 * ```ts
 * defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' })
 * ```
 */
export function defineEvent<
  Own extends z.ZodObject,
  F extends Fold,
  Output extends z.ZodObject = ReturnType<(typeof FOLD_OUTPUT)[F]>,
>(options: EventOptions<Own, Output, F>): EventDefinition<WithBase<Own>, Output, F> {
  checkEvent(options, 'defineEvent: ');
  // `undefined` means the default.
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const { input, output, ...rest } = given as unknown as EventOptions<Own, Output, F>;
  if ((input._zod.def.checks?.length ?? 0) > 0)
    throw wrongOption(
      'defineEvent: input',
      'expected an object schema without refinements of its own; refine its fields instead',
    );
  checkSubject(rest.subject, input);
  const taken = Object.keys(output?.shape ?? {}).find((key) => OF_DECISIONS.includes(key));
  if (taken !== undefined)
    throw wrongOption(`defineEvent: output.${taken}`, 'expected another name: every decision has a field of this one');
  const lazy = definition({
    claude: 'usual',
    ...rest,
    input: () => input,
    ...(output ? { output: () => output } : {}),
  });
  return { ...lazy } as unknown as EventDefinition<WithBase<Own>, Output, F>;
}

function checkSubject(subject: unknown, input: z.ZodObject): void {
  if (!isText(subject)) return;
  const fields: Readonly<Record<string, unknown>> = { ...baseInput().shape, ...input.shape };
  if (Object.hasOwn(fields, subject)) return;
  const expected = `expected a field of the input, got ${JSON.stringify(subject)}`;
  const near = nearest(subject, Object.keys(fields));
  throw wrongOption('defineEvent: subject', expected, near);
}

/** Whether a value is a zod object schema. It may come from another copy of zod. */
function isObjectSchema(value: unknown): boolean {
  return isObject(value) && (value as { _zod?: { def?: { type?: unknown } } })._zod?.def?.type === 'object';
}
