import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { addContext, command, defineConfig, filesOf, rule } from 'hookscope';

/**
 * Guards as rules: secrets are not for agents, whatever their tools for files are called and however many files a call names. Two slashes: anywhere, not only
 * below the folder of the session.
 */
const noSecrets = [
  rule('deny', 'Secrets are not for agents.', { if: 'Read(//**/.env*)' }),
  rule('deny', 'Secrets are not for agents.', { if: 'Edit(//**/.env*)' }),
];

/** A formatter, as a function: what was edited has no blanks at the ends of its lines. */
function withoutBlanks(input) {
  // Not only `file_path`: a patch may be of several files.
  const files = filesOf(input) ?? [];
  const formatted = files.filter((name) => format(resolve(input.cwd, name))).map((name) => basename(name));
  if (formatted.length === 0) return;
  return addContext(`Formatted, blanks at the ends of lines are gone: ${formatted.join(', ')}.`);
}

function format(file) {
  // A patch removes and renames files, too.
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  const formatted = text.replace(/[ \t]+$/gm, '');
  if (formatted === text) return false;
  writeFileSync(file, formatted);
  return true;
}

/** For agents of one type alone: who explores changes nothing. */
const looksOnly = {
  PreToolUse: [
    {
      matcher: 'Edit|Write|Delete',
      onFailure: 'block',
      hooks: [rule('deny', 'You explore: report it, and change nothing.')],
    },
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
      { onFailure: 'block', hooks: noSecrets },
    ],
    PostToolUse: [{ matcher: 'Edit|Write', hooks: [withoutBlanks] }],
  },
  // Claude Code, Codex and Copilot name the same kind of agent differently; Gemini has none.
  spawnHooks: { Explore: looksOnly, explorer: looksOnly, explore: looksOnly },
});
