// What the real agents did, alone and through hookscope (`npm run interop`), as tables for docs/agents.md, and what the probe compares with.
import { casesTable, eventsTable } from '../src/probe/markdown.js';
import { readResults } from './interop/agents.js';

/** The tables that `hookscope doctor --probe AGENT --everything --markdown` prints, of all that were driven. */
export function agentRuns(): string {
  const all = readResults();
  const dates = [...new Set(all.map(({ date }) => date))].join(', ');
  return [
    '### Where a no is lost, and where it is heard',
    `What 13 ways to say no, and 5 broken guards, did to a call of the shell tool in the real agents. First columns: hooks in the agent's own file and format, without hookscope. "through hookscope": the same hooks in a hooks file of hookscope and in its format; the results with a server and without one are the same, or both are given. That file does not set \`onFailure\`, except for Claude Code, where it is \`"block"\`. Seen on ${dates} by [\`hookscope doctor --probe\`](#ask-your-own), which makes the same table for your version; Cursor was not tried.`,
    casesTable(all),
    '### Other events',
    'The same agents, on the same day: whether the agent does what a hook says. "as …": hookscope says it as something else. "–": the agent has no field for it. "not asked": there is no such event, or the agent does not fire it when no user is present.',
    eventsTable(all),
  ].join('\n\n');
}

/** `src/probe/recorded.ts`. */
export function recordedFile(): string {
  const entries = readResults().map(({ name, version, date, before_tool }) => {
    const did = new Map<string, string[]>();
    for (const [one, outcome] of Object.entries(before_tool.direct ?? {})) {
      const word = outcome.replace(/, told$/, '');
      did.set(word, [...(did.get(word) ?? []), one]);
    }
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    const rows = [...did].map(([word, names]) => `      '${word}': '${names.join(' ')}',\n`);
    return `  ${key}: {\n    version: '${version}',\n    date: '${date}',\n    did: {\n${rows.join('')}    },\n  },\n`;
  });
  return `// Made by npm run generate from what npm run interop has seen.

/** What one version of an agent did without hookscope: for each outcome, the names of the hooks after which it was observed. */
export interface ProbedVersion {
  readonly version: string;
  readonly date: string;
  readonly did: Readonly<Record<string, string>>;
}

export const RECORDED: Readonly<Record<string, ProbedVersion>> = {
${entries.join('')}};
`;
}
