import type { Scene, SceneHook } from './scene.js';

const decides = (permissionDecision: string, permissionDecisionReason: string): SceneHook => ({
  on: 'PreToolUse',
  matcher: 'write',
  always: { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } },
});
const rewritesTo = (path: string): SceneHook => ({
  on: 'PreToolUse',
  matcher: 'write',
  always: { hookSpecificOutput: { permissionDecision: 'ask', updatedInput: { path } } },
});
const DONE = { status: 'done', text: 'Done.' } as const;
const SCRIPT = [[['write', { path: 'a' }]], 'Done.'] as const;
const BEGIN = ['UserPromptSubmit Go', 'PreToolUse write a'];
const WROTE = ['PostToolUse write a -> wrote a', 'PostToolBatch write', 'Stop'];

/** Who may run what: rules, the user at once, the user later, and what is put off. */
export const PERMISSIONS: readonly Scene[] = [
  {
    name: 'a rule denies, PermissionDenied is told',
    script: SCRIPT,
    rules: 'deny',
    expect: {
      events: [...BEGIN, 'PermissionDenied write a -> rules: deny', 'PostToolBatch write', 'Stop'],
      heard: { main: [['user: Go'], ['tool: rules: deny']] },
      outcomes: [DONE],
      did: [],
    },
  },
  {
    name: "a hook's allow is enough where there are no rules",
    script: SCRIPT,
    rules: 'none',
    hooks: [decides('allow', 'fine')],
    expect: {
      events: [...BEGIN, ...WROTE],
      heard: { main: [['user: Go'], ['tool: wrote a']] },
      outcomes: [DONE],
      did: ['write a'],
    },
  },
  {
    name: 'a hook asks, and the user allows it at once',
    script: SCRIPT,
    person: 'allow',
    hooks: [decides('ask', 'sure?')],
    expect: {
      events: [...BEGIN, 'PermissionRequest write a', ...WROTE],
      heard: { main: [['user: Go'], ['tool: wrote a']] },
      outcomes: [DONE],
      did: ['write a'],
    },
  },
  {
    name: 'a hook asks, and the user refuses it at once',
    script: SCRIPT,
    person: 'deny',
    hooks: [decides('ask', 'sure?')],
    expect: {
      events: [...BEGIN, 'PermissionRequest write a', 'PostToolBatch write', 'Stop'],
      heard: { main: [['user: Go'], ['tool: The user denied permission to use write.']] },
      outcomes: [DONE],
      did: [],
    },
  },
  {
    name: 'a hook asks, and a PermissionRequest hook answers',
    script: SCRIPT,
    hooks: [
      decides('ask', 'sure?'),
      { on: 'PermissionRequest', always: { hookSpecificOutput: { decision: { behavior: 'allow' } } } },
    ],
    expect: {
      events: [...BEGIN, 'PermissionRequest write a', ...WROTE],
      heard: { main: [['user: Go'], ['tool: wrote a']] },
      outcomes: [DONE],
      did: ['write a'],
    },
  },
  {
    name: 'a hook asks, the turn waits for the user, who approves: it goes on',
    script: SCRIPT,
    hooks: [decides('ask', 'sure?')],
    answer: 'approve',
    expect: {
      events: [
        ...BEGIN,
        'PermissionRequest write a',
        'PostToolUseFailure write a -> (interrupt)',
        'PreToolUse write a',
        'PermissionRequest write a',
        ...WROTE,
      ],
      heard: { main: [['user: Go'], ['tool: wrote a']] },
      outcomes: [{ status: 'unfinished', text: '' }, DONE],
      did: ['write a'],
    },
  },
  {
    name: 'a hook asks, the turn waits for the user, who refuses: the model is told so',
    script: SCRIPT,
    hooks: [decides('ask', 'sure?')],
    answer: 'reject',
    expect: {
      events: [
        ...BEGIN,
        'PermissionRequest write a',
        'PostToolUseFailure write a -> (interrupt)',
        'PreToolUse write a',
        'PermissionRequest write a',
        'PostToolBatch write',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: The user denied permission to use write.']] },
      outcomes: [{ status: 'unfinished', text: '' }, DONE],
      did: [],
    },
  },
  {
    name: 'a hook asks about a call that it rewrites, and the user, who sees it so, approves: it goes on',
    script: SCRIPT,
    hooks: [rewritesTo('b')],
    shows: true,
    answer: 'approve',
    expect: {
      events: [
        ...BEGIN,
        'PermissionRequest write b',
        'PostToolUseFailure write a -> (interrupt)',
        'PreToolUse write a',
        'PermissionRequest write b',
        'PostToolUse write b -> wrote b',
        'PostToolBatch write',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: wrote b']] },
      outcomes: [{ status: 'unfinished', text: '' }, DONE],
      did: ['write b'],
    },
  },
  {
    name: 'one of two calls waits for the user, the other runs at once and only once',
    script: [
      [
        ['read', { path: 'b' }],
        ['write', { path: 'a' }],
      ],
      'Done.',
    ],
    hooks: [decides('ask', 'sure?')],
    answer: 'approve',
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse read b',
        'PostToolUse read b -> text of b',
        'PreToolUse write a',
        'PermissionRequest write a',
        'PostToolUseFailure write a -> (interrupt)',
        'PostToolBatch read',
        'PreToolUse write a',
        'PermissionRequest write a',
        ...WROTE,
      ],
      heard: { main: [['user: Go'], ['tool: text of b', 'tool: wrote a']] },
      outcomes: [{ status: 'unfinished', text: '' }, DONE],
      did: ['read b', 'write a'],
    },
  },
  {
    name: 'a call that a hook defers ends the turn before it',
    script: SCRIPT,
    hooks: [decides('defer', 'waits for the release manager')],
    expect: {
      events: BEGIN,
      heard: { main: [['user: Go']] },
      outcomes: [{ status: 'ended', reason: 'waits for the release manager', text: '' }],
      did: [],
    },
  },
  {
    name: "the framework's own control flow passes through a tool, which goes on with the answer",
    tools: ['askUser'],
    script: [[['askUser', { path: 'file' }]], 'Done.'],
    answer: 'approve',
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse askUser file',
        'PostToolUseFailure askUser file -> (interrupt)',
        'PostToolUse askUser file -> the user says yes',
        'PostToolBatch askUser',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: the user says yes']] },
      outcomes: [{ status: 'unfinished', text: '' }, DONE],
      did: ['askUser file', 'askUser file'],
    },
  },
];
