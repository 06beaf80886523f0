/**
 * A session under an agent of LangChain, from `hookscope/adapters/langchain`.
 *
 * @module langchain
 */

export type {
  AgentOptions,
  AskedCall,
  Deferral,
  HooksOptions,
  Question,
  ToolHow,
} from '../../src/adapters/langchain.js';
export { hooks } from '../../src/adapters/langchain.js';
