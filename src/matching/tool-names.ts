/** Former names of tools, by their current name. Matchers and rules may still use them. */
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

/** All names of the tool, including the given one, which may be current or former. */
export function toolNames(name: string): readonly string[] {
  return families.get(name) ?? [name];
}
