import type { RuleText } from './rule.js';

/** Files of other agents, by what is known of each (`hookscope agents NAME`). */
export const AGENT_RULES = {
  'agent-file': {
    level: 'error',
    about: "Another agent's hooks file that this agent does not read as it is written",
    why: 'Codex drops a file with any other key at its root, "$schema" too; Copilot and Cursor want "version": 1; a list where an object is expected holds no hooks. Nothing of it runs, and hardly anything says so.',
    fix: 'Write it as that agent reads it (hookscope agents NAME).',
    bad: '.cursor/hooks.json with { "hooks": { … } }',
    good: '.cursor/hooks.json with { "version": 1, "hooks": { … } }',
  },
  'agent-event': {
    level: 'warning',
    about: 'An event that this agent does not have',
    why: 'Each agent has names of its own, and ignores the others. Codex does so without a word.',
    fix: "Write the agent's own name, or take it out.",
    bad: '.gemini/settings.json with { "hooks": { "PreToolUse": [ … ] } }',
    good: '.gemini/settings.json with { "hooks": { "BeforeTool": [ … ] } }',
  },
  'agent-handler': {
    level: 'warning',
    about: 'A handler that this agent does not run, or a key that it does not read',
    why: 'Codex reads prompt and agent handlers and never runs them. A key that is not known is dropped, so that a limit or a policy which stands there does not hold.',
    fix: 'Use a type and keys that the agent has (hookscope agents NAME).',
    bad: '.codex/hooks.json with { "type": "prompt", "prompt": "…" }',
    good: '.codex/hooks.json with { "type": "command", "command": "./guard.sh" }',
  },
  'agent-timeout': {
    level: 'warning',
    about: "A timeout in another unit than this agent's, or longer than it waits",
    why: 'Gemini counts milliseconds, the others seconds. A hook that is ended after 30 milliseconds guards nothing: every one of these agents lets the call run when its hook is late.',
    fix: "Write it in the agent's unit.",
    bad: '.gemini/settings.json with "timeout": 30',
    good: '.gemini/settings.json with "timeout": 30000',
  },
  'agent-matcher': {
    level: 'warning',
    about: 'A matcher that never matches in this agent',
    why: "A matcher is compared with the agent's own names of its tools, which are others in each of them. One that is no regular expression matches nothing, or is taken literally, and Gemini takes a matcher of events without a tool for one name.",
    fix: "Write the agent's own name of the tool.",
    bad: '.gemini/settings.json with "matcher": "Bash"',
    good: '.gemini/settings.json with "matcher": "run_shell_command"',
  },
  'agent-output': {
    level: 'warning',
    about: 'An answer that this agent does not hear',
    why: 'Each agent reads words of its own. Copilot does not hear what Claude Code calls a deny, Gemini neither; Codex drops a whole answer for one field that it does not know. Exit 2 is a no to Copilot on a tool or a permission alone. The hook has said no, and the tool runs.',
    fix: 'Say it in the words of that agent (docs/agents.md), or let hookscope hook --as AGENT say it.',
    bad: '.github/hooks/guard.json whose preToolUse hook prints {"hookSpecificOutput":{"permissionDecision":"deny", …}}',
    good: '.github/hooks/guard.json whose preToolUse hook prints {"permissionDecision":"deny","permissionDecisionReason":"…"}',
  },
  'agent-reason': {
    level: 'warning',
    about: 'A deny without a reason, which this agent takes for none',
    why: 'Codex and Gemini take exit 2 for a no only where something is printed that says why, and Codex a printed deny only with a reason. Without one the tool runs.',
    fix: 'Give a reason: on standard error before exit 2, or in the answer.',
    bad: '.codex/hooks.json with "command": "grep -q secret && exit 2"',
    good: '.codex/hooks.json with "command": "grep -q secret && { echo \'No secrets.\' >&2; exit 2; }"',
  },
} as const satisfies Readonly<Record<string, RuleText>>;
