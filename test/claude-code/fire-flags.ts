/** Options that may be given several times. */
const MANY = new Set(['settings', 'pluginDir', 'agent', 'plugin', 'hooks']);

/** A command line's options as the program hands them to its command. */
export function fireFlags(args: readonly string[]): Record<string, never> {
  const flags: Record<string, unknown> = {};
  for (let i = 0; i < args.length; i++) {
    const name = (args[i] as string).slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (name === 'noConfig') flags['config'] = false;
    else if (args[i + 1] === undefined || args[i + 1]?.startsWith('--')) flags[name] = true;
    else if (MANY.has(name)) flags[name] = [...((flags[name] as string[] | undefined) ?? []), args[++i]];
    else flags[name] = args[++i];
  }
  return flags as Record<string, never>;
}
