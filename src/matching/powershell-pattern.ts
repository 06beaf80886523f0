import { compileWildcard } from './wildcard.js';

/** The short names people and models use; a rule for the cmdlet means them too. */
const ALIASES = new Map<string, string>(
  Object.entries({
    'remove-item': 'rm ri rmdir rd del erase',
    'get-childitem': 'ls dir gci',
    'get-content': 'cat gc type',
    'set-content': 'sc',
    'copy-item': 'cp copy cpi',
    'move-item': 'mv move mi',
    'rename-item': 'ren rni',
    'new-item': 'ni md mkdir',
    'set-location': 'cd sl chdir',
    'invoke-webrequest': 'iwr curl wget',
    'invoke-restmethod': 'irm',
    'start-process': 'saps start',
    'stop-process': 'kill spps',
    'write-output': 'echo write',
  }).flatMap(([name, aliases]) => aliases.split(' ').map((alias) => [alias, name] as const)),
);
/** Anything that may name or build a command in another way: variables, blocks, calls, escapes, other shells. */
const UNKNOWABLE = /[$`&(){}@]|\b(?:iex|invoke-expression|powershell|pwsh|cmd)\b/i;

/**
 * A pattern over PowerShell commands, without letter case. Only plain commands joined by `;`, `|` and `&&` are read;
 * with anything else it is unknown what runs, and the pattern matches.
 */
export function compilePowerShellPattern(pattern: string): (command: unknown) => boolean {
  const text = canonical(pattern.replace(/:\*$/, ' *'));
  if (text === '*') return () => true;
  const whole = compileWildcard(text);
  const bare = text.endsWith(' *') ? compileWildcard(text.slice(0, -2)) : undefined;
  return (command) => {
    if (typeof command !== 'string' || UNKNOWABLE.test(command.replaceAll('&&', ';'))) return true;
    const parts = command.split(/&&|[;|\r\n]/).map(canonical);
    return [canonical(command), ...parts].some((part) => whole(part) || bare?.(part) === true);
  };
}

/** Lower case, without quotes, one space between words, the cmdlet's own name first. */
function canonical(command: string): string {
  const words = command.toLowerCase().replace(/["']/g, '').trim().split(/\s+/);
  const [name = '', ...rest] = words;
  return [ALIASES.get(name) ?? name, ...rest].join(' ');
}
