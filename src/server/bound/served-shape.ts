import { clip } from '../../plain.js';
import { checks, isObject, isText, type OptionCheck, oneOf, type Shape, show, TEXTS } from '../../values/shape.js';

/** What is wrong with the first value that `writeServed` would not have written; undefined if there is none. */
export function wrongIn(served: unknown): string | undefined {
  return wrongKey('', served, { ...checks.object, keys: SERVED });
}

/** A check with nested ones. `keys`: for an object with known keys; `each`: for every value of any other object. */
interface NestedCheck extends OptionCheck {
  readonly keys?: Readonly<Record<string, NestedCheck>>;
  readonly each?: NestedCheck;
}

const maybe = (check: NestedCheck): NestedCheck => ({
  ...check,
  accepts: (value) => value === undefined || check.accepts(value),
});
const all = (shape: Shape): Record<string, NestedCheck> =>
  Object.fromEntries(Object.entries(shape).map(([key, check]) => [key, maybe(check)]));

const SHA256: OptionCheck = checks.textOrNull;
const NAMES: OptionCheck = {
  expected: 'an array of arrays of strings',
  accepts: (value) => Array.isArray(value) && value.every(TEXTS.accepts),
};
const SET = all({
  config: { expected: 'a string, true or false', accepts: (value) => isText(value) || typeof value === 'boolean' },
  hooks: TEXTS,
  plugin: TEXTS,
  claudeCode: { expected: 'a string or true', accepts: (value) => isText(value) || value === true },
  settings: TEXTS,
  pluginDir: TEXTS,
  agent: TEXTS,
  from: TEXTS,
  trust: checks.text,
  model: checks.text,
});
const FILE: Record<string, NestedCheck> = {
  sha256: SHA256,
  code: checks.flag,
  ...all({ real: checks.text, through: TEXTS, by: NAMES }),
  leads: maybe({ ...checks.object, keys: { name: checks.text, from: checks.text } }),
};
const SCRIPT: Record<string, NestedCheck> = {
  sha256: SHA256,
  ...all({ text: checks.text, executable: oneOf(true), data: oneOf(true) }),
};
const SERVED: Record<string, NestedCheck> = {
  version: { expected: '1', accepts: (value) => value === 1 },
  set: { ...checks.object, keys: SET },
  cwd: checks.text,
  projects: TEXTS,
  data: maybe(TEXTS),
  dev: maybe(checks.flag),
  bindings: {
    ...checks.object,
    keys: {
      files: { ...checks.object, each: { ...checks.object, keys: FILE } },
      scripts: { ...checks.object, each: { ...checks.object, each: { ...checks.object, keys: SCRIPT } } },
    },
  },
};

/** The most characters of a wrong value that are shown. */
const SHOWN = 80;

function wrongKey(where: string, value: unknown, check: NestedCheck): string | undefined {
  if (!check.accepts(value)) {
    const got = value === undefined ? 'and there is none' : `got ${clip(show(value), SHOWN)}`;
    return `${where === '' ? '' : `${where}: `}expected ${check.expected}, ${got}`;
  }
  if (!isObject(value)) return undefined;
  const { keys, each } = check;
  const inner = keys ? Object.entries(keys) : each ? Object.keys(value).map((key) => [key, each] as const) : [];
  for (const [key, one] of inner) {
    const place = keys ? (where === '' ? key : `${where}.${key}`) : `${where}[${JSON.stringify(key)}]`;
    const wrong = wrongKey(place, Object.hasOwn(value, key) ? value[key] : undefined, one);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
