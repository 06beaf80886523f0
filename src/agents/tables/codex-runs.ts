import type { Json } from '../../values/shape.js';
import type { DroppedAnswer, HookRuntime } from '../running.js';
import { words } from '../says.js';

const DECIDES = ['decision', 'reason'];
const SPECIFIC = ['hookSpecificOutput', '.hookEventName'];
const CONTEXT = [...SPECIFIC, '.additionalContext'];
const PRE = ['PreToolUse'];
const ASKED = ['PermissionRequest'];
const specific = (say: Json): Json => ({ hookSpecificOutput: say });
const drops = (say: Json, why: string, on: readonly string[], unless?: string): DroppedAnswer => ({
  words: words(say),
  why,
  on,
  ...(unless === undefined ? {} : { unless }),
});

export const codexRuns: HookRuntime = {
  hearing: {
    json: 'zero',
    plain: ['SessionStart', 'SubagentStart', 'UserPromptSubmit'],
    exit: { from: 2, to: 2, on: 'all', text: 'stderr', needed: true },
    bare: false,
    fields: {
      '*': ['continue', 'stopReason', 'suppressOutput', 'systemMessage'],
      PreToolUse: [...DECIDES, ...CONTEXT, '.permissionDecision', '.permissionDecisionReason', '.updatedInput'],
      PermissionRequest: [...SPECIFIC, '.decision'],
      PostToolUse: [...DECIDES, ...CONTEXT, '.updatedMCPToolOutput'],
      UserPromptSubmit: [...DECIDES, ...CONTEXT],
      SessionStart: CONTEXT,
      SubagentStart: CONTEXT,
      Stop: DECIDES,
      SubagentStop: DECIDES,
    },
    also: [
      { what: 'message', words: words({ systemMessage: '$text' }) },
      {
        what: 'deny',
        words: words({ decision: 'block', reason: '$reason' }),
        on: PRE,
        unless: 'hookSpecificOutput.permissionDecision',
      },
      // Codex goes on here, and replaces the output by the reason.
      { what: 'block', words: words({ continue: false, stopReason: '$reason' }), on: ['PostToolUse'] },
    ],
    voids: [
      drops({ continue: false }, '"continue": false', [...PRE, ...ASKED]),
      drops({ stopReason: '$string' }, '"stopReason"', [...PRE, ...ASKED]),
      drops({ suppressOutput: true }, '"suppressOutput"', [...PRE, ...ASKED, 'PostToolUse']),
      drops(specific({ permissionDecision: 'ask' }), '"permissionDecision": "ask"', PRE),
      drops(specific({ updatedInput: '$value', permissionDecision: 'deny' }), '"updatedInput" beside a deny', PRE),
      drops(
        specific({ updatedInput: '$value' }),
        '"updatedInput" without "permissionDecision": "allow"',
        PRE,
        'hookSpecificOutput.permissionDecision',
      ),
      drops(specific({ decision: { interrupt: true } }), '"interrupt"', ASKED),
      drops(specific({ decision: { updatedInput: '$value' } }), '"updatedInput"', ASKED),
      drops(specific({ decision: { updatedPermissions: '$value' } }), '"updatedPermissions"', ASKED),
      drops(specific({ updatedMCPToolOutput: '$value' }), '"updatedMCPToolOutput"', ['PostToolUse']),
    ],
  },
  matching: {
    lists: true,
    invalid: 'never',
    subjects: {
      PreToolUse: 'tool',
      PostToolUse: 'tool',
      PermissionRequest: 'tool',
      SessionStart: { field: 'source' },
      SubagentStart: { field: 'agent_type' },
      SubagentStop: { field: 'agent_type' },
      PreCompact: { field: 'trigger' },
      PostCompact: { field: 'trigger' },
    },
    aliases: { apply_patch: ['Write', 'Edit'], spawn_agent: ['Agent'] },
  },
  order: 'parallel',
  racing: true,
  places: ['policy', 'system', 'user', 'project'],
  fromRoot: true,
  program: {
    unix: ['command'],
    windows: ['commandWindows', 'command_windows', 'command'],
    shell: { command: 'user' },
  },
  background: true,
  off: { 'features.hooks': false, 'features.codex_hooks': false },
  adds: { transcript_path: null, permission_mode: 'default' },
  textResponse: true,
};
