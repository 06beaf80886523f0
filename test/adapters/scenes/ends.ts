import type { Scene } from './scene.js';

const END = { continue: false, stopReason: 'enough' };
const ENDED = [{ status: 'ended', reason: 'enough', text: '' }] as const;
const SCRIPT = [[['read', { path: 'a' }]], 'never said'] as const;
const PRE = ['UserPromptSubmit Go', 'PreToolUse read a'];

/** The loop ends before the model is done: by a hook, the caller, the session, the host. */
export const ENDS: readonly Scene[] = [
  {
    name: 'continue: false on PreToolUse ends the turn before the call',
    script: SCRIPT,
    hooks: [{ on: 'PreToolUse', always: END }],
    expect: {
      events: PRE,
      heard: { main: [['user: Go']] },
      outcomes: ENDED,
      did: [],
    },
  },
  {
    name: 'continue: false on PostToolUse ends the turn after the call',
    script: SCRIPT,
    hooks: [{ on: 'PostToolUse', always: END }],
    expect: {
      events: [...PRE, 'PostToolUse read a -> text of a'],
      heard: { main: [['user: Go']] },
      outcomes: ENDED,
      did: ['read a'],
    },
  },
  {
    name: 'continue: false on PostToolBatch ends the turn before the next model call',
    script: SCRIPT,
    hooks: [{ on: 'PostToolBatch', always: END }],
    expect: {
      events: [...PRE, 'PostToolUse read a -> text of a', 'PostToolBatch read'],
      heard: { main: [['user: Go']] },
      outcomes: ENDED,
      did: ['read a'],
    },
  },
  {
    name: 'a block of PostToolBatch ends the turn before the next model call',
    script: SCRIPT,
    hooks: [{ on: 'PostToolBatch', always: { decision: 'block', reason: 'enough' } }],
    expect: {
      events: [...PRE, 'PostToolUse read a -> text of a', 'PostToolBatch read'],
      heard: { main: [['user: Go']] },
      outcomes: ENDED,
      did: ['read a'],
    },
  },
  {
    name: 'a turn that hooks ended is followed by another',
    prompts: ['Go', 'Again'],
    script: [[['read', { path: 'a' }]], 'Done.'],
    hooks: [{ on: 'PostToolBatch', say: [END] }],
    expect: {
      events: [...PRE, 'PostToolUse read a -> text of a', 'PostToolBatch read', 'UserPromptSubmit Again', 'Stop'],
      heard: { main: [['user: Go'], ['tool: text of a', 'user: Again']] },
      outcomes: [...ENDED, { status: 'done', text: 'Done.' }],
      did: ['read a'],
    },
  },
  {
    name: 'the caller aborts before the first model call',
    before: 'abort',
    script: ['never said'],
    expect: {
      events: ['UserPromptSubmit Go'],
      heard: { main: [] },
      outcomes: [{ rejects: 'This operation was aborted' }],
      did: [],
    },
  },
  {
    name: 'the caller aborts while a tool runs',
    tools: ['wait'],
    meanwhile: 'abort',
    script: [[['wait', { path: 'a' }]], 'never said'],
    expect: {
      events: ['UserPromptSubmit Go', 'PreToolUse wait a', 'PostToolUseFailure wait a -> (interrupt)'],
      heard: { main: [['user: Go']] },
      outcomes: [{ rejects: 'This operation was aborted' }],
      did: ['wait a'],
    },
  },
  {
    name: 'the caller aborts while the user is asked',
    rules: 'ask',
    person: 'hangs',
    meanwhile: 'abort',
    script: [[['write', { path: 'a' }]], 'never said'],
    expect: {
      events: ['UserPromptSubmit Go', 'PreToolUse write a', 'PermissionRequest write a'],
      heard: { main: [['user: Go']] },
      outcomes: [{ rejects: 'This operation was aborted' }],
      did: [],
    },
  },
  {
    name: 'the caller aborts while the model is called',
    meanwhile: 'abort',
    script: ['hangs'],
    expect: {
      events: ['UserPromptSubmit Go'],
      heard: { main: [['user: Go']] },
      outcomes: [{ rejects: 'This operation was aborted' }],
      did: [],
    },
  },
  {
    name: 'the session is interrupted while a tool runs',
    tools: ['wait'],
    meanwhile: 'interrupt',
    script: [[['wait', { path: 'a' }]], 'never said'],
    expect: {
      events: ['UserPromptSubmit Go', 'PreToolUse wait a', 'PostToolUseFailure wait a -> (interrupt)'],
      heard: { main: [['user: Go']] },
      outcomes: [{ status: 'ended', reason: 'The tool call was interrupted.', text: '' }],
      did: ['wait a'],
    },
  },
  {
    name: 'the host closes while a tool runs',
    tools: ['wait'],
    meanwhile: 'close the host',
    script: [[['wait', { path: 'a' }]], 'never said'],
    expect: {
      events: ['UserPromptSubmit Go', 'PreToolUse wait a'],
      heard: { main: [['user: Go']] },
      outcomes: [{ status: 'ended', reason: 'The tool call was interrupted: the host is closed.', text: '' }],
      did: ['wait a'],
    },
  },
  {
    name: 'a host that is closed lets no turn begin',
    before: 'close the host',
    script: ['never said'],
    expect: {
      events: [],
      heard: { main: [] },
      outcomes: [{ status: 'blocked', reason: 'The prompt was interrupted: the host is closed.', text: '' }],
      did: [],
    },
  },
];
