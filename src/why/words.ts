import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { LEGACY } from '../events/output/what-counts.js';
import { VERDICTS } from '../events/spec.js';
import { subjectIn } from '../events/subject.js';
import { clip, plain } from '../plain.js';
import { own } from '../values/own.js';
import { isObject, type Json } from '../values/shape.js';

/** The text that matchers are compared with. */
export function subjectOf({ event, input }: FireRecord): string | undefined {
  const tool = input['tool_name'];
  return subjectIn(specOf(event), input) ?? (typeof tool === 'string' ? tool : undefined);
}

/** A handler's name by its id. */
export function nameIn(record: FireRecord, id: string): string {
  return shortName(record.handlers.find((handler) => handler.id === id)?.name ?? id);
}

/** A hook's name, shortened, because command lines can be long. */
export const shortName = (name: string): string => clip(name, 60);

/** `a, b and c`. */
export function listed(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

export function quoted(text: string, width = 200): string {
  return `"${clip(text.trim(), width)}"`;
}

/** The beginning of a value's JSON, for a sentence. */
export function shortJson(value: unknown, width = 200): string {
  try {
    return clip(JSON.stringify(value) ?? 'nothing', width);
  } catch {
    return 'something nested too deeply to be shown';
  }
}

/** The place where a hook is registered and can be changed. */
export function placeOf({ plugin, source: { kind, name, file } }: HandlerRecord): string {
  if (file !== undefined) return plain(nearer(file));
  if (plugin !== undefined) return `the plugin ${plain(plugin)}`;
  return kind === 'code' ? 'the program that registered it' : plain([kind, name].filter((t) => t).join(' '));
}

/** The place of a hook that shares its name and place with another: with the number in its id. */
export const numbered = (place: string, id: string): string => `${place}, ${/#\d+$/.exec(id)?.[0] ?? plain(id)}`;

/** A path within the current folder is made relative. */
export function nearer(file: string): string {
  // A page in a browser has no current folder.
  const here = globalThis.process?.cwd();
  return here !== undefined && file.startsWith(`${here}/`) ? file.slice(here.length + 1) : file;
}

export const output = ({ output: said }: HandlerRecord): Json => (isObject(said) ? said : {});
export const hookSpecificOf = (handler: HandlerRecord): Json => part(output(handler), 'hookSpecificOutput');
/** The object that PermissionRequest answers with. */
export const nested = (handler: HandlerRecord): Json => part(hookSpecificOf(handler), 'decision');

function part(of: Json, key: string): Json {
  const found = Object.hasOwn(of, key) ? of[key] : undefined;
  return isObject(found) ? found : {};
}

export const isGate = ({ decision }: FireRecord): boolean => decision.fold === 'gate';

/** The verdict in an answer, as the event names it; of two spellings the stricter one. undefined: none. */
export function verdictIn(record: FireRecord, handler: HandlerRecord): string | undefined {
  const legacy = own(LEGACY, String(output(handler)['decision']));
  if (!isGate(record)) return legacy === 'deny' ? 'block' : undefined;
  const words: readonly unknown[] = VERDICTS;
  if (specOf(record.event)?.nestedDecision) return knownWord(nested(handler)['behavior']);
  const flat = knownWord(hookSpecificOf(handler)['permissionDecision']);
  return legacy !== undefined && words.indexOf(legacy) > words.indexOf(flat) ? legacy : flat;
}

const knownWord = (word: unknown): string | undefined => VERDICTS.find((one) => one === word && one !== 'none');

/** The first non-empty string. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** Whether a hook ended the run, so that later hooks are not asked; only hooks registered in code can. */
export const endsRun = (handler: HandlerRecord): boolean =>
  handler.dialect !== 'claude' && output(handler)['continue'] === false;
