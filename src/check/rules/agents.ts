import type { RuleText } from './rule.js';

/** Rules about files of other agents, based on what is known about each (`hookscope agents NAME`). */
export const AGENT_RULES = {
  'agent-file': {
    level: 'error',
    about: "Another agent's hooks file that this agent cannot read as it is written",
    why: 'Codex drops a file with any other key at its root, "$schema" too, and for a value of the wrong type anywhere; Copilot and Cursor want "version": 1; a list where an object is expected holds no hooks. None of its hooks run, or not the one with the wrong value, and the agent hardly says so.',
    fix: 'Write it as that agent reads it (hookscope agents NAME).',
    bad: '.cursor/hooks.json with { "hooks": { … } }',
    good: '.cursor/hooks.json with { "version": 1, "hooks": { … } }',
  },
  'agent-event': {
    level: 'warning',
    about: 'An event that this agent does not have',
    why: 'Each agent has its own names for events, and ignores other names, Codex without any message.',
    fix: "Write the agent's own name, or remove the hooks.",
    bad: '.gemini/settings.json with { "hooks": { "PreToolUse": [ … ] } }',
    good: '.gemini/settings.json with { "hooks": { "BeforeTool": [ … ] } }',
  },
  'agent-handler': {
    level: 'warning',
    about: 'A handler that this agent does not run, or a key that it does not read',
    why: 'Codex reads prompt and agent handlers and never runs them. An unknown key is dropped, so a limit or a policy that it sets does not count.',
    fix: 'Use a type and keys that the agent has (hookscope agents NAME).',
    bad: '.codex/hooks.json with { "type": "prompt", "prompt": "…" }',
    good: '.codex/hooks.json with { "type": "command", "command": "./guard.sh" }',
  },
  'agent-timeout': {
    level: 'warning',
    about: "A timeout in a different unit than this agent's, or longer than the agent waits",
    why: 'Gemini counts milliseconds, the others seconds. A hook that is ended after 30 milliseconds guards nothing: every one of these agents lets the call run when its hook is late.',
    fix: "Write it in the agent's unit.",
    bad: '.gemini/settings.json with "timeout": 30',
    good: '.gemini/settings.json with "timeout": 30000',
  },
  'agent-matcher': {
    level: 'warning',
    about: 'A matcher that never matches in this agent',
    why: "A matcher is compared with the agent's own names of its tools, and each agent has different ones. A matcher that is not a regular expression matches nothing, or is taken literally, and Gemini reads a matcher on events without a tool as one name.",
    fix: "Write the agent's own name of the tool.",
    bad: '.gemini/settings.json with "matcher": "Bash"',
    good: '.gemini/settings.json with "matcher": "run_shell_command"',
  },
  'agent-output': {
    level: 'warning',
    about: 'An answer that this agent ignores',
    why: 'Each agent reads its own format. Copilot and Gemini ignore the deny of Claude Code; Codex drops a whole answer for one field that it does not know. For Copilot exit code 2 is a no only on a tool call or a permission request. The hook has said no, and the tool runs.',
    fix: "Write the answer in that agent's format (docs/agents.md), or let hookscope hook --as AGENT write it.",
    bad: '.github/hooks/guard.json whose preToolUse hook prints {"hookSpecificOutput":{"permissionDecision":"deny", …}}',
    good: '.github/hooks/guard.json whose preToolUse hook prints {"permissionDecision":"deny","permissionDecisionReason":"…"}',
  },
  'agent-reason': {
    level: 'warning',
    about: 'A deny without a reason, which this agent ignores',
    why: 'Codex and Gemini take exit code 2 as a no only if a reason is printed to standard error, and Codex takes a printed deny only with a reason. Without a reason the tool runs.',
    fix: 'Give a reason: on standard error before exit 2, or in the answer.',
    bad: '.codex/hooks.json with "command": "grep -q secret && exit 2"',
    good: '.codex/hooks.json with "command": "grep -q secret && { echo \'No secrets.\' >&2; exit 2; }"',
  },
} as const satisfies Readonly<Record<string, RuleText>>;
