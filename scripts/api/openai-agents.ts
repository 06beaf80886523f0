/**
 * A turn of OpenAI Agents in a session, from `hookscope/adapters/openai-agents`.
 *
 * @module openai-agents
 */

export type {
  AgentToolOptions,
  AnyAgent,
  AnyTool,
  Driven,
  DriveOptions,
  Input,
  Ran,
  ToolHow,
} from '../../src/adapters/openai-agents.js';
export { agentTool, drive } from '../../src/adapters/openai-agents.js';
