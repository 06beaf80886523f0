import type { Description } from '../../host/types.js';
import { clip, column, plain } from '../../plain.js';
import { greatest } from '../../values/append.js';

/** The most hooks on one line. */
const MOST = 12;

/** Which agents have which hooks, a line for each group: `every reviewer  readOnly on Edit|Write`. */
export function audienceLines(tree: Description): string[] {
  const groups = new Map<string, string[]>();
  collect(tree, groups);
  const width = Math.min(
    30,
    greatest(
      0,
      [...groups.keys()].map((who) => plain(who).length),
    ),
  );
  return [...groups].map(([who, hooks]) => {
    const more = hooks.length > MOST ? ` and ${hooks.length - MOST} more` : '';
    return `${column(who, width)}  ${hooks.slice(0, MOST).join(', ')}${more}`;
  });
}

function collect({ kind, scope, hooks, made = [], children }: Description, groups: Map<string, string[]>): void {
  const who = whoseAre(kind, scope);
  const own = hooks.map((hook) => {
    const matcher = hook.matcher === '*' || hook.matcher === '' ? '' : ` on ${clip(hook.matcher, 24)}`;
    const never = hook.skip === undefined && hook.untrusted === undefined ? '' : ' (never runs)';
    return `${clip(lastPart(hook), 30)}${matcher}${never}`;
  });
  const making = made.map(() => 'what a function makes for each');
  if (own.length + making.length > 0) groups.set(who, [...(groups.get(who) ?? []), ...own, ...making]);
  for (const child of children) collect(child, groups);
}

/** The name without the plugin's name. */
function lastPart({ name, plugin }: Description['hooks'][number]): string {
  return plugin === undefined ? name : name.slice(name.lastIndexOf('/') + 1);
}

function whoseAre(kind: string, scope: string): string {
  if (kind === 'managed' || kind === 'host') return 'everyone';
  if (kind === 'session') return 'the session';
  return kind === 'agents of type' ? `every ${scope}` : `agent ${scope}`;
}
