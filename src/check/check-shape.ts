import { basename } from 'node:path';
import { agentEvents } from '../agents/own-events.js';
import type { Finding } from '../claude-code/files/findings.js';
import { misplacedIn } from '../claude-code/files/misplaced.js';
import { eventsIn, otherShape } from '../claude-code/files/other-shapes.js';
import { MANIFEST_KEYS } from '../claude-code/files/plugin-dir.js';
import { checkHooks } from '../claude-code/files/schema.js';
import {
  checkSettings,
  isGroups,
  misspeltKeys,
  SETTINGS_KEYS,
  strayGroups,
} from '../claude-code/files/settings-keys.js';
import { HookscopeError } from '../errors.js';
import { CLAUDE_EVENTS } from '../events/catalogue.js';
import { CLAUDE_KINDS } from '../events/handler-kinds.js';
import { OTHER_NAMES, otherName } from '../events/other-names.js';
import { isRemark } from '../files/json-comments.js';
import type { Path } from '../files/json-file.js';
import { ABOUT_HOOKS } from '../foreign/parse.js';
import { checkConfig } from '../plugins/config.js';
import { checkHooksFile } from '../plugins/hooks-file.js';
import { validateHooks } from '../plugins/validate.js';
import { nearest, nearestSpelling } from '../values/nearest.js';
import { formatPath } from '../values/problem.js';
import { isObject } from '../values/shape.js';
import { refusedFix } from './check-matchers.js';
import { atKey, type CheckFinding, type FileCheck } from './checking.js';
import { isUnread } from './files/find.js';
import type { FileKind } from './files/kinds.js';
import type { SourceFile } from './files/source-file.js';
import { entryOf, parsePath, plainData, spanAt, type TreeNode } from './files/tree.js';
import { RULES, type RuleId } from './rules/rules.js';

/** Checks that the file can be parsed. */
export const checkSyntax: FileCheck = function* ({ parsed, text, kind }) {
  const { errors, root } = parsed;
  const found = (at: CheckFinding['at'], message: string): CheckFinding => {
    return { rule: 'unreadable', at, where: [], message };
  };
  const [first] = errors;
  // Only the first error, since later ones often follow from it.
  if (first) yield found(first, `${first.message}.`);
  else if (root === undefined && text.trim() === '') yield found({ start: 0, end: 1 }, 'The file is empty.');
  else if (root?.kind !== 'object' && kind !== 'agent' && kind !== 'skill' && kind !== 'command')
    yield found(root ?? { start: 0, end: 1 }, 'An object was expected, { "hooks": { … } }.');
};

/** Checks that Claude Code reads the file at all. */
export const checkRead: FileCheck = function* ({ path, kind, plugin, parsed: { root } }) {
  if (kind !== 'settings' || plugin !== undefined || !isUnread(path)) return;
  const hooks = entryOf(root, 'hooks');
  const at = hooks?.keySpan ?? { start: 0, end: 1 };
  const message = `Claude Code does not read hooks from ${basename(path)}.`;
  yield { rule: 'not-read', at, where: hooks ? ['hooks'] : [], message };
};

/** Checks Claude Code's files by the loader's rules. */
export const checkClaudeShape: FileCheck = function* (file, about) {
  const { root } = file.parsed;
  if (file.dialect !== 'claude' || root?.kind !== 'object') return;
  const data = plainData(root) as Readonly<Record<string, unknown>>;
  const wrongName = misspelt(data);
  const other = file.kind === 'manifest' ? undefined : (otherShape(data, CLAUDE_EVENTS) ?? wrongName?.message);
  const ofKeys =
    SETTINGS_KINDS.has(file.kind) && !isUnread(file.path) ? checkSettings(data, file.kind === 'managed') : NONE;
  if (file.kind === 'manifest') yield* told(root, misspeltKeys(data, MANIFEST_KEYS));
  yield* told(
    root,
    ofKeys.findings.filter(({ path: [key] }) => key !== wrongName?.key),
  );
  if (other !== undefined) {
    const bare = data['hooks'] === undefined;
    // The file's name does not tell, so it may be one of hookscope's own. What cannot be read is corrected first, whatever it is for.
    const ours = bare && file.kind === 'settings';
    if (ours && file.parsed.errors.length > 0) return;
    const own = ours ? `If this file is for --hooks: hookscope check --hooks ${about.name(file.path)}. Otherwise ` : '';
    yield {
      rule: 'other-shape',
      at: entryOf(root, 'hooks')?.keySpan ?? root,
      where: bare ? [] : ['hooks'],
      message: sentence(`${own}it ${other}`),
      fix: ours ? OURS : undefined,
    };
    if (bare && SETTINGS_KINDS.has(file.kind))
      yield* told(root, checkHooks(eventsIn(data, CLAUDE_EVENTS), [], CLAUDE_EVENTS).findings);
    return;
  }
  if (ofKeys !== NONE) yield* told(root, strayGroups(data, ofKeys.findings));
  const misplaced = FRONTMATTERS.has(file.kind) ? misplacedIn(data, CLAUDE_EVENTS) : [];
  yield* told(root, misplaced);
  // A key that stands where it is not read is unknown there, too.
  const places = new Set(misplaced.map(({ path }) => formatPath(path)));
  for (const set of file.sets) {
    const found = checkHooks(plainData(set.node), set.path, CLAUDE_EVENTS);
    const elsewhere = found.findings.filter(({ path }) => !places.has(formatPath(path)));
    yield* told(root, elsewhere);
  }
  yield* checkTypes(file);
};

