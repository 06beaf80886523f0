import type { HandlerDescription } from '../handlers/handler.js';
import { sameHookKey } from '../handlers/same-hook.js';
import { isNameList, whyNever } from '../matching/claude-matcher.js';
import { compileMatcher, type Matcher } from '../matching/matcher.js';
import { neverMeet } from '../matching/never-meet.js';
import { compileRule, type Rule } from '../matching/rule.js';
import { type CheckContext, commandSpan, type FileCheck } from './checking.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { plainData, textAt } from './files/tree.js';

/** Reports equal hooks on the same event with overlapping matchers, within a file and across the settings files of a project. */
export const checkDuplicates: FileCheck = function* (file, { files, name }: CheckContext) {
  if (file.dialect === 'code') return;
  for (const handler of file.handlers) {
    const first = earlier(handler, file, files);
    if (first === undefined) continue;
    const { line } = first.file.lineOf(commandSpan(first.handler).start);
    const place = first.file === file ? `line ${line}` : `${name(first.file.path)}:${line}`;
    const message = `The same hook stands in ${place} for ${handler.event}; for a call that both match it runs once.`;
    yield { rule: 'duplicate', at: commandSpan(handler), where: handler.path, message };
  }
};

interface HandlerInFile {
  readonly handler: HandlerNode;
  readonly file: SourceFile;
}

function earlier(handler: HandlerNode, file: SourceFile, files: readonly SourceFile[]): HandlerInFile | undefined {
  const key = keyOf(handler);
  if (key === undefined) return undefined;
  for (const other of files) {
    if (other !== file && !(isSettings(other) && isSettings(file) && other.project === file.project)) continue;
    for (const one of other.handlers) {
      // Compares with earlier hooks only, so that the second of two is reported.
      if (one === handler) return undefined;
      if (one.event !== handler.event || keyOf(one) !== key) continue;
      if (overlap(one, handler)) return { handler: one, file: other };
    }
    if (other === file) return undefined;
  }
  return undefined;
}

const isSettings = ({ kind }: SourceFile): boolean => kind === 'project' || kind === 'local';

/** Kept, because each hook is compared with all before it. */
const KEYS = new WeakMap<HandlerNode, string>();

function keyOf(handler: HandlerNode): string | undefined {
  const key = KEYS.get(handler) ?? sameHookKey(plainData(handler.node) as HandlerDescription);
  if (key !== undefined) KEYS.set(handler, key);
  return key;
}

/** What decides which calls a hook is for. Undefined: it never runs, as another finding says. */
function conditionsOf({ spec, type, node, matcher: text }: HandlerNode): Conditions | undefined {
  if (!spec || !(spec.types as readonly (string | undefined)[]).includes(type)) return undefined;
  const context = { dialect: 'claude', event: spec, where: 'matcher', onError: () => undefined } as const;
  const { matcher, warnings } = compileMatcher(text, context);
  const { rule, warnings: ofRule } = compileRule(textAt(node, 'if'), { dialect: 'claude', where: 'if' });
  const isIdle = rule !== undefined && (!spec.tool || neverMeet(matcher, rule, 'claude'));
  return isIdle || whyNever([...warnings, ...ofRule]) !== undefined ? undefined : { matcher, rule };
}

interface Conditions {
  readonly matcher: Matcher;
  readonly rule: Rule | undefined;
}

/** Whether one call may be for both of two equal hooks, as far as the names that their matchers list can tell. */
function overlap(one: HandlerNode, other: HandlerNode): boolean {
  const [a, b] = [conditionsOf(one), conditionsOf(other)];
  if (a === undefined || b === undefined) return false;
  if (a.matcher.all || b.matcher.all || a.matcher.text === b.matcher.text) return true;
  const isForBoth = (name: string): boolean =>
    a.matcher.matches(name) && b.matcher.matches(name) && a.rule?.isAbout(name) !== false;
  return [...namesOf(one), ...namesOf(other)].some(isForBoth);
}

const namesOf = ({ matcher = '', spec }: HandlerNode): string[] =>
  isNameList(matcher, spec?.narrowNames === true) ? matcher.split(/[|,]/).map((name) => name.trim()) : [];
