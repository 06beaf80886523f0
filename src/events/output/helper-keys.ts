/**
 * The keys of a helper's output. They are strings, not symbols, because an output that was copied or sent as JSON (a worker, a cache, another process), or that
 * another copy of hookscope made, must not look empty. Each part of the meaning has its own key, so outputs that are spread into one object all count.
 */
export const VERDICT = 'hookscope:verdict';
export const REWRITE = 'hookscope:rewrite';
export const CONTEXT = 'hookscope:context';
export const STOP = 'hookscope:stop';
export const HELPER_KEYS = [VERDICT, REWRITE, CONTEXT, STOP] as const;

export const isHelperKey = (key: string): boolean =>
  key === VERDICT || key === CONTEXT || key === STOP || key === REWRITE;

/** Verdicts from the mildest to the strictest, as helpers and as outputs spell them. */
const WORDS: readonly (readonly unknown[])[] = [['allow', 'approve'], ['ask'], ['defer'], ['deny', 'block']];

export const strictness = (word: unknown): number => WORDS.findIndex((same) => same.includes(word));

/** Whether nothing is stricter. */
export const isStrictest = (word: unknown): boolean => strictness(word) === WORDS.length - 1;
