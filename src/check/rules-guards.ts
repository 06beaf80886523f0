import type { RuleText } from './rule.js';

/** Whether a hook's answer has the effect it seems to be meant for. */
export const GUARD_RULES = {
  'exit-1-guard': {
    level: 'warning',
    about: 'A guard that ends with 1',
    why: 'Only exit code 2 blocks. 1 is a failure of the hook, and the call goes ahead.',
    fix: 'End with 2 and write the reason to standard error; or set "onFailure": "block".',
    bad: 'echo "not allowed" >&2; exit 1',
    good: 'echo "not allowed" >&2; exit 2',
  },
  'continue-false-guard': {
    level: 'warning',
    about: 'A guard that says continue: false',
    why: 'On PreToolUse it ends the turn after the tool, and those called with it, have run.',
    fix: 'Deny as well: "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny", … }.',
    bad: 'echo \'{"continue": false, "stopReason": "no"}\'',
    good: 'echo no >&2; exit 2',
  },
  'reason-on-stdout': {
    level: 'warning',
    about: 'A reason that is written where nobody reads it',
    why: 'With exit code 2 the reason is what stands on standard error. The model is told only that a hook blocked it.',
    fix: 'Write it to standard error: echo … >&2.',
    bad: 'echo "not allowed"; exit 2',
    good: 'echo "not allowed" >&2; exit 2',
  },
  'output-rejected': {
    level: 'error',
    about: 'An answer that will be refused',
    why: 'A value of the wrong type, or the name of another event, makes the whole answer count for nothing.',
    fix: 'Correct the field that is named; schemas/ holds what each event may be answered.',
    bad: 'echo \'{"hookSpecificOutput": {"permissionDecision": "deny"}}\'',
    good: 'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}\'',
  },
  'output-ignored': {
    level: 'info',
    about: 'Something in an answer that does nothing',
    why: 'A key in the wrong place, or one that this event does not know, is passed over.',
    fix: 'Put it where the message says.',
    bad: 'echo \'{"permissionDecision": "deny"}\'',
    good: 'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}\'',
  },
  'async-gate': {
    level: 'info',
    about: 'A background hook on an event that asks for a decision',
    why: 'Nobody waits for it, so it decides nothing.',
    fix: 'Take out "async" if it is a guard.',
    bad: '"PreToolUse": [{ "hooks": [{ "async": true, "command": "./guard.sh", … }] }]',
    good: '"PreToolUse": [{ "hooks": [{ "command": "./guard.sh", … }] }]',
  },
  'stop-loop': {
    level: 'info',
    about: 'A Stop hook that never looks at stop_hook_active',
    why: 'It keeps the agent going each time it is asked, until a limit ends it by force.',
    fix: 'Let it end when stop_hook_active is true.',
    bad: 'npm test >&2 || exit 2',
    good: '[ "$(jq -r .stop_hook_active)" = true ] && exit 0; npm test >&2 || exit 2',
  },
} as const satisfies Record<string, RuleText>;
