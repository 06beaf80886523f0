import { quoted } from '../server/client/thin.js';
import { CLAUDE_WORDS, type HookWords } from './agents/agent.js';

/** One hook before the shell tool, to be tested. */
export interface ProbeCase {
  readonly name: string;
  /** `no`: the hook wants to stop the call. `broken`: it is a guard that fails. */
  readonly kind: 'no' | 'broken' | 'other';
  readonly what: string;
  /** Its output; objects are printed as lines of JSON. */
  readonly stdout?: (words: HookWords) => readonly (object | string)[];
  readonly stderr?: string;
  readonly exit?: number;
  readonly killed?: true;
  /** Seconds until it answers, which is longer than its time limit. */
  readonly after?: number;
  /** Seconds for which a child process of it holds stdout open. */
  readonly holds?: number;
}

/** The time limit in seconds that hooks get in the agent's own settings. */
export const HOOK_SECONDS = 5;
const LATE = 10;
const BECAUSE = 'NO-BECAUSE\n';

/** All cases. Those that may end a run are last. */
export const CASES: readonly ProbeCase[] = [
  { name: 'silent0', kind: 'other', what: 'nothing' },
  { name: 'allow', kind: 'other', what: 'allow', stdout: ({ allow }) => [allow] },
  { name: 'deny', kind: 'no', what: 'exit 0, the deny of this agent', stdout: ({ deny }) => [deny] },
  { name: 'rewrite', kind: 'other', what: 'another input', stdout: ({ rewrite }) => [rewrite] },
  { name: 'exit2_stderr', kind: 'no', what: 'exit 2, the reason on stderr', stderr: BECAUSE, exit: 2 },
  { name: 'exit2_nostderr', kind: 'no', what: 'exit 2, nothing on stderr', exit: 2 },
  {
    name: 'exit2_allowjson',
    kind: 'no',
    what: 'exit 2, JSON that allows',
    stdout: ({ allow }) => [allow],
    stderr: BECAUSE,
    exit: 2,
  },
  { name: 'exit1_stderr', kind: 'broken', what: 'broken: exit 1', stderr: 'oops\n', exit: 1 },
  { name: 'exit1_denyjson', kind: 'no', what: 'exit 1, JSON that denies', stdout: ({ deny }) => [deny], exit: 1 },
  { name: 'exit3_stderr', kind: 'broken', what: 'broken: exit 3', stderr: 'oops\n', exit: 3 },
  {
    name: 'exit127',
    kind: 'broken',
    what: 'broken: not there (127)',
    stderr: '/nonexistent/hook.sh: No such file or directory\n',
    exit: 127,
  },
  { name: 'brokenjson0', kind: 'broken', what: 'broken: half a JSON object', stdout: () => ['{"decision":'] },
  { name: 'plaintext0', kind: 'other', what: 'plain text', stdout: () => ['plain words'] },
  {
    name: 'twojson',
    kind: 'no',
    what: 'two JSON objects, the second denies',
    stdout: ({ allow, deny }) => [allow, deny],
  },
  {
    name: 'deny_noreason',
    kind: 'no',
    what: 'a deny without a reason',
    stdout: ({ denyWithoutReason }) => [denyWithoutReason],
  },
  {
    name: 'legacy_block',
    kind: 'no',
    what: '`decision: block`',
    stdout: () => [{ decision: 'block', reason: 'NO-BECAUSE' }],
  },
  { name: 'claude_deny', kind: 'no', what: "Claude Code's deny", stdout: () => [CLAUDE_WORDS.deny] },
  {
    name: 'unknown_field_deny',
    kind: 'no',
    what: 'a deny with a field too many',
    stdout: ({ deny }) => [{ ...deny, zzz: 1 }],
  },
  { name: 'timeout', kind: 'no', what: 'a deny after the timeout', stdout: ({ deny }) => [deny], after: LATE },
  { name: 'killed', kind: 'broken', what: 'broken: killed', killed: true },
  {
    name: 'deny_then_sleep_bg',
    kind: 'no',
    what: 'a deny, while a child holds stdout open',
    stdout: ({ deny }) => [deny],
    holds: 20,
  },
  {
    name: 'continue_false',
    kind: 'no',
    what: '`continue: false`',
    stdout: () => [{ continue: false, stopReason: 'STOP-R' }],
  },
  { name: 'ask', kind: 'other', what: 'ask, and nobody there', stdout: ({ ask }) => [ask] },
];

