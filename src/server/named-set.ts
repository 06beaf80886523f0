import { createHash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { isPackageName, packageFolder } from '../plugins/package-folder.js';

/** The options that `hook` and `serve` share to name hooks. */
export interface NamedSet {
  readonly config?: string | boolean;
  readonly hooks?: readonly string[];
  readonly plugin?: readonly string[];
  readonly claudeCode?: string | true;
  readonly settings?: readonly string[];
  readonly pluginDir?: readonly string[];
  readonly agent?: readonly string[];
  /** Names of other agents, each followed by its files. */
  readonly from?: readonly string[];
  readonly trust?: string;
  readonly model?: string;
}

/** The header of each key in a request, because a client without JSON (a shell script) sends them too. */
const HEADERS = {
  config: 'hookscope-config',
  hooks: 'hookscope-hooks',
  plugin: 'hookscope-plugin',
  claudeCode: 'hookscope-claude-code',
  settings: 'hookscope-settings',
  pluginDir: 'hookscope-plugin-dir',
  agent: 'hookscope-agent',
  from: 'hookscope-from',
  trust: 'hookscope-trust',
  model: 'hookscope-model',
} as const satisfies Readonly<Record<keyof NamedSet, string>>;

type Key = keyof typeof HEADERS;
const SHORTEST = Math.min(...Object.values(HEADERS).map((name) => name.length));
const KEYS = Object.keys(HEADERS) as Key[];
const PATHS: readonly Key[] = ['config', 'hooks', 'claudeCode', 'settings', 'pluginDir', 'agent'];
/** A value after `--from` that is not a file. */
export const AGENT = /^(?:codex|copilot|gemini|cursor)$/;
/** `--no-config`: nothing is looked for, and nothing is named. */
const NONE = '--no-config';

/** Its values as they were given, made absolute; `agent` keeps its `@id`. */
function values(set: NamedSet, cwd: string): [Key, string[]][] {
  return KEYS.map((key) => {
    const value = set[key];
    if (value === undefined) return [key, []];
    if (key === 'config' && typeof value === 'boolean') return [key, value ? [] : [NONE]];
    const given = (value === true ? [cwd] : typeof value === 'string' ? [value] : value) as readonly string[];
    return [key, given.map((one) => absolute(key, one, cwd))];
  });
}

function absolute(key: Key, value: string, cwd: string): string {
  // A package's name is found from the folder, a path is relative to it.
  if (key === 'plugin') return /^\.{1,2}(?:[/\\]|$)/.test(value) ? resolve(cwd, value) : value;
  if (key === 'from') return AGENT.test(value) ? value : resolve(cwd, value);
  return PATHS.includes(key) && !isAbsolute(value) ? resolve(cwd, value) : value;
}

/** Whether any hooks are named. Who may be trusted, which model is asked, and `--no-config` name none. */
export const isNamed = ({ trust: _trust, model: _model, ...set }: NamedSet): boolean =>
  values(set, '/').some(([, found]) => found.some((one) => one !== NONE));

/** The same set, with the folder that each package's name leads to. */
function leading(set: NamedSet, cwd: string): [Key, string[]][] {
  const place = (name: string): string =>
    isPackageName(name) ? `${name} (${packageFolder(name, cwd) ?? `not found from ${cwd}`})` : name;
  return values(set, cwd).map(([key, found]) => [key, key === 'plugin' ? found.map(place) : found]);
}

/** One text for all that name the same, wherever they were started, in whatever order and however often. */
export function keyOf(set: NamedSet, cwd: string): string {
  const all = leading(set, cwd).map(([key, found]) => [
    key,
    [...new Set(key === 'from' ? pairs(found) : found)].sort(),
  ]);
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

/** Each file with its agent. */
function pairs(found: readonly string[]): string[] {
  let agent = '';
  return found.flatMap((word, i) => {
    if (!AGENT.test(word)) return [`${agent} ${word}`];
    agent = word;
    const next = found[i + 1];
    return next === undefined || AGENT.test(next) ? [word] : [];
  });
}

const LISTS = ['hooks', 'plugin', 'settings', 'pluginDir', 'agent'] as const;

/** The same set with everything in it once: to name a file again names nothing more, as `keyOf` has it. */
export function namedOnce<Given extends NamedSet>(set: Given, cwd: string): Given {
  const lists = LISTS.flatMap((key) => {
    const places = set[key]?.map((one) => absolute(key, one, cwd));
    return places ? [[key, set[key]?.filter((_, i) => places.indexOf(places[i] as string) === i)]] : [];
  });
  return { ...set, ...Object.fromEntries(lists), ...(set.from && { from: fromOnce(set.from, cwd) }) };
}

function fromOnce(from: readonly string[], cwd: string): string[] {
  const seen = new Set<string>();
  let agent = '';
  return from.flatMap((word, i) => {
    const next = from[i + 1];
    if (AGENT.test(word)) agent = word;
    if (AGENT.test(word) && next !== undefined && !AGENT.test(next)) return [];
    const pair = `${agent} ${AGENT.test(word) ? '' : absolute('from', word, cwd)}`;
    if (seen.has(pair)) return [];
    seen.add(pair);
    return AGENT.test(word) || agent === '' ? [word] : [agent, word];
  });
}

/** The options that one set has and the other has not, as on a command line. */
export function droppedFrom(before: NamedSet, from: string, now: NamedSet, cwd: string): string[] {
  const named = new Map(leading(now, cwd));
  return leading(before, from).flatMap(([key, found]) => {
    const still = named.get(key) ?? [];
    return found.filter((one) => !still.includes(one)).map((one) => (one === NONE ? NONE : `${flagOf(key)} ${one}`));
  });
}

/** The option that names it. */
export const flagOf = (key: keyof NamedSet): string => HEADERS[key].replace('hookscope-', '--');

/** The same set with absolute paths, so that it means the same in any folder. */
export function absoluteSet(set: NamedSet, cwd: string): NamedSet {
  const all = Object.fromEntries(values(set, cwd).filter(([, found]) => found.length > 0));
  const one = (key: Key): Partial<Record<Key, string>> => (all[key] ? { [key]: all[key][0] as string } : {});
  const many = (key: Key): Partial<Record<Key, string[]>> => (all[key] ? { [key]: all[key] } : {});
  return {
    ...one('config'),
    ...(all['config']?.[0] === NONE ? { config: false } : {}),
    ...many('hooks'),
    ...many('plugin'),
    ...one('claudeCode'),
    ...many('settings'),
    ...many('pluginDir'),
    ...many('agent'),
    ...many('from'),
    ...one('trust'),
    ...one('model'),
  } as NamedSet;
}

/** The lines of a request's head that name it. */
export function headersOf(set: NamedSet, cwd: string): [name: string, value: string][] {
  return values(set, cwd).flatMap(([key, found]) => found.map((one): [string, string] => [HEADERS[key], one]));
}

/** The set that a request names; `raw` as Node gives it, name and value in turn. */
export function setInHeaders(raw: readonly string[]): NamedSet {
  const found: Partial<Record<Key, string[]>> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const given = raw[i] as string;
    // Most lines of a head are none of these.
    if (given.length < SHORTEST || (given[0] !== 'h' && given[0] !== 'H')) continue;
    const name = given.toLowerCase();
    const key = KEYS.find((one) => HEADERS[one] === name);
    if (key === undefined) continue;
    found[key] ??= [];
    found[key].push(utf8(raw[i + 1] as string));
  }
  const { config, claudeCode, trust, model, ...lists } = found;
  return {
    ...lists,
    ...(config && { config: config[0] === NONE ? false : (config[0] as string) }),
    ...(claudeCode && { claudeCode: claudeCode[0] as string }),
    ...(trust && { trust: trust[0] as string }),
    ...(model && { model: model[0] as string }),
  };
}

/** Node reads a head as Latin-1; what clients send is UTF-8. */
export const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

/** Whether a head can carry a value as it is. */
export function fitsHeader(value: string): boolean {
  return value.trim() === value && !CONTROL.test(value);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that no head may hold.
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** A value as a head can carry it that does not fit as it is: a folder's name may have a line break in it, or blanks at its end. */
export const encoded = (value: string): string => value.replace(/[%\0- \x7f]/g, encodeURIComponent);

/** The same back, as Node reads a head. */
const decoded = (value: string): string =>
  value.replace(/%(?!00)([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The lines of a request's head, name and value in turn: ours as they were before they were encoded. */
export const decodedHead = (raw: readonly string[]): string[] =>
  raw.map((text, i) => (i % 2 === 1 && /^hookscope-/i.test(raw[i - 1] as string) ? decoded(text) : text));
