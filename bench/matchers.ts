import { createHost } from 'hookscope';
import type { Case } from './harness.js';
import { preToolUse as input } from './recorded.js';

/** As people write them: globs over the tools of MCP servers. One of them matches. */
const GLOBS = [...Array.from({ length: 199 }, (_, i) => `mcp__server-${i}__*`), 'Ba*'];
const EXPRESSIONS = GLOBS.map((glob) => new RegExp(`^${glob.replace('*', '.*')}$`));

function fireWith(matchers: readonly string[]): () => unknown {
  const host = createHost();
  host.register({ PreToolUse: matchers.map((matcher) => ({ matcher, hooks: [() => undefined] })) });
  return () => host.fire('PreToolUse', input);
}

let matched = 0;
function scan(): void {
  for (const expression of EXPRESSIONS) if (expression.test(input.tool_name)) matched++;
}

/** What choosing among 200 costs: a fire with 200 matchers less a fire with one that matches all. */
export const cases: Case[] = [
  {
    name: '200 matchers on a known tool name',
    goal: 0.05,
    candidates: () => [
      { name: 'scan of regular expressions', run: scan },
      { name: 'fire with 200 matchers', run: fireWith(GLOBS) },
      { name: 'fire with one match-all', run: fireWith(['*']) },
    ],
    floor: 'scan of regular expressions',
    subject: 'fire with 200 matchers',
    less: 'fire with one match-all',
  },
];

/** Keeps the scan from being optimised away. */
export const total = (): number => matched;
