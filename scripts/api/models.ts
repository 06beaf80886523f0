/**
 * Models that prompt and agent hooks may ask, from `hookscope/models/anthropic`.
 *
 * @module models
 */

export type { AgentTool, AnthropicModelOptions } from '../../src/adapters/anthropic.js';
export { anthropicModel } from '../../src/adapters/anthropic.js';
