/** The types of an agent itself (`own`), and those together with its ancestors' types (`all`). */
export interface AgentTypes {
  readonly own: readonly string[];
  readonly all: readonly string[];
}

/** What is known about the agent that makes a call. The call's input may contain only the agent's id. */
export interface KnownAgent {
  readonly agentTypes?: AgentTypes | undefined;
}
