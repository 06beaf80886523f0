import { CLAUDE_KINDS, type ClaudeKind, isLoneHandler, LONE_HANDLER } from '../../events/handler-kinds.js';
import type { Path } from '../../files/json-file.js';
import { nearest } from '../../values/nearest.js';
import { asksUs } from '../../values/own-command.js';
import { kindOf } from '../../values/problem.js';
import { checks, isObject, isText, type OptionCheck, oneOf } from '../../values/shape.js';
import type { Finding } from './findings.js';

/** Checked hooks in Claude Code's format, without wrong values and unknown keys. */
export type ClaudeHooks = Readonly<Record<string, readonly ClaudeGroup[]>>;

export interface ClaudeGroup {
  readonly matcher?: string;
  readonly hooks: readonly ClaudeHandler[];
}

/** A handler with only the keys of its type. A handler of an unknown type has all of its keys. */
export type ClaudeHandler = Readonly<Record<string, unknown>> & { readonly type: string };

/** Checked hooks and the findings. */
export interface CheckedHooks {
  readonly hooks: ClaudeHooks;
  readonly findings: readonly Finding[];
  /** The position of a group or handler in the file. */
  placeOf(part: ClaudeGroup | ClaudeHandler): Path | undefined;
}

interface KeyCheck extends OptionCheck {
  readonly required?: true;
}

const text: OptionCheck = { expected: 'a string that is not empty', accepts: (v) => isText(v) && v.trim() !== '' };
const texts: OptionCheck = { expected: 'an array of strings', accepts: (v) => Array.isArray(v) && v.every(isText) };
const needed = (rule: OptionCheck): KeyCheck => ({ ...rule, required: true });

const EVERY: Readonly<Record<string, KeyCheck>> = {
  type: checks.text,
  if: checks.text,
  timeout: {
    expected: 'seconds, a number over 0',
    accepts: (v) => typeof v === 'number' && Number.isFinite(v) && v > 0,
  },
  onFailure: checks.text,
  statusMessage: checks.text,
  once: checks.flag,
};

/** The keys of each handler type. */
export const HANDLER_KEYS: Readonly<Record<string, Readonly<Record<string, KeyCheck>>>> = {
  command: {
    ...EVERY,
    command: needed(text),
    args: texts,
    shell: oneOf('bash', 'powershell'),
    async: checks.flag,
    asyncRewake: checks.flag,
    rewakeMessage: checks.text,
    rewakeSummary: checks.text,
  },
  http: {
    ...EVERY,
    url: needed({ expected: 'an http or https URL', accepts: isHttpUrl }),
    headers: {
      expected: 'an object of strings',
      accepts: (v) => isObject(v) && Object.values(v).every(isText),
    },
    allowedEnvVars: texts,
  },
  mcp_tool: { ...EVERY, server: needed(text), tool: needed(text), input: checks.object },
  prompt: { ...EVERY, prompt: needed(text), model: text, continueOnBlock: checks.flag },
  agent: { ...EVERY, prompt: needed(text), model: text, continueOnBlock: checks.flag },
} satisfies Record<ClaudeKind, Readonly<Record<string, KeyCheck>>>;

const GROUP_KEYS: Readonly<Record<string, KeyCheck>> = { matcher: checks.text, hooks: needed(checks.list) };

/** Keys that people use for comments, which are not reported. */
const REMARKS = new Set(['description', 'name', 'id', 'comment', '_comment', '$comment', '$schema', 'note', '_note']);

/** A timeout of at least this many seconds was probably meant in milliseconds. */
const LONG = 1000;

