// What the real agents did, alone and through hookscope (`npm run interop`), as tables for docs/agents.md.
import type { Mode, Outcome } from './interop/agents/before-tool.js';
import type { Heard } from './interop/agents/other-events.js';
import { type AgentResults, readResults } from './interop/agents/play.js';

/** The recorded cases by their names. */
const NOES: Readonly<Record<string, string>> = {
  deny: 'exit 0, the deny of this agent',
  exit2_stderr: 'exit 2, the reason on stderr',
  exit2_nostderr: 'exit 2, nothing on stderr',
  exit2_allowjson: 'exit 2, JSON that allows',
  exit1_denyjson: 'exit 1, JSON that denies',
  twojson: 'two JSON objects, the second denies',
  deny_noreason: 'a deny without a reason',
  legacy_block: '`decision: block`',
  continue_false: '`continue: false`',
  claude_deny: "Claude Code's deny",
  unknown_field_deny: 'a deny with a field too many',
  timeout: 'a deny after the timeout',
  deny_then_sleep_bg: 'a deny, while a child holds stdout open',
};
const BROKEN: Readonly<Record<string, string>> = {
  exit1_stderr: 'broken: exit 1',
  exit3_stderr: 'broken: exit 3',
  exit127: 'broken: not there (127)',
  brokenjson0: 'broken: half a JSON object',
  killed: 'broken: killed',
};
const OTHERS: Readonly<Record<string, string>> = {
  silent0: 'nothing',
  plaintext0: 'plain text',
  allow: 'allow',
  rewrite: 'another input',
  ask: 'ask, and nobody there',
};
const WORDS: Readonly<Record<Outcome['did'], string>> = {
  ran: '**runs**',
  blocked: 'stopped',
  rewritten: 'the other runs',
  hung: '**hangs**',
  'not called': '?',
};

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

const didOf = (outcome = 'not called'): Outcome['did'] => outcome.replace(/, told$/, '') as Outcome['did'];

/** What is the same with and without a server is said once. */
const through = (of: (mode: Mode) => string): string =>
  of('stateless') === of('server') ? of('server') : `${of('stateless')}; with a server ${of('server')}`;

export function agentRuns(): string {
  const all = readResults();
  const head = ['', ...all.flatMap(({ title, version }) => [`${title} ${version}`, 'through us'])];
  const cells = (of: (one: AgentResults, mode: Mode) => string): string[] =>
    all.flatMap((one) => [of(one, 'direct'), through((mode) => of(one, mode))]);
  const row =
    (names: Readonly<Record<string, string>>, runs: string) =>
    ([name, words]: [string, string]): string[] => [
      words,
      ...cells(({ before_tool }, mode) => {
        const did = didOf(before_tool[mode][name]);
        return did === 'ran' && names === OTHERS && name !== 'ask' ? runs : WORDS[did];
      }),
    ];
  const sum = (names: readonly string[], words: string): string[] => [
    words,
    ...cells(({ before_tool }, mode) => {
      const stopped = names.filter((name) => didOf(before_tool[mode][name]) === 'blocked').length;
      return `${stopped} of ${names.length}`;
    }),
  ];
  const told = (names: readonly string[], words: string): string[] => [
    words,
    ...cells(({ before_tool }, mode) =>
      String(names.filter((name) => before_tool[mode][name]?.endsWith(', told')).length),
    ),
  ];
  const dates = [...new Set(all.map(({ date }) => date))].join(', ');
  const words: Readonly<Record<string, string>> = {
    heard: 'yes',
    'no word': '–',
    'not asked': 'not asked',
    lost: '**lost**',
  };
  const said = (heard: Heard | undefined): string => (heard === undefined ? '?' : (words[heard] ?? heard));
  const events = Object.keys(all[0]?.other_events.direct ?? {}).map((name) => [
    name,
    ...cells(({ other_events }, mode) => said(other_events[mode][name])),
  ]);
  return [
    '### Where a no is lost, and where it is heard',
    `What became of 13 ways to say no and of 5 guards that are broken, before the shell tool of the real agents: with nothing of ours between (their own words), and as hooks of a hooks file, in our words, through \`hookscope hook --as\`, by itself and with a warm server. Nothing in that file says what a failure does. Seen on ${dates} by \`npm run interop\`; Cursor was not tried.`,
    table(head, [
      ...Object.entries(NOES).map(row(NOES, '')),
      ...Object.entries(BROKEN).map(row(BROKEN, '')),
      sum(Object.keys(NOES), 'noes heard'),
      told(Object.keys(NOES), 'noes of which the model was told why'),
      sum(Object.keys(BROKEN), 'broken guards stopped'),
      ...Object.entries(OTHERS).map(row(OTHERS, 'runs')),
    ]),
    '### Other events',
    'The same agents, on the same day: whether what a hook says is heard. "as …": it is said as something else. "–": there is no word for it. "not asked": there is no such event, or the agent does not fire it where no person is.',
    table(head, events),
  ].join('\n\n');
}
