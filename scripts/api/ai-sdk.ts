/**
 * Tools and models of the AI SDK in a session, from `hookscope/adapters/ai`.
 *
 * @module ai-sdk
 */

export type {
  AgentToolOptions,
  Driven,
  DriveOptions,
  Generated,
  RoundSettings,
  ToolHow,
  UserPrompt,
} from '../../src/adapters/ai.js';
export { agentTool, drive } from '../../src/adapters/ai.js';
