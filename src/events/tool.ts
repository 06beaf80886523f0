import { z } from 'zod';
import { jsonObject } from './base.js';
import { builtIn } from './define.js';

/** The call a tool event is about. What goes in and what comes out is the tool's own business, and may be large. */
const call = () => ({
  tool_name: z.string(),
  tool_input: z.unknown(),
  /** Absent in old payloads. */
  tool_use_id: z.string().optional(),
  /** Only for tools of an MCP server. */
  mcp_server: z.looseObject({ name: z.string(), source: z.string().optional() }).optional(),
});
const additionalContext = () => z.string().optional();

/** Of tool calls. */
export const TOOL_EVENTS = {
  PreToolUse: builtIn({
    input: () => z.object(call()),
    subject: 'tool_name',
    fold: 'gate',
    output: () =>
      z.object({
        permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
        permissionDecisionReason: z.string().optional(),
        updatedInput: jsonObject().optional(),
        additionalContext: additionalContext(),
      }),
    rewrites: { field: 'tool_input', keys: ['updatedInput'] },
    tool: true,
    callRole: 'judges',
    inTurn: true,
    claude: { unanswered: 'blocks' },
    group: 'tool',
    classic: true,
    about:
      'Before a tool runs. A hook can allow, deny, ask or defer the call, replace its whole input, and add context for the model.',
  }),
  PostToolUse: builtIn({
    input: () => z.object({ ...call(), tool_response: z.unknown(), duration_ms: z.number().optional() }),
    subject: 'tool_name',
    fold: 'block',
    afterTheFact: true,
    exit2: 'feedback',
    output: () =>
      z.object({
        additionalContext: additionalContext(),
        updatedToolOutput: z.unknown().optional(),
        updatedMCPToolOutput: z.unknown().optional(),
        classifierContext: z.string().optional(),
      }),
    rewrites: { field: 'tool_response', keys: ['updatedToolOutput'], mcpKeys: ['updatedMCPToolOutput'], shaped: true },
    hides: "the tool's output",
    tool: true,
    callRole: 'ran',
    inTurn: true,
    group: 'tool',
    classic: true,
    about:
      'After a tool has run. A hook can put feedback beside the result, replace or hide the result, and add context for the model.',
  }),
  PostToolUseFailure: builtIn({
    input: () =>
      z.object({
        ...call(),
        error: z.string(),
        is_interrupt: z.boolean().optional(),
        duration_ms: z.number().optional(),
      }),
    subject: 'tool_name',
    fold: 'block',
    afterTheFact: true,
    exit2: 'feedback',
    endsLoop: false,
    tool: true,
    inTurn: true,
    group: 'tool',
    classic: true,
    about:
      'After a tool call has failed or was interrupted. A hook can put feedback beside the error and add context for the model.',
  }),
  PostToolBatch: builtIn({
    input: () =>
      z.object({
        tool_calls: z.array(
          z.looseObject({
            tool_name: z.string(),
            tool_input: z.unknown(),
            tool_use_id: z.string().optional(),
            tool_response: z.unknown().optional(),
          }),
        ),
      }),
    fold: 'block',
    afterTheFact: true,
    inTurn: true,
    group: 'tool',
    about:
      'After all tool calls of one model message, before the model is called again. A hook can end the loop there, or add context.',
  }),
  PermissionRequest: builtIn({
    input: () => {
      const { tool_name, tool_input, mcp_server } = call();
      return z.object({ tool_name, tool_input, permission_suggestions: z.array(z.unknown()).optional(), mcp_server });
    },
    subject: 'tool_name',
    fold: 'gate',
    exit2: 'ignore',
    output: () =>
      z.object({
        decision: z
          .discriminatedUnion('behavior', [
            z.object({
              behavior: z.literal('allow'),
              updatedInput: jsonObject().optional(),
              updatedPermissions: z.array(z.unknown()).optional(),
            }),
            z.object({
              behavior: z.literal('deny'),
              message: z.string().optional(),
              interrupt: z.boolean().optional(),
            }),
          ])
          .optional(),
      }),
    nestedDecision: true,
    interrupts: true,
    askOnFailure: false,
    rewrites: { field: 'tool_input', keys: ['updatedInput'] },
    tool: true,
    callRole: 'answers',
    inTurn: true,
    claude: { askedTwice: true },
    group: 'tool',
    classic: true,
    about:
      "When the user would be asked for permission. A hook can answer in the user's place: allow, with another input or new rules, or deny.",
  }),
  PermissionDenied: builtIn({
    input: () => z.object({ ...call(), reason: z.string() }),
    subject: 'tool_name',
    fold: 'context',
    afterTheFact: true,
    exit2: 'ignore',
    output: () => z.object({ retry: z.boolean().optional() }),
    tool: true,
    inTurn: true,
    group: 'tool',
    about:
      'After a call was denied without asking the user (auto mode). A hook can tell the model that it may try again.',
  }),
} as const;
