import { baseOutput } from '../../events/base.js';
import type { Cause } from '../../events/failure.js';
import { failureEffect } from '../../events/failure.js';
import { HELPER_KEYS } from '../../events/output/helpers.js';
import { ended } from '../../plain.js';
import { unlessAborted } from '../../values/waiting/abort.js';
import type { ExternalCall, Reply } from '../handler.js';
import { readShellOutput } from '../output.js';
import { interpolate } from './interpolate.js';
import type { McpToolSpec } from './spec.js';
import type { ToolCaller } from './tool-caller.js';
import { readToolResult } from './tool-result.js';

/** The most characters that an answer may have. */
const LIMIT = 1024 * 1024;

/** Runs an MCP tool hook, from its call to its answer. */
export async function runMcpTool(spec: McpToolSpec, tools: ToolCaller, call: ExternalCall): Promise<Reply> {
  const { server, tool } = spec;
  const input = interpolate(spec.input ?? {}, call.input) as Readonly<Record<string, unknown>>;
  const answer = await unlessAborted(call.signal, () =>
    tools.call({ server, tool, input, signal: call.signal, trace: call.trace }),
  );
  if (!answer || call.signal.aborted)
    return failed('aborted', `${server}/${tool} had not answered when the hook was ended.`);
  if ('failure' in answer.value) return { ...answer.value, stderr: answer.value.failure.message };
  return readResult(spec, answer.value.result, call);
}

function readResult({ server, tool }: McpToolSpec, result: unknown, call: ExternalCall): Reply {
  const name = `${server}/${tool}`;
  const read = readToolResult(result);
  if (typeof read === 'string') return failed('bad_schema', ended(`${name} answered no result of a tool: ${read}`));
  const { text, isError, other } = read;
  if (isError) return failed('threw', `${name} answered with an error: ${text || 'it did not say which'}`);
  if (text.length > LIMIT) return failed('too_large', `${name} answered more than ${LIMIT} characters.`);
  const background = call.async === true || call.call === 'async';
  const how = { commandText: name, shell: false, outputLimit: LIMIT, background };
  const reply = readShellOutput(call, { stdout: text, stderr: '', exitCode: 0 }, how);
  const wrong = reply.failure || background ? undefined : noVerdict(call, reply, text, other);
  return wrong === undefined ? reply : { ...failed('bad_schema', `${name} answered ${wrong}.`), stdout: text };
}

/**
 * Why an answer is not a verdict, on events where a failure of this hook blocks. There it counts as a failure: otherwise a guard
 * that only says "could not check" would let everything pass. Plain text is a verdict only on events that expect it.
 */
function noVerdict(
  { spec, onFailure }: ExternalCall,
  { output }: Reply,
  text: string,
  other: boolean,
): string | undefined {
  const lets = onFailure === 'continue' || failureEffect(spec, onFailure) === 'none';
  if (lets || spec.plainAnswer || spec.plainStdout === 'value') return undefined;
  if (text.trim() === '') return other ? 'with something that is no text' : undefined;
  const json = text.trim().startsWith('{') ? output : undefined;
  if (!json) return 'with plain text, and its failures are to block';
  const keys = Object.keys(json).filter((key) => key !== 'reason');
  const known = ['hookSpecificOutput', 'async', ...HELPER_KEYS, ...Object.keys(baseOutput().shape)];
  if (Object.keys(json).length === 0 || keys.some((key) => known.includes(key))) return undefined;
  return "with an object that holds none of a hook's fields, and its failures are to block";
}

function failed(cause: Cause, message: string): Reply {
  return { failure: { cause, message }, stderr: message };
}
