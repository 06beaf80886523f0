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

/** Every name of the tool, itself among them; an alias stands for the tool both ways. */
export function toolNames(name: string): readonly string[] {
  return families.get(name) ?? [name];
}
