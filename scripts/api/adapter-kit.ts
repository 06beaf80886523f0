/**
 * What every adapter of a framework stands on, from `hookscope/adapters/kit`.
 *
 * @module adapter-kit
 */

export type { Begin, Round, RunAgentOptions, RunOptions, StepsOptions, Turn } from '../../src/adapters/kit.js';
export { callText, contentText, runAgent, runTurn, Steps } from '../../src/adapters/kit.js';
