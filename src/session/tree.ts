/** A session or agent and all agents below it, each before those below it. */
export function treeOf<T extends { readonly children: Iterable<T> }>(top: T): T[] {
  const found: T[] = [];
  // A work list instead of recursion, because chains may be long.
  const left = [top];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    found.push(one);
    for (const child of [...one.children].reverse()) left.push(child);
  }
  return found;
}
