import { isObject, isText, type Json } from '../values/shape.js';

/** A tool call with its result. */
export interface TranscriptCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly time: string;
  readonly line: number;
  readonly versions: unknown[];
  done?: { readonly line: number; readonly entry: Json; readonly result: Json };
}

/** The text of a message. */
export interface TranscriptEnding {
  readonly line: number;
  readonly time: string;
  readonly text: string;
}

/** The content of a message, as blocks. */
export function blocksOf({ content }: Json): readonly Json[] {
  return Array.isArray(content) ? content.filter((block): block is Json => isObject(block)) : [];
}

/** The text of a message's content. */
export function textIn(content: unknown): string {
  if (isText(content)) return content;
  const blocks = blocksOf({ content }).flatMap(({ type, text }) => (type === 'text' && isText(text) ? [text] : []));
  return blocks.join('\n');
}

/** The calls that a message of the model makes. */
export function toolsOf(
  message: Json,
): readonly { readonly id: string; readonly name: string; readonly input: unknown }[] {
  return blocksOf(message).flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && isText(id) && isText(name) ? [{ id, name, input }] : [],
  );
}

/** Messages that no user submitted: output of the client's own commands, and what the client tells the model. */
const NO_PROMPT =
  /^\s*<(?:local-command-|command-name>|command-message>|bash-(?:input|stdout|stderr)>|user-memory-input>)/;

export function isPrompt({ isMeta, isSidechain, isVisibleInTranscriptOnly }: Json, text: string): boolean {
  return (
    isMeta !== true &&
    isSidechain !== true &&
    isVisibleInTranscriptOnly !== true &&
    text !== '' &&
    !NO_PROMPT.test(text)
  );
}

/** Why the loop continued instead of stopping: the Stop hooks' message to the model. */
export function feedbackOf({ isMeta }: Json, text: string): string | undefined {
  if (isMeta !== true) return undefined;
  const [, said] = /^Stop hook feedback:\n(?:\[.*?\]: ?)?([\s\S]*)$/.exec(text) ?? [];
  return said?.trim();
}

/** A PreToolUse hook's replacement for a call's input, if its answer was kept. */
export function rewriteOf({ type, hookEvent, stdout }: Json): unknown {
  if (type !== 'hook_success' || hookEvent !== 'PreToolUse' || !isText(stdout)) return undefined;
  try {
    const answer: unknown = JSON.parse(stdout);
    const own = isObject(answer) ? answer['hookSpecificOutput'] : undefined;
    return isObject(own) && isObject(own['updatedInput']) ? own['updatedInput'] : undefined;
  } catch {
    // It answered in plain text.
    return undefined;
  }
}

/** Whether the client refused the call before it asked a hook or the user. */
export function isUnjudged(result: Json | undefined): boolean {
  return /^<tool_use_error>(?:InputValidationError|Error: No such tool)/.test(textIn(result?.['content']));
}

/** What the transcript says about how a call was judged. */
interface Permission {
  /** The decision on PreToolUse; undefined if it is not known. */
  readonly judged: Json | undefined;
  /** The decision on PermissionRequest, if the transcript says that its hooks decided. */
  readonly asked?: Json;
  /** The call did not run. */
  readonly denied: boolean;
}

const none: Json = { verdict: 'none' };

export function permissionOf(entry: Json | undefined, result: Json | undefined): Permission {
  if (entry === undefined || result === undefined) return { judged: undefined, denied: false };
  const told = entry['permissionDecision'];
  const text = textIn(result['content']);
  const [, refused] =
    /^(?:PreToolUse:\S+ hook error: |Hook PreToolUse:\S+ denied this tool:? ?)([\s\S]*)$/.exec(text) ?? [];
  if (result['is_error'] === true && refused !== undefined)
    return { judged: { ...none, verdict: 'deny', reason: refused.replace(/^(?:\[.*?\]: )/, '').trim() }, denied: true };
  if (!isObject(told)) {
    const denied = result['is_error'] === true && OLD_DENIALS.test(text);
    // Older versions record no decision: a call that ran was not denied, and of the others nothing is known.
    return { judged: denied ? undefined : none, denied };
  }
  const denied = told['decision'] === 'reject';
  if (told['reasonCode'] === 'hook:PermissionRequest') {
    const asked = {
      fold: 'gate',
      verdict: denied ? 'deny' : 'allow',
      continue: true,
      ...(denied ? { reason: text } : {}),
    };
    return { judged: none, asked, denied };
  }
  // A hook allowed the call; the transcript does not say whether on PreToolUse or on PermissionRequest.
  if (told['source'] === 'hook') return { judged: undefined, denied };
  return { judged: none, denied };
}

const OLD_DENIALS =
  /^(?:The user doesn't want to proceed|Permission to use|Claude requested permissions|This command requires approval)/;

/** The result of a call that ran: the tool's own response or, if that was not kept, the text that the model got. */
export function answerOf(
  { toolUseResult }: Json,
  result: Json,
): { readonly failed: boolean; readonly error: string; readonly response: unknown; readonly whole: boolean } {
  const whole = toolUseResult !== undefined;
  const failed = result['is_error'] === true;
  return { failed, error: textIn(result['content']), response: whole ? toolUseResult : result['content'], whole };
}
