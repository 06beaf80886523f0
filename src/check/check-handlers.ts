import { basename } from 'node:path';
import { readPolicy } from '../claude-code/files/policy.js';
import { HookscopeError } from '../errors.js';
import { EXTERNAL_KINDS } from '../events/handler-kinds.js';
import type { Dialect } from '../events/spec.js';
import { KNOWN_TOOLS } from '../matching/known-tools.js';
import { compileMatcher } from '../matching/matcher.js';
import { neverMeet } from '../matching/never-meet.js';
import { compileRule } from '../matching/rule.js';
import { toolNames } from '../matching/tool-names.js';
import { ended } from '../plain.js';
import { toolProblem } from './check-matchers.js';
import { atKey, type CheckFinding, type FileCheck } from './checking.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { entryOf, isTrue, plainData, type TreeNode, textAt, textOf } from './files/tree.js';
import type { SettingsPolicy } from './policies.js';

/** Checks the options of handlers, except what they run. */
export const checkHandlers: FileCheck = function* (file) {
  for (const handler of file.handlers) {
    yield* checkRule(handler, file);
    yield* checkHttp(handler);
    if (isTrue(entryOf(handler.node, 'once')?.value) && file.dialect === 'claude' && file.kind !== 'skill') {
      yield {
        rule: 'once-ignored',
        ...atKey(handler, 'once'),
        message: '"once" counts only in skills; here the hook runs every time.',
      };
    }
    yield* checkTriedOut(handler, file);
    if (isTrue(entryOf(handler.node, 'async')?.value) && handler.spec?.fold === 'gate') {
      const message = `Nobody waits for it, so it cannot stop anything on ${handler.event}.`;
      yield { rule: 'async-gate', ...atKey(handler, 'async'), message };
    }
  }
};

/** Handler types that run something. The rule type is not among them: it has no side effects and can always be tried. */
const ACTING: readonly string[] = EXTERNAL_KINDS;

function* checkTriedOut(handler: HandlerNode, { dialect, parsed, groups }: SourceFile): Generator<CheckFinding> {
  if (dialect !== 'code' || !ACTING.includes(handler.type ?? '')) return;
  const group = groups.find(({ handlers }) => handlers.includes(handler));
  const said = [parsed.root, group?.node].flatMap((node) => entryOf(node, 'enforce') ?? []);
  const least = said.find(({ value }) => value.kind === 'scalar' && value.value !== true && value.value !== 1);
  if (least === undefined) return;
  const what = handler.type === 'command' ? 'the command runs' : 'what it calls is called';
  const message = `It is not enforced${isShare(least.value) ? ' in all sessions' : ''}, and ${what} all the same.`;
  yield { rule: 'not-enforced', at: handler.node, where: handler.path, message };
}

const isShare = (node: TreeNode): boolean => node.kind === 'scalar' && typeof node.value === 'number' && node.value > 0;

const isAllow = ({ type, node }: HandlerNode): boolean => type === 'rule' && textAt(node, 'decision') === 'allow';

/** Whether the rule of its group is the handler's, as it is read at registration. */
function inheritsRule(handler: HandlerNode): boolean {
  const own = textAt(handler.node, 'if');
  return own === undefined || (own === '' && isAllow(handler));
}

function* checkRule(handler: HandlerNode, { dialect, groups }: SourceFile): Generator<CheckFinding> {
  const permits = isAllow(handler);
  const group = dialect === 'code' ? groups.find(({ handlers }) => handlers.includes(handler)) : undefined;
  const inherited = group !== undefined && inheritsRule(handler);
  if (inherited) {
    // Reported once, for the hook about which there is most to say.
    const heirs = group.handlers.filter(inheritsRule);
    if ((heirs.find(isAllow) ?? heirs[0]) !== handler) return;
  }
  const text = textAt((inherited ? group : handler).node, 'if');
  if (text === undefined || text.trim() === '' || !handler.spec) return;
  const at = atKey(inherited ? group : handler, 'if');
  if (!handler.spec.tool) {
    yield { rule: 'if-not-tool-event', ...at, message: `${handler.event} is about no tool, so the hook never runs.` };
    return;
  }
  const why = warningOf(text, dialect, permits);
  if (why !== undefined) {
    const rule = why.endsWith('the hook never runs') ? 'if-invalid' : 'if-idle';
    yield { rule, ...at, message: ended(`${why.charAt(0).toUpperCase()}${why.slice(1)}`) };
  } else if (canNeverMeet(handler, text, dialect)) {
    yield {
      rule: 'if-never',
      ...at,
      message: `The matcher "${handler.matcher}" leaves out what "${text}" is about, so the hook never runs.`,
    };
  } else if (dialect === 'claude') yield* checkTool(text, at);
  else if (!permits && (handler.matcher ?? '') === '') yield* checkBare(text.trim(), at);
}

