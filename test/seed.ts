/** HOOKSCOPE_SEED: the seed that a failed generated test has named, to see the same again. */
export const GIVEN_SEED: number | undefined =
  process.env['HOOKSCOPE_SEED'] === undefined ? undefined : Number(process.env['HOOKSCOPE_SEED']) | 0;

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
