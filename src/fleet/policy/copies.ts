import { readBundle, type SealedBundle } from '../bundle/bundle.js';
import type { KeptChannel, RefusedBundle } from './kept.js';

/** Each bundle once, however often it was posted: the copy that is kept already, or the first that is whole. Anybody can post one again without its files. */
export function onceEach(posts: readonly RefusedBundle[], { bundle, refused }: KeptChannel): RefusedBundle[] {
  const known: RefusedBundle[] = [...refused, ...(bundle ? [{ sealed: bundle }] : [])];
  const ids = new Set(posts.map(({ sealed }) => sealed.id));
  return [...ids].map((id) => {
    const of = (one: RefusedBundle): boolean => one.sealed.id === id;
    const copies = [...known.filter(of), ...posts.filter(of)];
    return (
      (copies.length > 1 ? copies.find(({ sealed }) => isWhole(sealed)) : undefined) ?? (copies[0] as RefusedBundle)
    );
  });
}

function isWhole({ bytes }: SealedBundle): boolean {
  try {
    return readBundle(bytes) !== undefined;
  } catch {
    return false;
  }
}
