export type { RunAgentOptions } from './agents.js';
export { runAgent } from './agents.js';
export { Steps } from './steps.js';
export type { RunOptions, StepsOptions } from './steps-options.js';
export { callText, contentText } from './texts.js';
export type { Begin, Round, Turn } from './turn.js';
export { runTurn } from './turn.js';
