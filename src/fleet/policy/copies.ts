import { readBundle, type Sealed } from '../bundle/bundle.js';
import type { KeptChannel, Refused } from './kept.js';

/** Each bundle once, however often it was posted: the copy that is kept already, or the first that is whole. Anybody can post one again without its files. */
export function onceEach(posts: readonly Refused[], { bundle, refused }: KeptChannel): Refused[] {
  const known: Refused[] = [...refused, ...(bundle ? [{ sealed: bundle }] : [])];
  const ids = new Set(posts.map(({ sealed }) => sealed.id));
  return [...ids].map((id) => {
    const of = (one: Refused): boolean => one.sealed.id === id;
    const copies = [...known.filter(of), ...posts.filter(of)];
    return (copies.length > 1 ? copies.find(({ sealed }) => isWhole(sealed)) : undefined) ?? (copies[0] as Refused);
  });
}

function isWhole({ bytes }: Sealed): boolean {
  try {
    return readBundle(bytes) !== undefined;
  } catch {
    return false;
  }
}
