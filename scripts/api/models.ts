/**
 * Models that prompt and agent hooks may ask, from `hookscope/models/anthropic`.
 *
 * @module models
 */

export type { AgentTool, AnthropicModelOptions } from '../../src/host/models/anthropic.js';
export { anthropicModel } from '../../src/host/models/anthropic.js';
