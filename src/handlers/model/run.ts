import type { Cause } from '../../events/failure.js';
import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import { unlessAborted } from '../../values/waiting/abort.js';
import { jsonText, messageOf, resultOf } from '../../values/waiting/promises.js';
import { blockOutput } from '../blocking.js';
import type { ExternalCall, Reply } from '../handler.js';
import { ANSWER_SCHEMA, type HookModel, type ModelVerdict, readModelAnswer } from './model.js';
import type { AgentSpec, PromptSpec } from './spec.js';

const NO_MODEL = 'It was not started: the host has no model to ask. Give it one: createHost({ model }).';

/** Runs a prompt or agent hook, from its question to its answer. */
export async function runPromptHook(
  spec: PromptSpec | AgentSpec,
  model: HookModel | undefined,
  call: ExternalCall,
): Promise<Reply> {
  if (!model) return failed('spawn_failed', NO_MODEL);
  let given: { value: unknown } | undefined;
  try {
    given = await unlessAborted(call.signal, () => resultOf(() => model(requestOf(spec, call))));
  } catch (error) {
    if (!call.signal.aborted) return failed('threw', `The host's model threw: ${messageOf(error)}`);
  }
  if (!given || call.signal.aborted) return failed('aborted', 'The model had not answered when the hook was ended.');
  const stdout = typeof given.value === 'string' ? given.value : (jsonText(given.value) ?? '');
  const { answer, failure, warnings } = readModelAnswer(given.value);
  const told = { stdout, ...(failure && { failure }), ...(warnings.length > 0 && { warnings }) };
  // A no counts on a gate, whatever else is wrong in the answer. Of Claude Code's files, as in the client, no part of a wrong answer does.
  const counts =
    failure === undefined || (answer?.ok === false && call.spec.fold === 'gate' && call.dialect !== 'claude');
  return answer !== undefined && counts ? { output: outputOf(spec, call, answer), ...told } : told;
}

function requestOf(spec: PromptSpec | AgentSpec, call: ExternalCall): Parameters<HookModel>[0] {
  return {
    kind: spec.type,
    prompt: fill(spec.prompt, call.json),
    schema: ANSWER_SCHEMA,
    ...(spec.model === undefined ? {} : { model: spec.model }),
    event: call.eventName,
    input: readOnly(call.input),
    ...(call.toolUseID === undefined ? {} : { toolUseID: call.toolUseID }),
    projectDir: call.projectDir,
    signal: call.signal,
  };
}

function fill(text: string, json: string): string {
  return text.includes('$ARGUMENTS') ? text.replaceAll('$ARGUMENTS', () => json) : `${text}\n\n${json}`;
}

/**
 * A "no" means the same as a command's exit 2, and also ends the turn. It has no effect on events where exit 2 has none. From Claude
 * Code's files it keeps a prompt that was submitted, as the client does.
 */
function outputOf({ continueOnBlock }: PromptSpec | AgentSpec, call: ExternalCall, answer: ModelVerdict): Json {
  const { spec, eventName } = call;
  const stop = spec.fold === 'stop';
  const blocks = spec.exit2 === 'block' || spec.exit2 === 'feedback';
  if (answer.ok || !blocks || (stop && answer.impossible === true)) return {};
  const reason = answer.reason?.trim() || 'The condition of this hook is not met';
  const keeps = call.dialect === 'claude' && eventName === 'UserPromptSubmit' && !continueOnBlock;
  const output = keeps ? {} : blockOutput({ spec, eventName }, reason, undefined);
  return stop || continueOnBlock ? output : { ...output, continue: false, stopReason: reason };
}

function failed(cause: Cause, message: string): Reply {
  return { failure: { cause, message }, stderr: message };
}