const SETTINGS_KINDS: ReadonlySet<FileKind> = new Set(['managed', 'user', 'project', 'local', 'settings']);
const FRONTMATTERS: ReadonlySet<FileKind> = new Set(['agent', 'skill', 'command']);
const NONE = { findings: [] };

/** Converts the loader's findings. */
function* told(root: TreeNode, findings: readonly Finding[]): Generator<CheckFinding> {
  for (const { rule, path, message, nearest: near } of findings) {
    if (isRemark(path.at(-1))) continue;
    const id = Object.hasOwn(RULES, rule) ? (rule as RuleId) : 'wrong-value';
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    const place = { at: spanAt(root, path), where: path };
    yield { rule: id, ...place, message: sentence(`it ${message}`) + hint, fix: fixOf(id, path) };
  }
}

const OURS =
  'Put its events below "hooks". In a file for --hooks they may stand at the top, and one called hooks.json or NAME.hooks.json is checked as such.';

/** A top-level key that is nearly "hooks" or an event's name. None of its hooks runs, and no other check would report it. */
function misspelt(data: Readonly<Record<string, unknown>>): { key: string; message: string } | undefined {
  if (data['hooks'] !== undefined) return undefined;
  const has = (key: string): string => `has "${key}" at its top level; expected`;
  for (const [key, value] of Object.entries(data)) {
    const near = nearest(key, CLAUDE_EVENTS);
    if (near !== undefined && isGroups(value))
      return { key, message: `${has(key)} events under "hooks", { "hooks": { "${near}": [ … ] } }` };
    if (nearestSpelling(key, ['hooks']) !== undefined && isObject(value) && Object.values(value).some(isGroups))
      return { key, message: `${has(key)} "hooks", and none of what is under it runs` };
  }
  return undefined;
}

const MANAGED = 'Write it into managed settings, or take it out.';

/** Advice for keys and events that belong to other programs or other files. */
const MEANT: Readonly<Record<string, string>> = {
  enforce:
    'Claude Code enforces all that its files hold. To try the hook out, write it into hookscope.config.json or a hooks file.',
  enabled: 'To turn a hook off take it out; nothing else does.',
  priority: 'Hooks of one event run at the same time; put what must be in order into one hook.',
  blocking: 'A hook blocks by exit code 2; "onFailure": "block" lets failures block too.',
  failClosed: 'Write "onFailure": "block".',
  continueOnError: 'That is so without it; "onFailure": "block" is the opposite.',
  suppressOutput: 'It is a key of what the hook prints.',
  environment: 'Set variables in the command: env NAME=value ….',
  env: 'Set variables in the command: env NAME=value ….',
  allowManagedHooksOnly: MANAGED,
  allowManagedMcpServersOnly: MANAGED,
  allowManagedPermissionRulesOnly: MANAGED,
  strictKnownMarketplaces: MANAGED,
  blockedMarketplaces: MANAGED,
  timeoutMs: 'Write "timeout", in seconds.',
  timeoutSec: 'Write "timeout", in seconds.',
  cwd: 'Begin the command with cd … &&.',
};

function fixOf(rule: RuleId, path: Path): string | undefined {
  const key = String(path.at(-1));
  if (rule !== 'unknown-key' && rule !== 'unknown-event') return undefined;
  const other = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  if (other !== undefined) return `${other.title} calls it that; here it is ${other.ours}.`;
  return Object.hasOwn(MEANT, key) ? MEANT[key] : undefined;
}

function* checkTypes({ handlers }: SourceFile): Generator<CheckFinding> {
  const types: readonly string[] = CLAUDE_KINDS;
  for (const handler of handlers) {
    const { type, spec, event } = handler;
    if (type === undefined) continue;
    if (!types.includes(type)) {
      const near = nearest(type, types) ?? (/^(shell|bash|script|process|exec)$/.test(type) ? 'command' : undefined);
      const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
      yield {
        rule: 'unknown-type',
        ...atKey(handler, 'type'),
        message: `"${type}" is not a handler type, so it never runs.${hint}`,
      };
    } else if (spec && !(spec.types as readonly string[]).includes(type)) {
      const allowed = CLAUDE_KINDS.filter((kind) => spec.types.includes(kind)).join(', ');
      yield {
        rule: 'type-not-allowed',
        ...atKey(handler, 'type'),
        message: `${event} allows ${allowed}, but no ${type}: the handler is skipped.`,
      };
    }
  }
}

