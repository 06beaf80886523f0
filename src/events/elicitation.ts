import { z } from 'zod';
import { jsonObject, openString } from './base.js';
import { builtIn } from './define.js';
import { PROGRAMS } from './handler-kinds.js';

const answer = () =>
  z.object({
    action: z.enum(['accept', 'decline', 'cancel']).optional(),
    content: jsonObject().optional(),
  });

/** Of questions that an MCP server asks the user. */
export const ELICITATION_EVENTS = {
  Elicitation: builtIn({
    input: () =>
      z.object({
        mcp_server_name: z.string(),
        message: z.string(),
        mode: openString('form', 'url').optional(),
        url: z.string().optional(),
        elicitation_id: z.string().optional(),
        requested_schema: z.unknown().optional(),
      }),
    subject: 'mcp_server_name',
    fold: 'replace',
    exit2: 'block',
    output: answer,
    blockValue: { action: 'decline' },
    types: PROGRAMS,
    group: 'elicitation',
    about:
      "When an MCP server asks the user something. A hook can answer in the user's place: accept with content, decline or cancel.",
  }),
  ElicitationResult: builtIn({
    input: () =>
      z.object({
        mcp_server_name: z.string(),
        action: openString('accept', 'decline', 'cancel'),
        elicitation_id: z.string().optional(),
        mode: openString('form', 'url').optional(),
        content: z.unknown().optional(),
      }),
    subject: 'mcp_server_name',
    fold: 'replace',
    exit2: 'block',
    output: answer,
    blockValue: { action: 'decline' },
    types: PROGRAMS,
    group: 'elicitation',
    about:
      'When the user has answered an MCP server, before the answer is sent. A hook can put another answer in its place.',
  }),
} as const;
