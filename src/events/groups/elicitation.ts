import { zod } from '../../values/zod.js';
import { jsonObject, openString } from '../base.js';
import { builtIn } from '../define.js';
import { PROGRAMS } from '../handler-kinds.js';

const answer = () =>
  zod().object({
    action: zod().enum(['accept', 'decline', 'cancel']).optional(),
    content: jsonObject().optional(),
  });

/** The options that both events share. */
const alike = {
  subject: 'mcp_server_name',
  fold: 'replace',
  exit2: 'block',
  output: answer,
  value: ['action', 'content'],
  blockValue: { action: 'decline' },
  types: PROGRAMS,
  claude: 'usual',
  group: 'elicitation',
} as const;

/** Events about questions that an MCP server asks the user. */
export const ELICITATION_EVENTS = {
  Elicitation: builtIn({
    input: () =>
      zod().object({
        mcp_server_name: zod().string(),
        message: zod().string(),
        mode: openString('form', 'url').optional(),
        url: zod().string().optional(),
        elicitation_id: zod().string().optional(),
        requested_schema: zod().unknown().optional(),
      }),
    ...alike,
    about:
      "When an MCP server asks the user something. A hook can answer in the user's place: accept with content, decline or cancel.",
    sample: () => ({
      mcp_server_name: 'tickets',
      message: 'Which project?',
      mode: 'form',
      requested_schema: { type: 'object', properties: { project: { type: 'string' } }, required: ['project'] },
    }),
  }),
  ElicitationResult: builtIn({
    input: () =>
      zod().object({
        mcp_server_name: zod().string(),
        action: openString('accept', 'decline', 'cancel'),
        elicitation_id: zod().string().optional(),
        mode: openString('form', 'url').optional(),
        content: zod().unknown().optional(),
      }),
    ...alike,
    about:
      'When the user has answered an MCP server, before the answer is sent. A hook can put another answer in its place.',
    sample: () => ({ mcp_server_name: 'tickets', action: 'accept', content: { project: 'core' } }),
  }),
} as const;
