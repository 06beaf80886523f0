/**
 * Whether a command is the one that `hookscope connect` writes into an agent's settings (`thinCommand`). If we ran it as a hook, it would call us,
 * and we would call it again without end, so it is ignored in every hook file.
 */
export function asksUs(command: unknown): boolean {
  return typeof command === 'string' && /^XDG_STATE_HOME=.*\/dist\/hookscope-hook\.sh'? --node /s.test(command);
}
