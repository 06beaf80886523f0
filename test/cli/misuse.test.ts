import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { DOUBLE_STOP } from '../values/double-stop.js';
import { cli, isOneMessage, SESSIONS } from './cli.js';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
  folder.write('package.json', { type: 'module' });
  folder.write('call.json', LS);
  folder.write('array.json', [LS]);
  folder.write('wrong.json', { ...LS, tool_name: 7 });
  folder.write('other-event.json', { ...LS, hook_event_name: 'Stop' });
  folder.write('broken.json', '{\n  "tool_name": \n}');
  folder.write('typo.json', { hooks: { PreToolUse: [{ matcer: 'Bash', hooks: [] }] } });
  folder.write('event-typo.json', { PreTolUse: [] });
  folder.write('theirs.json', { BeforeTool: [] });
  folder.write('lone.json', { PreToolUse: [{ type: 'command', command: 'true' }] });
  folder.write('text.json', { PreToolUse: [{ hooks: ['./guard.sh'] }] });
  folder.write('matchers.json', { PreToolUse: [{ matcher: ['Bash', 'Edit'], hooks: [] }] });
  folder.write('regex.json', { PreToolUse: [{ matcher: '^Bash$', hooks: [] }] });
  folder.write('settings.json', { permissions: {}, hooks: {} });
  folder.write('env.json', { hooks: { PreToolUse: [] }, env: {}, permissions: {} });
  folder.write('cursor.json', { version: 1, hooks: { beforeShellExecution: [{ command: './guard.sh' }] } });
  folder.write('deploy.ts', DEPLOY);
  folder.write('throws.ts', "throw new Error('no team is set');");
  for (const name of ['syntax.mjs', 'syntax.ts']) folder.write(name, 'export default {\n  timeout: 1,,\n}');
  folder.write('imports.mjs', "import './between.mjs'; export default {};");
  folder.write('between.mjs', "export * from './syntax.mjs';");
  folder.write('throws-sentence.ts', "throw new Error('No team is set.');");
  folder.install(
    'hookscope-plugin-fails-too',
    "export default { name: 'g', apply() { throw new Error('Is there a database?'); } };",
  );
  folder.write('bad-key.json', { timeot: 5 });
  folder.install('hookscope-plugin-old', 'export default {};', { peerDependencies: { hookscope: '^99' } });
  folder.install('hookscope-plugin-none', 'export const a = 1;');
  folder.install(
    'hookscope-plugin-fails',
    "export default { name: 'f', apply() { throw new Error('no database'); } };",
  );
  folder.install(
    'hookscope-plugin-strict',
    "import { z } from 'zod'; export default { name: 'strict', options: z.strictObject({ max: z.number() }), apply() {} };",
  );
  folder.installHookscope();
  folder.write('strict.json', { plugins: [['hookscope-plugin-strict', { max: 'x' }]] });
  folder.write(
    'session.jsonl',
    `${line('Stop', { stop_hook_active: false })}\n\n${line('PreToolUse', { tool_name: 'Bash' })}\n`,
  );
  folder.write('no-event.jsonl', `${line('Stop', {})}\n{"at_ms":1,"input":{}}\n`);
  folder.write('not-json.jsonl', `${line('Stop', {})}\n${line('Stop', {})}\nnot json\n`);
  folder.write('unknown.jsonl', `${line('PreTolUse', LS)}\n`);
  folder.write('empty.jsonl', '\n');
});
afterAll(() => folder.remove());

/** A configuration with an event of its own. */
const DEPLOY = `import { defineEvent } from 'hookscope';
import { z } from 'zod';
const Tool = defineEvent({ input: z.object({ tool_name: z.string().optional() }), subject: 'tool_name', fold: 'gate' });
export default { events: { Deploy: defineEvent({ input: z.object({}), fold: 'gate' }), Tool } };`;
const line = (event: string, input: object): string => JSON.stringify({ at_ms: 0, event, input });

