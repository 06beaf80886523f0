import type { HookRuntime } from '../running.js';
import { specific, type Words, words } from '../says.js';

const decided = (decision: string): Words => words({ decision, reason: '$reason' });

export const geminiRuns: HookRuntime = {
  hearing: {
    json: 'any',
    exit: { from: 2, to: Number.POSITIVE_INFINITY, on: 'all', text: 'either', needed: true },
    bare: true,
    also: [
      { what: 'message', words: words({ systemMessage: '$text' }) },
      { what: 'deny', words: decided('block'), on: ['BeforeTool'] },
      { what: 'block', words: decided('block'), on: ['BeforeAgent'] },
      { what: 'block', words: decided('deny'), on: ['AfterTool'] },
      { what: 'continue', words: decided('block'), on: ['AfterAgent'] },
    ],
    beyond: [
      {
        words: specific({ tailToolCallRequest: '$value' }),
        on: ['AfterTool'],
        why: 'It wants another tool called ("tailToolCallRequest")',
      },
      {
        words: specific({ clearContext: true }),
        on: ['AfterAgent'],
        why: 'It wants the context cleared ("clearContext")',
      },
      {
        words: specific({ llm_request: '$value' }),
        on: ['BeforeModel'],
        why: 'It wants another request to the model ("llm_request")',
      },
      {
        words: specific({ llm_response: '$value' }),
        on: ['AfterModel'],
        why: 'It wants another answer of the model ("llm_response")',
      },
    ],
  },
  matching: {
    invalid: 'literal',
    literal: true,
    subjects: {
      BeforeTool: 'tool',
      AfterTool: 'tool',
      SessionStart: { field: 'source' },
      SessionEnd: { field: 'reason' },
      PreCompress: { field: 'trigger' },
      Notification: { field: 'notification_type' },
    },
  },
  order: 'parallel',
  places: ['project', 'user', 'system'],
  program: {
    unix: ['command'],
    windows: ['command'],
    shell: { command: process.platform === 'win32' ? 'powershell' : 'bash' },
  },
  off: { 'hooksConfig.enabled': false },
  offNames: ['hooksConfig.disabled', 'hooks.disabled'],
  adds: { timestamp: 'now' },
  textResponse: true,
  variables: { GEMINI_PROJECT_DIR: 'project', GEMINI_CWD: 'cwd', GEMINI_SESSION_ID: 'session_id' },
};