/** Reports the bare name of a tool whose patterns are about more tools, in a hook without a matcher. */
function* checkBare(tool: string, at: ReturnType<typeof atKey>): Generator<CheckFinding> {
  if (!KNOWN_TOOLS.has(tool)) return;
  const { rule } = compileRule(`${tool}(*)`, { dialect: 'code', where: 'if' });
  const others = [...KNOWN_TOOLS].filter((name) => rule?.isAbout(name) && !toolNames(tool).includes(name));
  if (others.length === 0) return;
  const message = `"${tool}" alone is about no call of ${others.join(' or ')}.`;
  yield {
    rule: 'if-idle',
    ...at,
    message,
    fix: `Write "${tool}(*)"; if ${tool} alone is meant, "matcher": "${tool}".`,
  };
}

/** The warning for an `if` rule, if any. Errors in hookscope's own files are reported by the checks of the file. */
function warningOf(text: string, dialect: Dialect, permits: boolean): string | undefined {
  try {
    return compileRule(text, { dialect, where: 'if', permits }).warnings[0]?.replace(/^if: /, '');
  } catch (error) {
    if (error instanceof HookscopeError) return undefined;
    throw error;
  }
}

function canNeverMeet({ matcher = '', spec }: HandlerNode, text: string, dialect: Dialect): boolean {
  if (matcher === '' || !spec) return false;
  try {
    const compiled = compileMatcher(matcher, { dialect, event: spec, where: 'matcher', onError: () => undefined });
    const { rule } = compileRule(text, { dialect, where: 'if' });
    return rule !== undefined && neverMeet(compiled.matcher, rule, dialect);
  } catch (error) {
    // Patterns that cannot be compiled are reported by other checks.
    if (error instanceof HookscopeError) return false;
    throw error;
  }
}

/** Reports a tool that Claude Code does not have but whose name resembles one of its tools. */
function* checkTool(text: string, at: ReturnType<typeof atKey>): Generator<CheckFinding> {
  const name = /^[^(]*/.exec(text.trim())?.[0] ?? '';
  const problem = /[*?]|^mcp__/.test(name) ? undefined : toolProblem(name, [], 'claude');
  if (problem === undefined || problem.rule === 'matcher-old-name') return;
  yield { rule: 'if-idle', ...at, message: problem.message, fix: problem.fix };
}

function* checkHttp(handler: HandlerNode): Generator<CheckFinding> {
  if (handler.type !== 'http') return;
  const url = textAt(handler.node, 'url') ?? '';
  if (URL.canParse(url)) {
    const { protocol, hostname } = new URL(url);
    const isLocal = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/.test(hostname);
    if (protocol === 'http:' && !isLocal) {
      yield {
        rule: 'http-not-secure',
        ...atKey(handler, 'url'),
        message: `What ${handler.event} tells is sent to ${hostname} in the clear.`,
      };
    }
  }
  const headers = entryOf(handler.node, 'headers')?.value;
  const list = entryOf(handler.node, 'allowedEnvVars')?.value;
  const allowed = list ? plainData(list) : [];
  if (headers?.kind !== 'object' || !Array.isArray(allowed)) return;
  for (const { key, value } of headers.entries) {
    for (const [, name] of (textOf(value) ?? '').matchAll(/\$\{?([A-Za-z_]\w*)\}?/g)) {
      if (allowed.includes(name)) continue;
      const message = `"${name}" is not in "allowedEnvVars", so the header is sent without it.`;
      yield { rule: 'http-variable', at: value, where: [...handler.path, 'headers', key], message };
    }
  }
}

/** Reports hooks that settings turn off. `policies` come from all settings files that apply, in order of precedence. */
export function checkPolicy(policies: readonly SettingsPolicy[]): FileCheck {
  return function* (file) {
    if (file.dialect === 'code' || file.handlers.length === 0) return;
    const policy = readPolicy(policies.filter((one) => binds(one, file)));
    const plugin = file.plugin === undefined ? undefined : basename(file.plugin);
    let allOff: string | undefined;
    for (const handler of file.handlers) {
      const source = { managed: file.kind === 'managed', plugin };
      const why = policy.skip(source)?.why;
      const url = urlOf(handler);
      const refused = url === undefined ? undefined : policy.refuseUrl(source, url);
      if (why === undefined && refused !== undefined)
        yield {
          rule: 'disabled-by-policy',
          ...atKey(handler, 'url'),
          message: ended(`The hook always fails: ${refused}`),
        };
      if (why === undefined || why === allOff) continue;
      // A policy that turns one hook off turns all of them off.
      allOff = why;
      const [set] = file.sets;
      const start = set?.node.start ?? 0;
      yield {
        rule: 'disabled-by-policy',
        at: { start, end: start + 1 },
        where: set?.path ?? [],
        message: ended(`Its hooks do not run: ${why}`),
      };
    }
  };
}

/** The handler's URL, if it is valid: policies match only valid URLs. */
function urlOf({ node, type }: HandlerNode): string | undefined {
  const url = textAt(node, 'url');
  return type === 'http' && url !== undefined && URL.canParse(url) ? url : undefined;
}

/** Whether a settings file applies to a hook file. A project's settings apply in that project; a settings file outside the known places applies only to itself. */
function binds({ kind, path, project }: SettingsPolicy, file: SourceFile): boolean {
  if (kind === 'settings') return path === file.path;
  return project === undefined || project === file.project;
}
