// What the real agents did, alone and through hookscope (`npm run interop`), as tables for docs/agents.md, and what the probe compares with.
import { casesTable, eventsTable } from '../src/probe/markdown.js';
import { readResults } from './interop/agents.js';

/** The tables that `hookscope doctor --probe AGENT --everything --markdown` prints, of all that were driven. */
export function agentRuns(): string {
  const all = readResults();
  const dates = [...new Set(all.map(({ date }) => date))].join(', ');
  return [
    '### Where a no is lost, and where it is heard',
    `What became of 13 ways to say no and of 5 guards that are broken, before the shell tool of the real agents: with nothing of ours between (their own words), and as hooks of a hooks file, in our words, through hookscope, by itself and with a warm server. Nothing in that file says what a failure does, but for Claude Code, whose hooks have \`onFailure: "block"\`. Seen on ${dates} by [\`hookscope doctor --probe\`](#ask-your-own), which shows the same of your version; Cursor was not tried.`,
    casesTable(all),
    '### Other events',
    'The same agents, on the same day: whether what a hook says is heard. "as …": it is said as something else. "–": there is no word for it. "not asked": there is no such event, or the agent does not fire it where no person is.',
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

/** What one version did with nothing of ours between: for each word, the hooks after which it did that. */
export interface Recorded {
  readonly version: string;
  readonly date: string;
  readonly did: Readonly<Record<string, string>>;
}

export const RECORDED: Readonly<Record<string, Recorded>> = {
${entries.join('')}};
`;
}
