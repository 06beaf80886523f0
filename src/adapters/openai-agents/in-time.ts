import type * as agents from '@openai/agents';
import type { FunctionTool, RunContext, Tool } from '@openai/agents';
import { isErrorOf } from '../../errors.js';

/** The parts of the SDK that `inTime` needs. */
export type TimeoutSdk = Pick<typeof agents, 'invokeFunctionTool' | 'ToolTimeoutError'>;
type SdkFunctionTool = Extract<Tool, { type: 'function' }>;
type InvokeDetails = NonNullable<Parameters<FunctionTool['invoke']>[2]>;

/**
 * Runs one call within the tool's own timeout, which does not count the time of hooks and approvals. A call that takes longer fails, and hooks are told. `raise` throws
 * that error if the tool wants the SDK's run to fail (`raise_exception`).
 */
export function inTime(
  { invokeFunctionTool, ToolTimeoutError }: TimeoutSdk,
  tool: SdkFunctionTool,
  runContext: RunContext,
) {
  let isLate = false;
  let raised: unknown;
  const timeoutErrorFunction: NonNullable<SdkFunctionTool['timeoutErrorFunction']> = async (
    context,
    error,
    details,
  ) => {
    isLate = true;
    return tool.timeoutErrorFunction ? await tool.timeoutErrorFunction(context, error, details) : error.message;
  };
  return {
    async run(details: InvokeDetails, work: (details: InvokeDetails) => Promise<unknown>): Promise<unknown> {
      const invoke = (_context: unknown, _input: string, given: InvokeDetails = details) => work(given);
      const timed = { ...tool, invoke, timeoutErrorFunction } as SdkFunctionTool;
      try {
        const answer: unknown = await invokeFunctionTool({ tool: timed, runContext, input: '', details });
        if (isLate) throw new Error(String(answer));
        return answer;
      } catch (error) {
        const isOwn = tool.timeoutBehavior === 'raise_exception' && isErrorOf(error, ToolTimeoutError);
        if (isOwn && error.toolName === tool.name) raised = error;
        throw error;
      }
    },
    raise(): void {
      if (raised !== undefined) throw raised;
    },
  };
}
