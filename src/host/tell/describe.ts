import type { RuleSpec } from '../../handlers/rule/spec.js';
import { plain } from '../../plain.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { Json } from '../../values/shape.js';
import { ruleOf } from '../call/work.js';
import { inShare } from '../plan/shadows.js';
import type { DescribedHook, Description, MadeHooks } from '../types.js';

/**
 * The scope and its descendants as plain data, which `String()` prints for people. `waiting`: hooks that agents of a type will get
 * (`spawnHooks`), `makers`: functions that make hooks for them, `taps`: raw taps on `host.hooks`. All three are listed in the host's scope.
 */
export function describeScope(
  scope: Scope,
  waiting: readonly Scope[] = [],
  makers: readonly MadeHooks[] = [],
  taps: readonly Registration[] = [],
): Description {
  const hooks = scope.events().flatMap((event) => inOrder(scope.own(event)).map((r) => describeHook(r)));
  const children = [...scope.children].map((child) => describeScope(child, waiting, makers, taps));
  if (scope.kind === 'host') {
    hooks.push(...taps.map((r) => describeHook(r)));
    for (const type of waiting) {
      const made = makers.filter(({ agentType }) => agentType === type.id);
      const described = describeScope(type);
      // Such agents may get only managed hooks, which are listed in the managed scope.
      if (described.hooks.length + made.length === 0) continue;
      children.push({ ...described, kind: 'agents of type', ...(made.length > 0 ? { made } : {}) });
    }
  }
  const description = {
    scope: scope.id,
    kind: scope.kind,
    ...(scope.agentType === undefined ? {} : { agentType: scope.agentType }),
    ...(scope.kind === 'session' && scope.session !== '' ? { session: scope.session } : {}),
    hooks,
    children,
  };
  // Not enumerable: the description stays plain JSON.
  return Object.defineProperty(description, 'toString', { value: () => print(description).join('\n') });
}

/** Observers run last. */
function inOrder(own: readonly Registration[]): readonly Registration[] {
  return [...own.filter((r) => r.phase !== 'observe'), ...own.filter((r) => r.phase === 'observe')];
}

/** Whether the call goes ahead when this hook fails, although it could have stopped it. */
function failsOpen({ spec, onFailure, phase, async, skip, kind }: Registration): boolean {
  // A rule cannot fail.
  const guards = kind !== 'rule' && spec.fold === 'gate' && spec.failure === 'policy' && phase !== 'observe';
  return guards && onFailure === 'continue' && async === false && skip === undefined;
}

/** `input`: names the directory in which the hook would run. */
export function describeHook(r: Registration, input: Json = {}): DescribedHook {
  const untrusted = r.skip === undefined ? r.trustCheck?.(input)?.why : undefined;
  return {
    id: r.id,
    name: r.name,
    event: r.spec.name,
    handler: r.kind,
    matcher: r.matcher.text,
    ...(r.rule === undefined ? {} : { if: r.rule.text }),
    stage: r.stage,
    mode: r.mode,
    phase: r.phase,
    timeout: r.timeout,
    onFailure: r.onFailure,
    ...(ruleOf(r) === undefined ? {} : { rule: ruleOf(r) as RuleSpec }),
    ...(r.enforce === undefined || r.skip !== undefined ? {} : { enforce: r.enforce }),
    // An untrusted guard asks or denies, whatever `onFailure` says.
    ...(failsOpen(r) && untrusted === undefined ? { failsOpen: true as const } : {}),
    source: r.source,
    ...(r.plugin === undefined ? {} : { plugin: r.plugin }),
    ...(r.skip === undefined ? {} : { skip: r.skip.reason, skipWhy: r.skip.why }),
    ...(untrusted === undefined ? {} : { untrusted }),
  };
}

function print(
  { scope, kind, agentType, hooks, made = [], children }: Omit<Description, 'toString'>,
  indent = '',
): string[] {
  const type = agentType === undefined || agentType === scope ? '' : ` (${agentType})`;
  const head = `${indent}${plain(`${kind === scope ? scope : `${kind} ${scope}`}${type}`)}`;
  const lines = [...hooks.map(printHook), ...made.map(printMade)].map((line) => `${indent}  ${line}`);
  return [head, ...lines, ...children.flatMap((c) => print(c, `${indent}  `))];
}

/** One line for hooks that a function will make. */
export function printMade({ agentType, name, plugin, source }: MadeHooks): string {
  const from = [name, source.kind, source.name ?? plugin, source.file].filter(Boolean).join(' ');
  return plain(`hooks made when an agent of type ${agentType} starts  [${from}]`);
}

/** One hook on one line, as `hookscope list` prints it. */
export function printHook(h: DescribedHook): string {
  const on = h.matcher === '*' ? h.event : `${h.event}:${h.matcher}`;
  const extras = [
    h.if && `if ${h.if}`,
    h.stage !== 0 && `stage ${h.stage}`,
    h.mode === 'parallel' && 'parallel',
    h.phase !== 'decide' && h.phase,
    h.rule && `decides ${h.rule.decision}`,
    h.failsOpen ? 'fails open' : h.onFailure !== 'continue' && `on failure ${h.onFailure}`,
    h.enforce !== undefined && inShare(h.enforce),
    h.untrusted && `untrusted: ${h.untrusted}`,
    h.skip &&
      `${h.skip === 'shadow' ? 'does not decide' : 'never runs'}: ${h.skip}${h.skipWhy === undefined ? '' : `, ${h.skipWhy}`}`,
  ].filter(Boolean);
  const from = [h.source.kind, h.source.name ?? h.plugin, h.source.file].filter(Boolean).join(' ');
  return plain(`${on}  ${h.handler} ${h.name}  [${[...extras, from].join('; ')}]`);
}
