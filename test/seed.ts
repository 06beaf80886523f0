/**
 * What every generated test starts from: a fixed number, so that nothing turns red by chance. HOOKSCOPE_SEED=N is the seed that a failure has
 * named, HOOKSCOPE_SEED=random a fresh one.
 */
export const SEED: number = seedOf(process.env['HOOKSCOPE_SEED']);

export function seedOf(wish: string | undefined): number {
  if (wish === undefined || wish === '') return 10;
  const seed = wish === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wish);
  if (!Number.isInteger(seed))
    throw new TypeError(`HOOKSCOPE_SEED: expected a whole number or "random", got ${JSON.stringify(wish)}`);
  return seed | 0;
}

/** How many to generate of what is seen well with a few: these, or as many as HOOKSCOPE_GENERATED says where that is more. */
export function generated(few: number): number {
  const wish = Number(process.env['HOOKSCOPE_GENERATED'] ?? few);
  if (!Number.isInteger(wish)) throw new TypeError('HOOKSCOPE_GENERATED: expected a whole number');
  return Math.max(few, wish);
}

/**
 * Whether a combination is tried, given the place of each of its parts in the list that it is from: one `of` so many, another share for
 * each part, so that any two parts come together where each list has at least `of`. With HOOKSCOPE_GENERATED all are.
 */
export function isTried(of: number, ...places: readonly number[]): boolean {
  return process.env['HOOKSCOPE_GENERATED'] !== undefined || places.reduce((sum, place) => sum + place, 0) % of === 0;
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). For what fast-check does not generate. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
