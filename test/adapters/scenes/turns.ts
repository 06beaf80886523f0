import type { Scene } from './scene.js';

const context = (text: string) => ({ hookSpecificOutput: { additionalContext: text } });

/** Prompts, the end of a turn, the system prompt, and the framework's own limit. */
export const TURNS: readonly Scene[] = [
  {
    name: 'a plain answer',
    script: ['Hello.'],
    expect: {
      events: ['UserPromptSubmit Go', 'Stop'],
      heard: { main: [['user: Go']] },
      outcomes: [{ status: 'done', text: 'Hello.' }],
      did: [],
    },
  },
  {
    name: 'a prompt that is blocked calls no model',
    script: ['never said'],
    hooks: [{ on: 'UserPromptSubmit', always: { decision: 'block', reason: 'not here' } }],
    expect: {
      events: ['UserPromptSubmit Go'],
      heard: { main: [] },
      outcomes: [{ status: 'blocked', reason: 'not here', text: '' }],
      did: [],
    },
  },
  {
    name: 'the context of a prompt stands above it',
    script: ['Hello.'],
    hooks: [{ on: 'UserPromptSubmit', always: context('It is Monday.') }],
    expect: {
      events: ['UserPromptSubmit Go', 'Stop'],
      heard: { main: [['user: It is Monday.\n\nGo']] },
      outcomes: [{ status: 'done', text: 'Hello.' }],
      did: [],
    },
  },
  {
    name: 'continue: false on a prompt calls no model',
    script: ['never said'],
    hooks: [{ on: 'UserPromptSubmit', always: { continue: false, stopReason: 'closed today' } }],
    expect: {
      events: ['UserPromptSubmit Go'],
      heard: { main: [] },
      outcomes: [{ status: 'ended', reason: 'closed today', text: '' }],
      did: [],
    },
  },
  {
    name: 'a Stop hook goes on once, with its reason as the next message',
    script: ['70 degrees.', '21 degrees.'],
    hooks: [{ on: 'Stop', say: [{ decision: 'block', reason: 'In Celsius.' }] }],
    expect: {
      events: ['UserPromptSubmit Go', 'Stop', 'Stop again'],
      heard: { main: [['user: Go'], ['user: In Celsius.']] },
      outcomes: [{ status: 'done', text: '21 degrees.' }],
      did: [],
    },
  },
  {
    name: 'a Stop hook that never lets go is capped',
    script: ['One.', 'Two.', 'Three.', 'never said'],
    maxStops: 2,
    hooks: [{ on: 'Stop', always: { decision: 'block', reason: 'More.' } }],
    expect: {
      events: ['UserPromptSubmit Go', 'Stop', 'Stop again', 'Stop again'],
      heard: { main: [['user: Go'], ['user: More.'], ['user: More.']] },
      outcomes: [{ status: 'done', text: 'Three.', capped: true }],
      did: [],
    },
  },
  {
    name: 'continue: false on Stop is stronger than a block',
    script: ['One.', 'never said'],
    hooks: [
      { on: 'Stop', always: { decision: 'block', reason: 'More.' } },
      { on: 'Stop', always: { continue: false, stopReason: 'enough' } },
    ],
    expect: {
      events: ['UserPromptSubmit Go', 'Stop'],
      heard: { main: [['user: Go']] },
      outcomes: [{ status: 'done', text: 'One.' }],
      did: [],
    },
  },
  {
    name: 'what hooks say for the next model call stands below the system prompt, once',
    system: 'Be brief.',
    script: [[['read', { path: 'a' }]], [['read', { path: 'b' }]], 'Done.'],
    hooks: [{ on: 'PostToolBatch', say: [context('Tests are red.')] }],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse read a',
        'PostToolUse read a -> text of a',
        'PostToolBatch read',
        'PreToolUse read b',
        'PostToolUse read b -> text of b',
        'PostToolBatch read',
        'Stop',
      ],
      heard: {
        main: [
          ['system: Be brief.', 'user: Go'],
          ['system: Be brief.\n\nPostToolBatch hook additional context: Tests are red.', 'tool: text of a'],
          ['system: Be brief.', 'tool: text of b'],
        ],
      },
      outcomes: [{ status: 'done', text: 'Done.' }],
      did: ['read a', 'read b'],
    },
  },
  {
    name: 'two turns of one session are one conversation',
    prompts: ['Read a.', 'And?'],
    script: [[['read', { path: 'a' }]], 'It says text of a.', 'That was all.'],
    expect: {
      events: [
        'UserPromptSubmit Read a.',
        'PreToolUse read a',
        'PostToolUse read a -> text of a',
        'PostToolBatch read',
        'Stop',
        'UserPromptSubmit And?',
        'Stop',
      ],
      heard: { main: [['user: Read a.'], ['tool: text of a'], ['user: And?']] },
      outcomes: [
        { status: 'done', text: 'It says text of a.' },
        { status: 'done', text: 'That was all.' },
      ],
      did: ['read a'],
    },
  },
  {
    name: "the framework's own limit of steps is kept",
    maxSteps: 2,
    script: [[['read', { path: 'a' }]], [['read', { path: 'b' }]], 'never said'],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse read a',
        'PostToolUse read a -> text of a',
        'PostToolBatch read',
        'PreToolUse read b',
        'PostToolUse read b -> text of b',
        'PostToolBatch read',
      ],
      heard: { main: [['user: Go'], ['tool: text of a']] },
      outcomes: [{ status: 'unfinished', text: '' }],
      did: ['read a', 'read b'],
    },
  },
  {
    name: 'a model that is asked too often is a StopFailure',
    script: [{ status: 429, message: 'slow down' }],
    expect: {
      events: ['UserPromptSubmit Go', 'StopFailure rate_limit slow down'],
      heard: { main: [['user: Go']] },
      outcomes: [{ rejects: 'slow down' }],
      did: [],
    },
  },
  {
    name: 'a model that fails after a tool is a StopFailure',
    script: [[['read', { path: 'a' }]], { status: 401, message: 'who are you' }],
    expect: {
      events: [
        'UserPromptSubmit Go',
        'PreToolUse read a',
        'PostToolUse read a -> text of a',
        'PostToolBatch read',
        'StopFailure authentication_failed who are you',
      ],
      heard: { main: [['user: Go'], ['tool: text of a']] },
      outcomes: [{ rejects: 'who are you' }],
      did: ['read a'],
    },
  },
];
