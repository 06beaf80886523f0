/**
 * The hook protocols of other agents, from `hookscope/agents`: what they give a hook, and how they are answered.
 *
 * @module agents
 */

export type {
  AgentFiles,
  AgentLimits,
  AgentSupport,
  Answer,
  Codec,
  Decoded,
  Encoded,
  EncodeOptions,
  EventRow,
  Field,
  Fill,
  ForeignProblem,
  HeldAgentFile,
  Instead,
  LoadAgentHooksOptions,
  LoadedAgentFile,
  LoadedAgentHooks,
  Loss,
  OwnEvent,
  Place,
  PlainText,
  Sayable,
  Says,
  Silence,
  Unsaid,
  Words,
} from '../../src/agents.js';
export {
  AGENT_NAMES,
  AgentMemory,
  agentCodec,
  agentEvents,
  loadAgentHooks,
  SAYABLE,
  supports,
} from '../../src/agents.js';
