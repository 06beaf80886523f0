// The hooks that were recorded before the shell tool, as scripts, and what is said on other events, as answers.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Place } from './programs.js';

interface Recorded {
  readonly name: string;
  readonly kind: 'no' | 'broken' | 'other';
  readonly hook: {
    readonly stdout: string;
    readonly stderr: string;
    readonly exit?: number;
    readonly signal?: string;
    readonly after_s?: number;
    readonly hook_timeout_s?: number;
    readonly stdout_held_open_s?: number;
  };
}

interface Answers {
  readonly before_tool: { readonly event: string; readonly cases: readonly Recorded[] };
  readonly encode: Readonly<
    Record<string, { readonly event?: string; readonly stdout?: string; readonly none?: string }>
  >;
}

/** What was recorded of an agent. Codex speaks Claude Code's words, which are ours. */
export function recordedOf(agent: string): Answers {
  const file = fileURLToPath(new URL(`../../../test/fixtures/agents/${agent}/answers.json`, import.meta.url));
  return JSON.parse(readFileSync(file, 'utf8')) as Answers;
}

export type Case = Recorded;
/** Seconds that a hook before the tool has, where one of them is late. */
export const HOOK_SECONDS = 3;
/** What a rewrite has the shell do. */
const REWRITTEN = 'echo rewritten >> ran; echo hello-rewritten';

/** The command of the model's call for a case: where it ran there is a line in the project's file `ran`. */
export const commandOf = ({ name }: Pick<Case, 'name'>): string => `echo ${name} ran >> ran; echo out-${name}`;

/** The cases of an agent's answers, those that end a run last. */
export function casesOf(agent: string): readonly Case[] {
  const { cases } = recordedOf(agent).before_tool;
  const ends = (name: string): number => ['continue_false', 'ask'].indexOf(name);
  return [...cases].sort((a, b) => ends(a.name) - ends(b.name));
}

/** A script that does what the recorded hook did. */
export function scriptOf({ hook }: Case, marker: string): string {
  const said = (text: string): string =>
    text.replace(/echo rewritten >> [^;"]+; echo hello-rewritten/, REWRITTEN).replaceAll('NO-BECAUSE', marker);
  const printed = (text: string, to: string): string =>
    text === '' ? '' : `cat ${to} <<'END'\n${said(text).replace(/\n$/, '')}\nEND\n`;
  return `#!/bin/sh
cat > /dev/null
${hook.after_s === undefined ? '' : `sleep ${hook.after_s}\n`}${
  hook.stdout_held_open_s === undefined ? '' : `sleep ${hook.stdout_held_open_s} &\n`
}${printed(hook.stdout, '')}${printed(hook.stderr, '>&2')}${
  hook.signal === undefined ? `exit ${hook.exit ?? 0}` : 'kill -9 $$'
}
`;
}

/** Writes the scripts; gives the file of each. */
export function writeCases(place: Place, cases: readonly Case[]): ReadonlyMap<string, string> {
  return new Map(
    cases.map((one) => [one.name, place.write(`cases/${one.name}.sh`, scriptOf(one, reasonOf(one)))] as const),
  );
}

/** Each has a reason of its own, which is looked for in what the model receives. */
export const reasonOf = ({ name, hook }: Case): string =>
  hook.stdout.includes('STOP-R') ? 'STOP-R' : hook.stdout.includes('ASK-R') ? 'ASK-R' : `NO-${name.toUpperCase()}`;

/** Whether the hook says why, in words that are a reason. */
export const hasReason = ({ hook }: Case): boolean => /NO-BECAUSE|STOP-R|ASK-R/.test(hook.stdout + hook.stderr);

/** One hook of the agent's own for all of them: it finds the case by the command. */
export const dispatcher = (scripts: ReadonlyMap<string, string>): string => `#!/bin/sh
input=$(cat)
case $input in
${[...scripts].map(([name, file]) => `  *'echo ${name} ran'*) exec sh ${file} < /dev/null ;;`).join('\n')}
esac
`;

/** The same as a file of ours: a group for each. */
export const hooksFileOf = (scripts: ReadonlyMap<string, string>, event = 'PreToolUse'): object => ({
  [event]: [...scripts].map(([name, file]) => ({
    matcher: 'Bash',
    hooks: [{ type: 'command', if: `Bash(echo ${name} *)`, command: `sh ${file}`, timeout: HOOK_SECONDS }],
  })),
});
