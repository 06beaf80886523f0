/**
 * Whether a command is what `hookscope connect` has written into an agent's settings (`thinCommand`). As a hook of ours it would ask us, and we it,
 * without end: it counts in no file that is read here.
 */
export function asksUs(command: unknown): boolean {
  return typeof command === 'string' && /^XDG_STATE_HOME=.*\/dist\/hookscope-hook\.sh'? --node /s.test(command);
}