/** The time limit of our hooks in seconds; short only for hooks that are late or hold their output open. */
export const secondsFor = ({ after, holds }: ProbeCase): number => ((after ?? holds) === undefined ? 30 : HOOK_SECONDS);

/** Where the call is made: alone in a turn of the model, in parallel with another call, or by a subagent. */
export type Scene = 'alone' | 'parallel' | 'subagent';

/** One call of the model, and the hook that is asked about it. */
export interface ProbeStep {
  readonly name: string;
  readonly scene: Scene;
  readonly of: ProbeCase;
}

const named = (name: string): ProbeCase => CASES.find((one) => one.name === name) as ProbeCase;

/** Some of the hooks with parallel calls and in a subagent. */
const SCENES: readonly ProbeStep[] = [
  { name: 'parallel_deny', scene: 'parallel', of: named('deny') },
  { name: 'parallel_silent0', scene: 'parallel', of: named('silent0') },
  { name: 'subagent_silent0', scene: 'subagent', of: named('silent0') },
  { name: 'subagent_deny', scene: 'subagent', of: named('deny') },
  { name: 'subagent_exit2_stderr', scene: 'subagent', of: named('exit2_stderr') },
];

/** All steps, with those that may end a run last, and without subagents if the agent does not tell hooks about them. */
export function stepsOf(hasSubagents: boolean): readonly ProbeStep[] {
  const alone = CASES.map((of): ProbeStep => ({ name: of.name, scene: 'alone', of }));
  const scenes = SCENES.filter(({ scene }) => scene !== 'subagent' || hasSubagents);
  return [...alone.slice(0, -2), ...scenes, ...alone.slice(-2)];
}

/** The command of the model's call. If it runs, it adds a line to the project's file `ran`. */
export const commandOf = (name: string): string => `echo ${name} ran >> ran; echo out-${name}`;

/** The reason of a step's hook, which is looked for in what the model receives. */
export function reasonOf({ name, of }: ProbeStep, words: HookWords): string | undefined {
  const said = `${probeOutput(of, words)}${of.stderr ?? ''}`;
  if (/STOP-R/.test(said)) return `STOP-${name.toUpperCase()}`;
  if (/ASK-R/.test(said)) return `ASK-${name.toUpperCase()}`;
  return /NO-BECAUSE/.test(said) ? `NO-${name.toUpperCase()}` : undefined;
}

/** The output of a hook. */
export const probeOutput = ({ stdout }: ProbeCase, words: HookWords): string =>
  (stdout?.(words) ?? []).map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');

/** The hook as a script, which first notes in the file `asked` that it was asked. */
export function scriptOf(step: ProbeStep, words: HookWords, asked: string): string {
  const { of } = step;
  const reason = reasonOf(step, words) ?? '';
  const printed = (text: string, to: string): string =>
    text === '' ? '' : `cat${to} <<'END'\n${text.replaceAll(/NO-BECAUSE|STOP-R|ASK-R/g, reason)}END\n`;
  return `#!/bin/sh
echo ${step.name} >> ${quoted(asked)}
cat > /dev/null
${of.after === undefined ? '' : `sleep ${of.after}\n`}${of.holds === undefined ? '' : `sleep ${of.holds} &\n`}${printed(
  probeOutput(of, words),
  '',
)}${printed(of.stderr ?? '', ' >&2')}${of.killed ? 'kill -9 $$' : `exit ${of.exit ?? 0}`}
`;
}
