import type { z } from 'zod';
import type {
  failureSchema,
  handlerVerdictSchema,
  kindSchema,
  lossSchema,
  runOutcomeSchema,
  sourceSchema,
  stampSchema,
} from './schema.js';

/** The type of a parsed schema as readers of a record see it: deeply read-only. */
export type RecordOf<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Put on every record by the bus when it is sent. */
export interface Stamp extends RecordOf<typeof stampSchema> {}

/** A record before the bus stamps it. */
export type UnstampedRecord<R> = R extends unknown ? Omit<R, keyof Stamp> : never;

export type RecordedKind = z.infer<typeof kindSchema>;
export type RunOutcome = z.infer<typeof runOutcomeSchema>;
/** A gate's verdict, or `block` on block and stop events (on stop events it means: continue). */
export type HandlerVerdict = z.infer<typeof handlerVerdictSchema>;

/** Where a handler was registered: `kind` is `code`, `plugin`, `project`, `user` … */
export interface RecordedSource extends RecordOf<typeof sourceSchema> {}

/** Something that another agent's protocol cannot express, and why. */
export interface RecordedLoss extends RecordOf<typeof lossSchema> {}

/** Why a handler failed: `cause` is a name from docs/semantics.md 8, such as `timeout` or `bad_json`. */
export interface RecordedFailure extends RecordOf<typeof failureSchema> {}
