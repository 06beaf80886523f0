import type { z } from 'zod';
import { zod } from '../values/zod.js';
import { type baseInput as BaseInput, baseInput, FOLD_OUTPUT } from './base.js';
import { EXTERNAL_KINDS } from './handler-kinds.js';
import { type EventDefinition, type EventSpec, type Fold, VERDICT_FOLDS } from './spec.js';
import { toolName } from './tool-calls.js';

/** The declared fields added to the base fields; declared fields win. */
export type WithBase<Own extends z.ZodObject> = z.ZodObject<
  z.core.util.Extend<ReturnType<typeof BaseInput>['shape'], Own['shape']>,
  z.core.$loose
>;

type DerivedKey = 'name' | 'input' | 'output' | 'subject' | 'subjectField' | 'fold' | 'sample';

/** The argument of `defineEvent`: `input` and `fold`; every other field has a default, most of them by fold. */
export interface EventOptions<Own extends z.ZodObject, Output extends z.ZodObject, F extends Fold>
  extends Partial<Omit<EventSpec, DerivedKey>> {
  /** The event's own fields. Base fields are added, and unknown fields pass. Fields are only checked, and hooks get them as they were fired, so `transform` and `default` are not allowed. */
  readonly input: Own;
  readonly fold: F;
  /** The event's own keys of `hookSpecificOutput`. Default: the keys of the fold kind. */
  readonly output?: Output;
  /** The text that matchers are compared with: the name of an input field, or a function of the input. With a function, `subjectField` names the subject in docs. */
  readonly subject?: (keyof Own['shape'] & string) | ((input: z.infer<WithBase<Own>>) => string | undefined);
  readonly subjectField?: string;
}

/** Like `EventOptions`, but with schemas that are created on first use. */
interface LaterOptions<Own extends z.ZodObject, Output extends z.ZodObject, F extends Fold>
  extends Omit<EventOptions<Own, Output, F>, 'input' | 'output' | 'claude'> {
  readonly input: () => Own;
  readonly output?: () => Output;
  /** Required for each event, so that an event which Claude Code does not have is not mistaken for one of its own. */
  readonly claude: NonNullable<EventSpec['claude']> | 'usual';
}

interface BuiltInOptions<Own extends z.ZodObject, Output extends z.ZodObject, F extends Fold>
  extends LaterOptions<Own, Output, F> {
  readonly sample: () => NoInfer<z.input<Own>>;
}

/** An event of the catalogue. */
export const builtIn = <
  Own extends z.ZodObject,
  F extends Fold,
  Output extends z.ZodObject = ReturnType<(typeof FOLD_OUTPUT)[F]>,
>(
  options: BuiltInOptions<Own, Output, F>,
): EventDefinition<WithBase<Own>, Output, F> => definition(options);

/** Schemas are created lazily: creating those of all events takes longer than loading the rest of hookscope, and most hosts use few. */
export function definition<
  Own extends z.ZodObject,
  F extends Fold,
  Output extends z.ZodObject = ReturnType<(typeof FOLD_OUTPUT)[F]>,
>(options: LaterOptions<Own, Output, F>): EventDefinition<WithBase<Own>, Output, F> {
  const { subject, subjectField, input, output, claude, ...given } = options;
  const { fold, rewrites } = options;
  const hasVerdict = VERDICT_FOLDS.includes(fold);
  const fields = {
    exit2: hasVerdict ? 'block' : 'user',
    plainStdout: 'none',
    endsLoop: hasVerdict,
    tool: false,
    types: EXTERNAL_KINDS,
    failure: 'policy',
    askOnFailure: true,
    namedBySubject: subject !== undefined,
    group: 'custom',
    about: '',
    classic: false,
    ...given,
    ...(claude === 'usual' ? {} : { claude }),
    ...subjectOf(subject as string | SubjectFunction | undefined, subjectField),
  };
  const schemas: PropertyDescriptorMap = {
    input: later(() => baseInput().extend(input().shape)),
    output: later(() => output?.() ?? defaultOutput(fold, rewrites)),
  };
  if (fold === 'replace' && given.value === undefined)
    schemas['value'] = later(() => Object.keys((output?.() ?? FOLD_OUTPUT.replace()).shape));
  return Object.defineProperties(fields, schemas) as unknown as EventDefinition<WithBase<Own>, Output, F>;
}

/** An enumerable property whose value is computed on first read. */
function later(make: () => unknown): PropertyDescriptor {
  let value: unknown;
  return {
    enumerable: true,
    get() {
      value ??= make();
      return value;
    },
  };
}

/** A gate that cannot be rewritten has no `updatedInput`, so that key leads to a warning. */
function defaultOutput(fold: Fold, rewrites: EventSpec['rewrites']): z.ZodObject {
  return fold === 'gate' && !rewrites ? FOLD_OUTPUT.gate().omit({ updatedInput: true }) : FOLD_OUTPUT[fold]();
}

type SubjectFunction = (input: Record<string, unknown>) => string | undefined;

/** Whether the subject is the tool name of a call. `tool` and `subjectField` do not tell, because a custom event may have any subject. */
export const hasToolSubject = (spec: Pick<EventSpec, 'subject'>): boolean => spec.subject === toolName;

function subjectOf(
  subject: string | SubjectFunction | undefined,
  field: string | undefined,
): { subject?: SubjectFunction; subjectField?: string } {
  if (subject === undefined) return {};
  // The input has been checked before, so the field is a string or, if it is optional, absent.
  if (typeof subject === 'string')
    return {
      subject: subject === 'tool_name' ? toolName : (input) => input[subject] as string,
      subjectField: field ?? subject,
    };
  return field === undefined ? { subject } : { subject, subjectField: field };
}

/** Gives a definition its name, which `hook_event_name` must then equal. */
export function withName<Input extends z.ZodObject, Output extends z.ZodObject, F extends Fold>(
  name: string,
  definition: EventDefinition<Input, Output, F>,
): EventSpec<Input, Output, F> {
  return Object.freeze({ ...namedLater(name, definition) });
}

/** Like `withName`, but with schemas that are created on first use. */
export function namedLater<Input extends z.ZodObject, Output extends z.ZodObject, F extends Fold>(
  name: string,
  definition: EventDefinition<Input, Output, F>,
): EventSpec<Input, Output, F> {
  const input = later(() => definition.input.extend({ hook_event_name: zod().literal(name) }));
  const fields = { ...Object.getOwnPropertyDescriptors(definition), input };
  return Object.freeze(Object.defineProperties({ name }, fields)) as EventSpec<Input, Output, F>;
}
