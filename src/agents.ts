/** `hookscope/agents`: the hook protocols of other agents, both ways: what they say to a hook as an event of ours, and our decisions in their words. */
export { AGENT_NAMES, agentCodec } from './agents/agents.js';
export type { Answer, Codec, Decoded, Encoded, EncodeOptions, Loss } from './agents/codec.js';
export { AgentMemory } from './agents/memory.js';
export { agentEvents } from './agents/own-events.js';
export { type AgentSupport, supports } from './agents/supports.js';
export {
  type AgentFiles,
  type AgentLimits,
  type EventRow,
  type Field,
  type Fill,
  type Instead,
  type OwnEvent,
  type Place,
  type PlainText,
  SAYABLE,
  type Sayable,
  type Says,
  type Silence,
  type Unsaid,
  type Words,
} from './agents/table.js';
export type { HeldAgentFile } from './foreign/consent.js';
export {
  type LoadAgentHooksOptions,
  type LoadedAgentFile,
  type LoadedAgentHooks,
  loadAgentHooks,
} from './foreign/load.js';
export type { ForeignProblem } from './foreign/parse.js';