/** Arguments, and what the one message must hold. */
/** Of nobody. */
const KEY = `ed25519:${'A'.repeat(43)}`;
const CASES: [args: string, message: string | RegExp][] = [
  ['fier', "unknown command 'fier'"],
  ['fire', "missing required argument 'event'"],
  ['fire PreToolUse Stop', 'too many arguments'],
  ['fire PreToolUse --jsn', "unknown option '--jsn'\n(Did you mean --json?)"],
  [`list --ghp_${'a1'.repeat(18)}`, /^hookscope: unknown option '--\[redacted github-token [^']*'; list has --config,/],
  [
    'list --bogus',
    "unknown option '--bogus'; list has --config, --no-config, --plugin, --hooks, --from, --model, --claude-code,",
  ],
  ['fire PreToolUse --input', "option '--input <file>' argument missing"],
  ['fire PreTolUse --input call.json', 'Unknown event "PreTolUse". Did you mean "PreToolUse"?'],
  ['fire Deploy --config deploy.ts --input none.json', 'none.json: there is no such file.'],
  ['explain Deploy --config deploy.ts --input none.json', 'none.json: there is no such file.'],
  ...['', ' --tool ', ' --input {"tool_name":""}'].flatMap((more) =>
    ['PreToolUse', 'Tool'].map((event): [string, RegExp] => [
      `explain ${event} --config deploy.ts${more}`,
      new RegExp(`^hookscope: Invalid input for ${event}: "tool_name" is missing: add --tool with the name`, 'm'),
    ]),
  ),
  [
    'explain PreToolUse --input {"tool_name":7}',
    /^hookscope: Invalid input for PreToolUse: "tool_name" is not a string: add --tool with the name of the tool/,
  ],
  ['fire PreToolUse', '--input is not given: Invalid input for PreToolUse: "tool_name"'],
  ['fire PreToolUse --input=', '--input: expected JSON, a file, or - for standard input, got nothing.'],
  ['explain PreToolUse --input=', '--input: expected JSON, a file, or - for standard input, got nothing.'],
  ['fire PreToolUse --input none.json', 'none.json: there is no such file.'],
  ['fire PreToolUse --input .', '.: is a directory, not a file.'],
  ['fire PreToolUse --input broken.json', 'broken.json: is not JSON: line 3, column 1: value expected.'],
  ['fire PreToolUse --input array.json', "array.json: expected one JSON object, the event's input, got an array."],
  ['fire PreToolUse --input -', 'standard input: is not JSON: line 1, column 1: it is empty.'],
  [
    'fire PreToolUse --input wrong.json',
    /^hookscope: wrong\.json: Invalid input for PreToolUse: "tool_name" .*number\.$/m,
  ],
  ['fire PreToolUse --input [1]', "--input: expected one JSON object, the event's input, got an array."],
  ['fire PreToolUse --input {"tool_name":7}', '--input: Invalid input for PreToolUse: "tool_name"'],
  ['fire PreToolUse --input {"tool_name":', '--input: is not JSON: line 1, column'],
  ['explain PreToolUse --input [1]', "--input: expected one JSON object, the event's input, got an array."],
  ['fire PreTool', 'Unknown event "PreTool". Did you mean "PreToolUse"?'],
  ...['fire NoSuch', 'explain NoSuch', 'run unknown.jsonl'].map((args): [string, RegExp] => [
    args,
    /Unknown event "\w+"\.(?: Did you mean "\w+"\?)? docs\/events\.md has them all, and hookscope agents NAME/,
  ]),
  ...['fire BeforeTool', 'explain BeforeTool', 'explain afterFileEdit'].map((args): [string, RegExp] => [
    args,
    /Unknown event "\w+"\. It is (?:Gemini|Cursor)'s name of P\w+ToolUse; for \w+'s own file use --from \w+ FILE\.$/m,
  ]),
  ['explain user-prompt', 'Unknown event "user-prompt". Did you mean "UserPromptSubmit"?'],
  ['fire PreToolUse --input wrong.json --json', 'Invalid input for PreToolUse: "tool_name"'],
  ['fire PreToolUse --input wrong.json --exit-code', 'Invalid input for PreToolUse: "tool_name"'],
  ['fire PreToolUse --input other-event.json', '"hook_event_name"'],
  ['list --hooks none.json', 'none.json: there is no such file.'],
  ['list --hooks broken.json', 'broken.json: is not JSON: line 3, column 1'],
  ['list --hooks typo.json', 'Invalid configuration typo.json: PreToolUse[0].matcer: is not a known key'],
  ['list --hooks typo.json', 'Did you mean "matcher"?'],
  ['list --hooks event-typo.json', 'event-typo.json: PreTolUse: is not a known event. Did you mean "PreToolUse"?'],
  ['list --hooks regex.json', 'regex.json: PreToolUse[0].matcher: "^Bash$" looks like a regular expression'],
  [
    'list --hooks settings.json',
    'settings.json: permissions: is not a known key beside "hooks"; for Claude Code\'s settings use --settings.',
  ],
  [
    'list --hooks env.json',
    'env.json: env: is not a known key beside "hooks"; for Claude Code\'s settings use --settings.',
  ],
  [
    'list --hooks cursor.json',
    "cursor.json: hooks.beforeShellExecution: is Cursor's name of PreToolUse; for Cursor's own file use --from cursor FILE.",
  ],
  [
    'list --hooks theirs.json',
    "theirs.json: BeforeTool: is Gemini's name of PreToolUse; for Gemini's own file use --from gemini FILE.",
  ],
  [
    'list --hooks lone.json',
    'lone.json: PreToolUse[0]: is a handler where a group was expected; put it into { "hooks": [ … ] }.',
  ],
  [
    'list --hooks text.json',
    'text.json: PreToolUse[0].hooks[0]: expected a handler, { "type": "command", "command": "…" }',
  ],
  ['list --hooks matchers.json', 'matchers.json: PreToolUse[0].matcher: must be a string ("Bash|Edit"), a RegExp'],
  ['list --config none.ts', 'none.ts: there is no such file.'],
  ['list --config throws.ts', 'throws.ts: it could not be run: no team is set.'],
  ['list --config syntax.mjs', "syntax.mjs: it could not be run: Unexpected token ',', at line 2, column 14."],
  ['list --config syntax.ts', 'syntax.ts: it could not be run: Unexpected token, at line 2, column 14.'],
  ['list --config imports.mjs', /imports\.mjs: .*Unexpected token ',', at line 2, column 14 of \/.*\/syntax\.mjs\./],
  ['list --config throws-sentence.ts', 'throws-sentence.ts: it could not be run: No team is set.\n'],
  ['list --plugin hookscope-plugin-fails-too', 'while it was applied: Is there a database? None of its hooks'],
  ['list --config bad-key.json', 'bad-key.json: timeot: is not a known key'],
  ['list --config strict.json', /Plugin "strict": options: max: .*number/],
  ['list --plugin hookscope-plugin-x', 'Install it there: npm install hookscope-plugin-x'],
  ['list --plugin fails', 'Did you mean "hookscope-plugin-fails"?'],
  ['list --plugin hookscope-plugin-old', 'needs hookscope ^99, and this is hookscope'],
  ['list --plugin hookscope-plugin-none', 'has no default export; expected export default definePlugin'],
  ['list --plugin hookscope-plugin-fails', 'Plugin "f" failed while it was applied: no database'],
  ['list --plugin ./none.js', 'There is no such file.'],
  ['list --trust everything', 'Invalid option --trust: expected all or stored, got "everything".'],
  // In the words that were typed, not in those of the API.
  ['fire PreToolUse --hooks none.json --scope ', 'none.json: there is no such file.'],
  ['fire PreToolUse --scope ', 'Invalid option --scope: expected an agent'],
  ['fleet join nats://127.0.0.1:1 --key none', 'Invalid option --key: expected an array of public keys'],
  [`fleet join nats://127.0.0.1:1 --key ${KEY} --team a:b`, 'Invalid option --team: expected a name'],
  [`fleet join nats://127.0.0.1:1 --key ${KEY} --host a:b`, 'Invalid option --host: expected a name'],
  [`fleet join nats://127.0.0.1:1 --key ${KEY} --channel a:b`, 'Invalid option --channel: expected an array of names'],
  ['list --claude-code none', 'none: there is no such folder.'],
  ['list --settings none.json', 'none.json: there is no such file.'],
  ['list --plugin-dir none', 'none: there is no such folder.'],
  ['list --agent none.md@a1', 'none.md: there is no such file.'],
  ['trust none', 'none: there is no such folder.'],
  ['trust . --plugin-dir none', 'none: there is no such folder.'],
  ['check --json --sarif', 'Invalid option --json: one of --json and --sarif, not both.'],
  ['run', "missing required argument 'session'"],
  ['run none.jsonl', 'none.jsonl: there is no such file.'],
  ['run empty.jsonl', 'empty.jsonl: holds no events.'],
  [
    'run typo.json',
    'typo.json:1: is not a line of a recorded session, {"at_ms", "event", "input"} or a record of hookscope; hookscope history --json > session.ndjson writes one',
  ],
  ['run not-json.jsonl', 'not-json.jsonl:3: is not JSON: line 1, column 1'],
  ['run no-event.jsonl', 'no-event.jsonl:2: "event" must be a string.'],
  ['run unknown.jsonl --json', 'unknown.jsonl:1: Unknown event "PreTolUse". Did you mean "PreToolUse"?'],
  ['run session.jsonl --json', /session\.jsonl:3: Invalid input for PreToolUse: "tool_/],
  ['run session.jsonl --speed fast', '--speed: expected a number over 0, got "fast"'],
  ['run session.jsonl --speed 0', '--speed: expected a number over 0, got "0"'],
];

/** The event is looked at before its input, whatever is wrong with that. */
const UNREAD = ['fire', 'explain'].flatMap((command) =>
  ['none.json', 'broken.json', 'array.json', '.', '-'].map((input) => `${command} PreTolUse --input ${input}`),
);
for (const args of UNREAD) CASES.push([args, 'Unknown event "PreTolUse". Did you mean "PreToolUse"?']);

describe('whoever gets it wrong is told so in one message, and the exit code is 1', () => {
  test.each(CASES)('hookscope %s', async (args, message) => {
    const { stderr, code } = await cli(args.split(' '), { cwd: folder.path });
    expect(stderr).toMatch(message);
    // What runs as code is said first, whatever comes of it.
    const told = stderr.replace(/^(?:hookscope: using [^\n]+, which runs as code\n)+/, '');
    expect(isOneMessage(told), stderr).toBe(true);
    expect(stderr).not.toMatch(DOUBLE_STOP);
    expect(code).toBe(1);
  });

  test('a recording with a bad line is refused before anything was fired', async () => {
    const { stdout } = await cli(['run', join(SESSIONS, 'simple.jsonl'), 'not-json.jsonl', '--json'], {
      cwd: folder.path,
    });
    expect(stdout).toBe('');
  });

  test('HOOKSCOPE_DEBUG=1 shows where it comes from', async () => {
    const { stderr } = await cli(['list', '--hooks', 'none.json'], { cwd: folder.path, env: { HOOKSCOPE_DEBUG: '1' } });
    expect(stderr).toMatch(/\n\s+at /);
  });
});
