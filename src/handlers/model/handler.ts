import { beginning } from '../../emit/redact/total.js';
import type { Handler, Reply } from '../handler.js';
import type { HookModel } from './model.js';
import { runPromptHook } from './run.js';
import type { AgentSpec, PromptSpec } from './spec.js';

/** The most characters of a name. */
const LONGEST = 80;

/** Makes the handler that the host runs. */
export function promptHandler(spec: PromptSpec | AgentSpec, model: HookModel | undefined): Handler {
  return {
    kind: spec.type,
    name: spec.name ?? beginning(spec.prompt.trim().replace(/(?:\\\n)?\s+/g, ' '), LONGEST),
    run: (call): Promise<Reply> => runPromptHook(spec, model, call),
  };
}
