import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { addContext, command, defineConfig, deny, rule } from 'hookscope';

/** A guard as a function: secrets are not for agents, whatever their tools for reading and writing are called. */
function noSecrets({ tool_input: { file_path: file } }) {
  if (typeof file === 'string' && basename(file).startsWith('.env'))
    return deny(`${basename(file)} is not for agents.`);
}

/** A formatter: what was edited has no blanks at the ends of its lines. */
function withoutBlanks({ cwd, tool_input: { file_path: name } }) {
  // A patch of several files names none of them.
  if (typeof name !== 'string') return;
  const file = resolve(cwd, name);
  const text = readFileSync(file, 'utf8');
  const formatted = text.replace(/[ \t]+$/gm, '');
  if (formatted === text) return;
  writeFileSync(file, formatted);
  return addContext(`${basename(file)} was formatted: blanks at the ends of lines are gone.`);
}

/** For agents of one type alone: who explores changes nothing. */
const looksOnly = {
  PreToolUse: [
    { matcher: 'Edit|Write', onFailure: 'block', hooks: [rule('deny', 'You explore: report it, and change nothing.')] },
  ],
};

export default defineConfig({
  hooks: {
    PreToolUse: [
      { matcher: 'Bash', onFailure: 'block', hooks: [rule('deny', 'Push by hand.', { if: 'Bash(git push *)' })] },
      {
        matcher: 'Bash',
        onFailure: 'block',
        hooks: [command(join(import.meta.dirname, 'no-skipped-checks.sh'), { args: [] })],
      },
      { matcher: 'Read|Edit|Write', onFailure: 'block', hooks: [noSecrets] },
    ],
    PostToolUse: [{ matcher: 'Edit|Write', hooks: [withoutBlanks] }],
  },
  // Claude Code, Codex and Copilot name the same kind of agent differently; Gemini has none.
  spawnHooks: { Explore: looksOnly, explorer: looksOnly, explore: looksOnly },
});
