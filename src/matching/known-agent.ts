/** The types of an agent itself, and those with the types of the agents that it is below. */
export interface AgentTypes {
  readonly own: readonly string[];
  readonly all: readonly string[];
}

/** What is known of the agent that a call is of, beside its input, which may name it by its id alone. */
export interface KnownAgent {
  readonly agentTypes?: AgentTypes | undefined;
}
