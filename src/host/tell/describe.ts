import { plain } from '../../plain.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { DescribedHook, Description } from '../types.js';

/**
 * The scope tree from here on, as plain data that also prints for people. `waiting` is what agents of a type will get
 * (`spawnHooks`); it stands in the host's scope.
 */
export function describeScope(scope: Scope, waiting: readonly Scope[] = []): Description {
  const hooks = scope.events().flatMap((event) => inOrder(scope.own(event)).map(describeHook));
  const children = [...scope.children].map((child) => describeScope(child, waiting));
  if (scope.kind === 'host') {
    for (const type of waiting) children.push({ ...describeScope(type), kind: 'agents of type' });
  }
  const description = {
    scope: scope.id,
    kind: scope.kind,
    ...(scope.agentType === undefined ? {} : { agentType: scope.agentType }),
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
function failsOpen({ spec, onFailure, phase, async, skip }: Registration): boolean {
  const guards = spec.fold === 'gate' && spec.failure === 'policy' && phase !== 'observe';
  return guards && onFailure === 'continue' && async === false && skip === undefined;
}

export function describeHook(r: Registration): DescribedHook {
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
    ...(failsOpen(r) ? { failsOpen: true as const } : {}),
    source: r.source,
    ...(r.plugin === undefined ? {} : { plugin: r.plugin }),
    ...(r.skip === undefined ? {} : { skip: r.skip }),
    ...(r.skipWhy === undefined ? {} : { skipWhy: r.skipWhy }),
    ...untrusted(r),
  };
}

/** As things are now, where it would run if no input says another place. */
function untrusted(r: Registration): Pick<DescribedHook, 'untrusted'> {
  const why = r.skip === undefined ? r.trustCheck?.({})?.why : undefined;
  return why === undefined ? {} : { untrusted: why };
}

function print({ scope, kind, agentType, hooks, children }: Omit<Description, 'toString'>, indent = ''): string[] {
  const type = agentType === undefined || agentType === scope ? '' : ` (${agentType})`;
  const head = `${indent}${plain(`${kind === scope ? scope : `${kind} ${scope}`}${type}`)}`;
  const lines = hooks.map((h) => `${indent}  ${printHook(h)}`);
  return [head, ...lines, ...children.flatMap((c) => print(c, `${indent}  `))];
}

/** One hook on one line, as `hookscope list` prints it. */
export function printHook(h: DescribedHook): string {
  const on = h.matcher === '*' ? h.event : `${h.event}:${h.matcher}`;
  const extras = [
    h.if && `if ${h.if}`,
    h.stage !== 0 && `stage ${h.stage}`,
    h.mode === 'parallel' && 'parallel',
    h.phase !== 'decide' && h.phase,
    h.failsOpen ? 'fails open' : h.onFailure !== 'continue' && `on failure ${h.onFailure}`,
    h.untrusted && `untrusted: ${h.untrusted}`,
    h.skip && `never runs: ${h.skip}${h.skipWhy === undefined ? '' : `, ${h.skipWhy}`}`,
  ].filter(Boolean);
  const from = [h.source.kind, h.source.name ?? h.plugin, h.source.file].filter(Boolean).join(' ');
  return plain(`${on}  ${h.handler} ${h.name}  [${[...extras, from].join('; ')}]`);
}