function isHttpUrl(value: unknown): boolean {
  return isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** Checks hooks in a settings file, a plugin or a frontmatter. `base`: their path in the file; `events`: the known events. */
export function checkHooks(hooks: unknown, base: Path, events: readonly string[]): CheckedHooks {
  const check = new SchemaCheck(events);
  return { hooks: check.hooks(hooks, base), findings: check.findings, placeOf: (part) => check.places.get(part) };
}

class SchemaCheck {
  readonly findings: Finding[] = [];
  readonly places = new WeakMap<object, Path>();
  readonly #events: readonly string[];

  constructor(events: readonly string[]) {
    this.#events = events;
  }

  hooks(hooks: unknown, path: Path): ClaudeHooks {
    const found: Record<string, ClaudeGroup[]> = {};
    if (!isObject(hooks)) {
      this.#wrong(path, `expected an object by event, { "PreToolUse": [ … ] }, got ${kindOf(hooks)}`);
      return found;
    }
    for (const [event, groups] of Object.entries(hooks)) {
      const at = [...path, event];
      if (!this.#events.includes(event))
        this.#unknown(
          'unknown-event',
          at,
          'is not a known event, so its hooks never run',
          nearest(event, this.#events),
        );
      else if (!Array.isArray(groups))
        this.#wrong(at, `expected an array of groups, [{ "matcher": "…", "hooks": [ … ] }], got ${kindOf(groups)}`);
      else found[event] = groups.flatMap((group: unknown, i) => this.#group(group, [...at, i]));
    }
    return found;
  }

  #group(group: unknown, path: Path): ClaudeGroup[] {
    if (!isObject(group))
      return this.#wrong(path, `expected a group, { "matcher": "…", "hooks": [ … ] }, got ${kindOf(group)}`);
    if (isLoneHandler(group)) return this.#wrong(path, LONE_HANDLER);
    if (!this.#keys(group, GROUP_KEYS, path)) return [];
    this.#strange(group, GROUP_KEYS, path);
    const handlers = (group['hooks'] as unknown[]).flatMap((hook, i) => this.#handler(hook, [...path, 'hooks', i]));
    const { matcher } = group as { matcher?: string };
    return [this.#placed({ ...(matcher === undefined ? {} : { matcher }), hooks: handlers }, path)];
  }

  #handler(hook: unknown, path: Path): ClaudeHandler[] {
    if (!isObject(hook))
      return this.#wrong(path, `expected a handler, { "type": "command", "command": "…" }, got ${kindOf(hook)}`);
    if (asksUs(hook['command'])) return [];
    const { type } = hook;
    if (!isText(type))
      return this.#wrong([...path, 'type'], `expected one of ${CLAUDE_KINDS.join(', ')}, got ${kindOf(type)}`);
    const keys = Object.hasOwn(HANDLER_KEYS, type) ? HANDLER_KEYS[type] : undefined;
    // The host reports an unknown type and lists the handler.
    if (!keys) return [this.#placed({ ...hook, type }, path)];
    if (!this.#keys(hook, keys, path)) return [];
    this.#strange(hook, keys, path);
    if (((hook['timeout'] as number | undefined) ?? 0) >= LONG) {
      const message = `${hook['timeout']} s is a long time: seconds are meant, not milliseconds`;
      this.findings.push({ rule: 'milliseconds', level: 'warning', path: [...path, 'timeout'], message });
    }
    const own = Object.fromEntries(Object.entries(hook).filter(([key]) => Object.hasOwn(keys, key)));
    return [this.#placed({ ...own, ...this.#policy(hook['onFailure'], path), type }, path)];
  }

  /** An unknown policy counts as `block`, since its author did not want the default, `continue`. */
  #policy(onFailure: unknown, path: Path): { onFailure?: 'continue' | 'block' } {
    if (onFailure === undefined) return {};
    if (onFailure === 'continue' || onFailure === 'block') return { onFailure };
    this.#unknown(
      'unknown-value',
      [...path, 'onFailure'],
      `${show(onFailure)} is read as "block"; known are "continue" and "block"`,
      undefined,
    );
    return { onFailure: 'block' };
  }

  /** Whether all known keys have valid values and no required key is missing. */
  #keys(value: Readonly<Record<string, unknown>>, keys: Readonly<Record<string, KeyCheck>>, path: Path): boolean {
    const before = this.findings.length;
    for (const [key, rule] of Object.entries(keys)) {
      if (!Object.hasOwn(value, key)) {
        if (rule.required) this.#missing(value, keys, { key, expected: rule.expected, path });
      } else if (!rule.accepts(value[key]))
        this.#wrong([...path, key], `expected ${rule.expected}, got ${show(value[key])}`);
    }
    return this.findings.length === before;
  }

  /** A key that is missing because it is misspelt is named. */
  #missing(
    value: Readonly<Record<string, unknown>>,
    keys: Readonly<Record<string, KeyCheck>>,
    { key, expected, path }: { readonly key: string; readonly expected: string; readonly path: Path },
  ): void {
    const others = Object.keys(value).filter((other) => !Object.hasOwn(keys, other) && !REMARKS.has(other));
    const meant = others.find((other) => nearest(other, Object.keys(keys)) === key);
    const message = `"${key}" is missing; expected ${expected}`;
    if (meant === undefined) this.#wrong(path, message);
    else
      this.findings.push({
        ...{ rule: 'wrong-value', level: 'error', path, nearest: key },
        message: `${message}, and ${show(meant)} is not a known key`,
      });
  }

  #strange(value: Readonly<Record<string, unknown>>, keys: Readonly<Record<string, KeyCheck>>, path: Path): void {
    const known = Object.keys(keys);
    for (const key of Object.keys(value)) {
      if (known.includes(key) || REMARKS.has(key)) continue;
      const elsewhere = keys === GROUP_KEYS && Object.hasOwn(EVERY, key) ? '; it belongs into each handler' : '';
      this.#unknown(
        'unknown-key',
        [...path, key],
        `is not a known key and does nothing${elsewhere}`,
        nearest(key, known),
      );
    }
  }

  #placed<T extends object>(part: T, path: Path): T {
    this.places.set(part, path);
    return part;
  }

  #wrong(path: Path, message: string): [] {
    this.findings.push({ rule: 'wrong-value', level: 'error', path, message });
    return [];
  }

  #unknown(rule: string, path: Path, message: string, near: string | undefined): void {
    this.findings.push({ rule, level: 'warning', path, message, nearest: near });
  }
}

function show(value: unknown): string {
  return value !== null && typeof value === 'object' ? kindOf(value) : (JSON.stringify(value) ?? String(value));
}
