/** Former names of tools that matchers and rules still mean, by the name the tool has now. */
export const TOOL_ALIASES: Readonly<Record<string, readonly string[]>> = Object.freeze({
  Agent: ['Task'],
  TaskStop: ['KillShell', 'KillBash'],
  ListAgents: ['ListPeers'],
  SendUserMessage: ['Brief'],
  ListMcpResourcesTool: ['ListMcpResources'],
  ReadMcpResourceTool: ['ReadMcpResource'],
  ReadMcpResourceDirTool: ['ReadMcpResourceDir'],
  SetGoal: ['ProposeGoal'],
});

const families = new Map<string, readonly string[]>(
  Object.entries(TOOL_ALIASES).flatMap(([now, former]) => {
    const family = [now, ...former];
    return family.map((name) => [name, family] as const);
  }),
);

/** All names of the tool, including the given one; an alias works in both directions. */
export function toolNames(name: string): readonly string[] {
  return families.get(name) ?? [name];
}
