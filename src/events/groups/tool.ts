import { zod } from '../../values/zod.js';
import { jsonObject } from '../base.js';
import { builtIn } from '../define.js';

/** The fields of a tool call. The tool's input and output may have any shape and may be large. */
const call = () => ({
  tool_name: zod().string(),
  tool_input: zod().unknown(),
  /** Absent in old payloads. */
  tool_use_id: zod().string().optional(),
  /** Only for tools of an MCP server. */
  mcp_server: zod().looseObject({ name: zod().string(), source: zod().string().optional() }).optional(),
});
const sampleCall = () => ({
  tool_name: 'Bash',
  tool_input: { command: 'ls', description: 'List files' },
  tool_use_id: 'toolu_1',
});
const additionalContext = () => zod().string().optional();

/** Events of tool calls. */
export const TOOL_EVENTS = {
  PreToolUse: builtIn({
    input: () => zod().object(call()),
    subject: 'tool_name',
    fold: 'gate',
    output: () =>
      zod().object({
        permissionDecision: zod().enum(['allow', 'deny', 'ask', 'defer']).optional(),
        permissionDecisionReason: zod().string().optional(),
        updatedInput: jsonObject().optional(),
        additionalContext: additionalContext(),
      }),
    rewrites: { field: 'tool_input', keys: ['updatedInput'] },
    tool: true,
    callRole: 'judges',
    inTurn: true,
    claude: { unanswered: 'blocks', stopped: 'hook_stopped' },
    group: 'tool',
    classic: true,
    about:
      'Before a tool runs. A hook can allow, deny, ask or defer the call, replace its whole input, and add context for the model.',
    sample: sampleCall,
  }),
  PostToolUse: builtIn({
    input: () => zod().object({ ...call(), tool_response: zod().unknown(), duration_ms: zod().number().optional() }),
    subject: 'tool_name',
    fold: 'block',
    afterTheFact: true,
    exit2: 'feedback',
    output: () =>
      zod().object({
        additionalContext: additionalContext(),
        updatedToolOutput: zod().unknown().optional(),
        updatedMCPToolOutput: zod().unknown().optional(),
        classifierContext: zod().string().optional(),
      }),
    rewrites: { field: 'tool_response', keys: ['updatedToolOutput'], mcpKeys: ['updatedMCPToolOutput'], shaped: true },
    hides: "the tool's output",
    tool: true,
    callRole: 'ran',
    claude: { stopped: 'hook_stopped' },
    inTurn: true,
    group: 'tool',
    classic: true,
    about:
      'After a tool has run. A hook can put feedback beside the result, replace or hide the result, and add context for the model.',
    sample: () => ({
      ...sampleCall(),
      tool_response: { stdout: 'README.md\n', stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
      duration_ms: 12,
    }),
  }),
  PostToolUseFailure: builtIn({
    input: () =>
      zod().object({
        ...call(),
        error: zod().string(),
        is_interrupt: zod().boolean().optional(),
        duration_ms: zod().number().optional(),
      }),
    subject: 'tool_name',
    fold: 'block',
    afterTheFact: true,
    exit2: 'feedback',
    output: () => zod().object({ additionalContext: additionalContext(), updatedError: zod().string().optional() }),
    rewrites: { field: 'error', keys: ['updatedError'], unknownToClaude: true },
    endsLoop: false,
    tool: true,
    endsCall: true,
    claude: 'usual',
    inTurn: true,
    group: 'tool',
    classic: true,
    about:
      'After a tool call has failed or was interrupted. A hook can put feedback beside the error and add context for the model.',
    sample: () => ({ ...sampleCall(), error: 'Command failed with exit code 1', is_interrupt: false, duration_ms: 12 }),
  }),
  PostToolBatch: builtIn({
    input: () =>
      zod().object({
        tool_calls: zod().array(
          zod().looseObject({
            tool_name: zod().string(),
            tool_input: zod().unknown(),
            tool_use_id: zod().string().optional(),
            tool_response: zod().unknown().optional(),
          }),
        ),
      }),
    fold: 'block',
    afterTheFact: true,
    inTurn: true,
    claude: { stopped: 'hook_stopped' },
    group: 'tool',
    about:
      'After all tool calls of one model message, before the model is called again. A hook can end the loop there, or add context.',
    sample: () => ({ tool_calls: [{ ...sampleCall(), tool_response: 'README.md' }] }),
  }),
  PermissionRequest: builtIn({
    input: () => {
      const { tool_name, tool_input, mcp_server } = call();
      return zod().object({
        tool_name,
        tool_input,
        permission_suggestions: zod().array(zod().unknown()).optional(),
        mcp_server,
      });
    },
    subject: 'tool_name',
    fold: 'gate',
    exit2: 'ignore',
    output: () =>
      zod().object({
        decision: zod()
          .discriminatedUnion('behavior', [
            zod().object({
              behavior: zod().literal('allow'),
              updatedInput: jsonObject().optional(),
              updatedPermissions: zod().array(zod().unknown()).optional(),
            }),
            zod().object({
              behavior: zod().literal('deny'),
              message: zod().string().optional(),
              interrupt: zod().boolean().optional(),
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
    sample: () => ({ tool_name: 'Bash', tool_input: sampleCall().tool_input, permission_suggestions: [] }),
  }),
  PermissionDenied: builtIn({
    input: () => zod().object({ ...call(), reason: zod().string() }),
    subject: 'tool_name',
    fold: 'context',
    afterTheFact: true,
    exit2: 'ignore',
    output: () => zod().object({ retry: zod().boolean().optional() }),
    tool: true,
    endsCall: true,
    claude: 'usual',
    inTurn: true,
    group: 'tool',
    about:
      'After a call was denied without asking the user (auto mode). A hook can tell the model that it may try again.',
    sample: () => ({ ...sampleCall(), reason: 'The classifier denied it.' }),
  }),
} as const;
