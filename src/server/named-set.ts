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

type SetKey = keyof typeof HEADERS;
const SHORTEST = Math.min(...Object.values(HEADERS).map((name) => name.length));
const KEYS = Object.keys(HEADERS) as SetKey[];
const PATHS: readonly SetKey[] = ['config', 'hooks', 'claudeCode', 'settings', 'pluginDir', 'agent'];
/** A value after `--from` that is not a file. */
export const AGENT = /^(?:codex|copilot|gemini|cursor)$/;
/** `--no-config`: no configuration is looked for. */
const NONE = '--no-config';

/** The values of each option, with absolute paths; `agent` keeps its `@id`. */
function values(set: NamedSet, cwd: string): [SetKey, string[]][] {
  return KEYS.map((key) => {
    const value = set[key];
    if (value === undefined) return [key, []];
    if (key === 'config' && typeof value === 'boolean') return [key, value ? [] : [NONE]];
    const given = (value === true ? [cwd] : typeof value === 'string' ? [value] : value) as readonly string[];
    return [key, given.map((one) => absolute(key, one, cwd))];
  });
}

function absolute(key: SetKey, value: string, cwd: string): string {
  // A package's name is resolved from the folder; a path is relative to it.
  if (key === 'plugin') return /^\.{1,2}(?:[/\\]|$)/.test(value) ? resolve(cwd, value) : value;
  if (key === 'from') return AGENT.test(value) ? value : resolve(cwd, value);
  return PATHS.includes(key) && !isAbsolute(value) ? resolve(cwd, value) : value;
}

/** Whether any hooks are named. `trust`, `model` and `--no-config` name none. */
export const isNamed = ({ trust: _trust, model: _model, ...set }: NamedSet): boolean =>
  values(set, '/').some(([, found]) => found.some((one) => one !== NONE));

/** The values of each option, with the folder to which each package name resolves. */
function leading(set: NamedSet, cwd: string): [SetKey, string[]][] {
  const place = (name: string): string =>
    isPackageName(name) ? `${name} (${packageFolder(name, cwd) ?? `not found from ${cwd}`})` : name;
  return values(set, cwd).map(([key, found]) => [key, key === 'plugin' ? found.map(place) : found]);
}

/** A key that is equal for sets that name the same hooks, whatever the current folder, the order and repetitions. */
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

/** The set without repetitions, which have no effect (see `keyOf`). */
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

/** The options that the earlier set has and the new one does not, as on a command line. */
export function droppedFrom(before: NamedSet, from: string, now: NamedSet, cwd: string): string[] {
  const named = new Map(leading(now, cwd));
  return leading(before, from).flatMap(([key, found]) => {
    const still = named.get(key) ?? [];
    return found.filter((one) => !still.includes(one)).map((one) => (one === NONE ? NONE : `${flagOf(key)} ${one}`));
  });
}

/** The command-line option for a key. */
export const flagOf = (key: keyof NamedSet): string => HEADERS[key].replace('hookscope-', '--');

/** The set with absolute paths, so that it does not depend on the current folder. */
export function absoluteSet(set: NamedSet, cwd: string): NamedSet {
  const all = Object.fromEntries(values(set, cwd).filter(([, found]) => found.length > 0));
  const one = (key: SetKey): Partial<Record<SetKey, string>> => (all[key] ? { [key]: all[key][0] as string } : {});
  const many = (key: SetKey): Partial<Record<SetKey, string[]>> => (all[key] ? { [key]: all[key] } : {});
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

/** The request headers that name the set. */
export function headersOf(set: NamedSet, cwd: string): [name: string, value: string][] {
  return values(set, cwd).flatMap(([key, found]) => found.map((one): [string, string] => [HEADERS[key], one]));
}

/** The set that a request names; `raw` has names and values in turn, as Node gives them. */
export function setInHeaders(raw: readonly string[]): NamedSet {
  const found: Partial<Record<SetKey, string[]>> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const given = raw[i] as string;
    // A fast check, because most headers are others.
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

/** Decodes a header as UTF-8, as clients send it; Node reads headers as Latin-1. */
export const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

/** Whether a header can carry a value without encoding. */
export function fitsHeader(value: string): boolean {
  return value.trim() === value && !CONTROL.test(value);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a header must not contain.
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** Percent-encodes a value that a header cannot carry, such as a folder's name with a line break or trailing blanks. */
export const encoded = (value: string): string => value.replace(/[%\0- \x7f]/g, encodeURIComponent);

/** The inverse of `encoded`, on the Latin-1 text that Node reads. */
const decoded = (value: string): string =>
  value.replace(/%(?!00)([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The raw headers of a request, names and values in turn, with our own values decoded. */
export const decodedHead = (raw: readonly string[]): string[] =>
  raw.map((text, i) => (i % 2 === 1 && /^hookscope-/i.test(raw[i - 1] as string) ? decoded(text) : text));
