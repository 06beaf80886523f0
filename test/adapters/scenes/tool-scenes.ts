import { expect } from 'vitest';
import type { Scene, SceneHook } from './scene.js';

/** Words of the framework's own. */
const matching = (words: RegExp) => expect.stringMatching(words) as string;

const pre = (output: object): SceneHook => ({
  on: 'PreToolUse',
  always: { hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } },
});
const post = (said: object): SceneHook => ({ on: 'PostToolUse', always: said });
const READ_A = ['UserPromptSubmit Go', 'PreToolUse read a', 'PostToolUse read a -> text of a', 'PostToolBatch read'];
const DONE = [{ status: 'done', text: 'Done.' }] as const;

/** A call of a tool, or two beside each other: what hooks do to it, and how it ends. */
export const TOOLS: readonly Scene[] = [
  {
    name: 'one tool',
    script: [[['read', { path: 'a' }]], 'Done.'],
    expect: {
      events: [...READ_A, 'Stop'],
      heard: { main: [['user: Go'], ['tool: text of a']] },
      outcomes: DONE,
      did: ['read a'],
    },
  },
  {
    name: 'a tool that PreToolUse denies does not run, and the model reads why',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [pre({ permissionDecision: 'deny', permissionDecisionReason: 'not a' })],
    expect: {
      events: ['UserPromptSubmit Go', 'PreToolUse read a', 'PostToolBatch read', 'Stop'],
      heard: { main: [['user: Go'], ['tool: PreToolUse:read hook error: not a']] },
      outcomes: DONE,
      did: [],
    },
  },
  {
    name: 'an input that a hook rewrites is what runs',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [pre({ updatedInput: { path: 'b' } })],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse read a',
        'PostToolUse read b -> text of b',
        'PostToolBatch read',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: text of b']] },
      outcomes: DONE,
      did: ['read b'],
    },
  },
  {
    name: 'a call whose rewritten input the tool does not accept does not run',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [
      pre({ updatedInput: { path: 7 } }),
      { on: 'PostToolUseFailure', always: { hookSpecificOutput: { updatedError: 'It was rewritten badly.' } } },
    ],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse read a',
        matching(/^PostToolUseFailure read 7 -> The input of read was rewritten by the hook "scene"/),
        'PostToolBatch read',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: It was rewritten badly.']] },
      outcomes: DONE,
      did: [],
    },
  },
  {
    name: 'context of PreToolUse and of PostToolUse stands below the output',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [
      pre({ additionalContext: 'It is old.' }),
      post({ hookSpecificOutput: { additionalContext: 'It is long.' } }),
    ],
    expect: {
      events: [...READ_A, 'Stop'],
      heard: {
        main: [
          ['user: Go'],
          [
            'tool: text of a\n\nPreToolUse:read hook additional context: It is old.\n\nPostToolUse:read hook additional context: It is long.',
          ],
        ],
      },
      outcomes: DONE,
      did: ['read a'],
    },
  },
  {
    name: 'an output that PostToolUse replaces is what the model gets',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [post({ hookSpecificOutput: { updatedToolOutput: 'nothing to see' } })],
    expect: {
      events: [...READ_A, 'Stop'],
      heard: { main: [['user: Go'], ['tool: nothing to see']] },
      outcomes: DONE,
      did: ['read a'],
    },
  },
  {
    name: 'a block of PostToolUse is told below the output',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [post({ decision: 'block', reason: 'too old' })],
    expect: {
      events: [...READ_A, 'Stop'],
      heard: {
        main: [['user: Go'], ['tool: text of a\n\nPostToolUse:read hook blocking error from "scene": too old']],
      },
      outcomes: DONE,
      did: ['read a'],
    },
  },
  {
    name: 'an output that a hook hides reaches nobody',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [post({ suppressOutput: true })],
    expect: {
      events: [...READ_A, 'Stop'],
      heard: { main: [['user: Go'], ['tool: The output of read was hidden by the hook "scene".']] },
      outcomes: DONE,
      did: ['read a'],
    },
  },
  {
    name: 'a secret that a hook takes out of an output is neither heard nor kept',
    tools: ['login'],
    secret: 'ghp_a1B2c3D4e5F6',
    script: [[['login', { path: 'hub' }]], 'Done.'],
    hooks: [post({ hookSpecificOutput: { updatedToolOutput: 'token (masked)' } })],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse login hub',
        `PostToolUse login hub -> token ghp_${'a1B2c3D4e5F6'.repeat(3)}`,
        'PostToolBatch login',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: token (masked)']] },
      outcomes: DONE,
      did: ['login hub'],
    },
  },
  {
    name: 'a tool that throws is a PostToolUseFailure, with its context below the error',
    tools: ['break'],
    script: [[['break', { path: 'a' }]], 'Done.'],
    hooks: [{ on: 'PostToolUseFailure', always: { hookSpecificOutput: { additionalContext: 'Try b.' } } }],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse break a',
        'PostToolUseFailure break a -> no a',
        'PostToolBatch break',
        'Stop',
      ],
      heard: {
        main: [['user: Go'], ['tool: no a\n\nPostToolUseFailure:break hook additional context: Try b.']],
      },
      outcomes: DONE,
      did: ['break a'],
    },
  },
  {
    name: 'two calls at the same time, one of them denied',
    tools: ['slow', 'write'],
    script: [
      [
        ['slow', { path: 'a' }],
        ['write', { path: 'b' }],
      ],
      'Done.',
    ],
    hooks: [{ ...pre({ permissionDecision: 'deny', permissionDecisionReason: 'read only' }), matcher: 'write' }],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse slow a',
        'PostToolUse slow a -> slowly a',
        'PreToolUse write b',
        'PostToolBatch slow, write',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: slowly a', 'tool: PreToolUse:write hook error: read only']] },
      outcomes: DONE,
      did: ['slow a'],
    },
  },
  {
    name: 'the batch has the calls in the order of the model, whichever is done first',
    tools: ['slow', 'read'],
    script: [
      [
        ['slow', { path: 'a' }],
        ['read', { path: 'b' }],
        ['slow', { path: 'c' }],
      ],
      'Done.',
    ],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse slow a',
        'PostToolUse slow a -> slowly a',
        'PreToolUse read b',
        'PostToolUse read b -> text of b',
        'PreToolUse slow c',
        'PostToolUse slow c -> slowly c',
        'PostToolBatch slow, read, slow',
        'Stop',
      ],
      heard: { main: [['user: Go'], ['tool: slowly a', 'tool: text of b', 'tool: slowly c']] },
      outcomes: DONE,
      did: ['slow a', 'read b', 'slow c'],
    },
  },
  {
    name: 'a huge output reaches the hooks and the model whole',
    tools: ['dump'],
    script: [[['dump', { path: 'a' }]], 'Done.'],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse dump a',
        `PostToolUse dump a -> ${'x'.repeat(40)}… (200000)`,
        'PostToolBatch dump',
        'Stop',
      ],
      heard: { main: [['user: Go'], [`tool: ${'x'.repeat(34)}… (200006)`]] },
      outcomes: DONE,
      did: ['dump a'],
    },
  },
  {
    name: 'a call of a tool that does not exist goes through no gate, and the model is told so',
    script: [[['fly', { path: 'a' }]], 'Done.'],
    expect: {
      events: ['UserPromptSubmit Go', 'Stop'],
      heard: { main: [['user: Go'], [matching(/^tool: .*fly/s)]] },
      outcomes: DONE,
      did: [],
    },
  },
  {
    name: 'a call with arguments that the tool does not accept does not run, and the model is told so',
    script: [[['read', { path: 7 }]], 'Done.'],
    expect: {
      events: ['UserPromptSubmit Go', 'Stop'],
      heard: { main: [['user: Go'], [matching(/^tool: .*(path|valid)/is)]] },
      outcomes: DONE,
      did: [],
    },
  },
  {
    name: 'a guard that fails lets nothing through',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [{ on: 'PreToolUse', throws: 'lost my list', onFailure: 'block' }],
    expect: {
      events: ['UserPromptSubmit Go', 'PreToolUse read a', 'PostToolBatch read', 'Stop'],
      heard: { main: [['user: Go'], ['tool: PreToolUse:read hook error: Error: lost my list']] },
      outcomes: DONE,
      did: [],
    },
  },
  {
    name: 'a logger that fails stops nothing',
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [{ on: 'PreToolUse', throws: 'disk is full', onFailure: 'continue' }],
    expect: {
      events: [...READ_A, 'Stop'],
      heard: { main: [['user: Go'], ['tool: text of a']] },
      outcomes: DONE,
      did: ['read a'],
    },
  },
];
