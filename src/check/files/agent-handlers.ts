import type { Path } from '../../files/json-file.js';
import type { SourceFile } from './source-file.js';
import { entryOf, type ObjectNode, type TreeNode } from './tree.js';

/** A handler in another agent's file, with its group if the file has groups. */
export interface AgentHandler {
  readonly event: string;
  readonly path: Path;
  readonly node: ObjectNode;
  readonly group: ObjectNode;
  readonly groupPath: Path;
}

/** The handlers in another agent's file, grouped or not. */
export function handlersOf({ parsed: { root } }: SourceFile): AgentHandler[] {
  const hooks = entryOf(root, 'hooks')?.value;
  const events = hooks?.kind === 'object' ? hooks.entries : [];
  return events.flatMap(({ key: event, value }) =>
    items(value).flatMap(([group, i]) => {
      const groupPath = ['hooks', event, i];
      const inner = entryOf(group, 'hooks')?.value;
      if (inner === undefined) return [{ event, path: groupPath, node: group, group, groupPath }];
      return items(inner).map(([node, j]) => ({ event, path: [...groupPath, 'hooks', j], node, group, groupPath }));
    }),
  );
}

/** The objects in a list, with their indexes. */
export const items = (node: TreeNode): (readonly [ObjectNode, number])[] =>
  node.kind !== 'array' ? [] : node.items.flatMap((one, i) => (one.kind === 'object' ? [[one, i] as const] : []));
