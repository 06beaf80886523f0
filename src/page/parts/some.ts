/** The part of a long list that is shown: its beginning and, in any case, the chosen item. `left`: how many are left out. */
export function someOf<T>(
  all: readonly T[],
  most: number,
  isChosen: (one: T) => boolean = () => false,
): { readonly some: readonly T[]; readonly left: number } {
  const some = all.slice(0, most);
  const chosen = some.some(isChosen) ? undefined : all.find(isChosen);
  if (chosen !== undefined) some.push(chosen);
  return { some, left: all.length - some.length };
}

export const leftOut = (left: number): string => `… and ${left.toLocaleString('en')} more`;