/** Checks hookscope's own files for the problems that registering them would report. */
export const checkOwnShape: FileCheck = function* (file) {
  const { root } = file.parsed;
  if (file.dialect !== 'code' || root?.kind !== 'object') return;
  const around = [...checkAround(root, file)];
  yield* around;
  for (const set of file.sets) {
    // The whole file, or a value that is no hooks, is said to be wrong already.
    if (around.some(({ where }) => set.path.length === 0 || formatPath(where) === formatPath(set.path))) continue;
    for (const { where, message } of validateHooks(plainData(set.node), { events: agentEvents() })) {
      const path = [...set.path, ...parsePath(where === 'hooks' ? '' : ofHandler(where))];
      const said = sentence(`it ${otherName(where, () => 'hookscope check FILE') ?? message}`);
      yield { rule: 'invalid-hooks', at: spanAt(root, path), where: path, message: said, fix: refusedFix(file, path) };
    }
  }
};

type WrongPlace = { where?: string; expected: string; nearest?: string };

/** Reports what is wrong around the hooks. */
function* checkAround(root: TreeNode, { kind, path: file }: SourceFile): Generator<CheckFinding> {
  try {
    (kind === 'config' ? checkConfig : checkHooksFile)(plainData(root), file);
  } catch (error) {
    if (!(error instanceof HookscopeError)) throw error;
    const { where = '', expected, nearest: near } = error.details as WrongPlace;
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    const path = parsePath(ofHandler(where));
    const said = otherName(`${path.at(-1)}`, () => 'hookscope check FILE') ?? expected;
    yield { rule: 'invalid-hooks', at: spanAt(root, path), where: path, message: sentence(`it ${said}`) + hint };
  }
}

/** Reports repeated keys in objects that contain hooks. */
export const checkDuplicateKeys: FileCheck = function* ({ parsed, sets, dialect, agent, kind }) {
  const { root } = parsed;
  if (root?.kind !== 'object') return;
  // Other keys of a frontmatter may be lines of a text.
  const entries = FRONTMATTERS.has(kind) ? root.entries.filter(({ key }) => OF_HOOKS.has(key)) : root.entries;
  yield* repeated({ ...root, entries }, []);
  if (dialect === 'code') for (const set of sets) yield* repeatedBelow(set.node, set.path);
  else {
    const read = agent === undefined ? READ : ABOUT_HOOKS;
    for (const { key, value } of root.entries) if (read.includes(key)) yield* repeatedBelow(value, [key]);
  }
};

/** The keys of a frontmatter that say which hooks run, and for which agent or skill. */
const OF_HOOKS = new Set(['hooks', 'name']);

/** The top-level keys of Claude Code's files that are read. */
const READ = [...SETTINGS_KEYS, 'userConfig'];

function* repeatedBelow(node: TreeNode, path: Path): Generator<CheckFinding> {
  if (node.kind === 'scalar') return;
  if (node.kind === 'array') {
    for (const [i, item] of node.items.entries()) yield* repeatedBelow(item, [...path, i]);
    return;
  }
  if (path.length > 0) yield* repeated(node, path);
  for (const { key, value } of node.entries) yield* repeatedBelow(value, [...path, key]);
}

function* repeated(node: Extract<TreeNode, { kind: 'object' }>, path: Path): Generator<CheckFinding> {
  const seen = new Set<string>();
  for (const { key, keySpan } of node.entries) {
    const message = `"${key}" appears here a second time; what the first one holds is not used.`;
    if (seen.has(key) && !isRemark(key)) yield { rule: 'duplicate-key', at: keySpan, where: [...path, key], message };
    seen.add(key);
  }
}

/** A timeout of at least this many seconds was probably meant in milliseconds. */
const LONG = 1000;

/** The place of a handler's option, without the function that names it in code: `….hooks[0]: rule(): reason` is `….hooks[0].reason`. */
const ofHandler = (where: string): string => where.replace(/: (?:\w+\(\): )?(?=\w+$)/, '.');

/** Checks timeouts in hookscope's own files, where groups may have one too. Those in Claude Code's files are checked by the loader. */
export const checkTimes: FileCheck = function* (file) {
  if (file.dialect !== 'code') return;
  for (const { node, path } of [...file.groups, ...file.handlers]) {
    const timeout = entryOf(node, 'timeout')?.value;
    if (timeout?.kind !== 'scalar' || typeof timeout.value !== 'number' || timeout.value < LONG) continue;
    const message = `${timeout.value} s is a long time: seconds are meant, not milliseconds.`;
    yield { rule: 'milliseconds', at: timeout, where: [...path, 'timeout'], message };
  }
};

/** Makes a sentence of a message of the loader, which lacks the subject and the full stop. */
function sentence(text: string): string {
  const whole = text.replace(/^it (?=["\d]|expected)/, '');
  const end = /[.?]$/.test(whole) ? '' : '.';
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)}${end}`;
}
