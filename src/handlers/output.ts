import { stripVTControlCharacters } from 'node:util';
import { beginning } from '../emit/redact/total.js';
import { answersByExit2, type Cause, exit2Of, INTERPRETER_DOUBT, type OnFailure } from '../events/failure.js';
import { helperToOutput, saysByHelper } from '../events/output/helper-words.js';
import { restricting } from '../events/output/restricting.js';
import type { Json } from '../values/shape.js';
import { blockOutput, isMeant, type OutputTarget, printedBlock } from './blocking.js';
import type { Reply } from './handler.js';
import { isUnreadable } from './startup-doubt.js';

/** How a shell hook ended, and its output. */
export interface ShellResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Absent when a signal ended it. */
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  /** Stdout exceeded the limit. */
  readonly tooLarge?: boolean;
}

export interface ReadShell extends OutputTarget {
  readonly onFailure: OnFailure;
}

export interface ShellHow {
  readonly commandText: string;
  /** Shell form: the exit codes 126 and 127 mean that the shell could not start a program. */
  readonly shell: boolean;
  /** In bytes, for the message. */
  readonly outputLimit: number;
  /** The hook ran in the background, where plain text has no meaning. */
  readonly background?: boolean;
}

interface OutputTrial extends ReadShell, ShellHow {
  readonly result: ShellResult;
  /** Stdout without a byte order mark and surrounding white space. */
  readonly text: string;
}

/** Reads a shell hook's exit code and output, before the output is checked against the event's schema. Pure. */
export function readShellOutput(call: ReadShell, result: ShellResult, how: ShellHow): Reply {
  const { spec, eventName, dialect, onFailure } = call;
  const trial: OutputTrial = { spec, eventName, dialect, onFailure, ...how, result, text: result.stdout.trim() };
  const reply = blocksByExit(trial) ? exitTwo(trial) : (tooLarge(trial) ?? readText(trial));
  return {
    ...reply,
    stdout: result.stdout,
    stderr: result.stderr,
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
  };
}

function blocksByExit({ spec, result }: OutputTrial): boolean {
  return result.exitCode === 2 && answersByExit2(spec);
}

/** Exit 2 blocks even if stdout is too large or not valid JSON. The JSON may give the reason but cannot undo the block. */
function exitTwo(trial: OutputTrial): Reply {
  const json = trial.result.tooLarge ? undefined : parseWords(trial);
  const stderr = trial.result.stderr.trim();
  const reason = printedBlock(trial, json)?.reason ?? (stderr || 'No stderr output');
  return { output: blockOutput(trial, reason, json), ...startupDoubt(trial) };
}

/** Such an exit still blocks, but a warning says so. */
function startupDoubt({ result, commandText }: OutputTrial): { warnings?: string[] } {
  const stderr = result.stderr.trim();
  return isUnreadable(stderr, commandText) ? { warnings: [`${INTERPRETER_DOUBT} ${stderr}`] } : {};
}

function tooLarge({ result, outputLimit }: OutputTrial): Reply | undefined {
  if (!result.tooLarge) return undefined;
  return { failure: { cause: 'too_large', message: `It printed more than ${outputLimit} bytes on stdout.` } };
}

function readText(trial: OutputTrial): Reply {
  const { text } = trial;
  if (!text.startsWith('{')) return readPlain(trial);
  if (!text.endsWith('}')) return readTruncated(trial);
  const json = parseObject(text);
  return json ? readJson(trial, json) : failed('bad_json', badJson(text));
}

/** The JSON decides whatever the exit code is. But after an exit that is a failure with an effect, only what restricts counts, and texts. */
function readJson(trial: OutputTrial, said: Json): Reply {
  const failure = exitFailure(trial);
  const trusted = trial.onFailure === 'continue' && trial.spec.failure !== 'fails' && trial.result.signal === undefined;
  if (!failure || trusted) return { output: said };
  const json = translated(trial, said);
  const counts = restricting(trial.spec, trial.eventName, json);
  const block = printedBlock(trial, json);
  if (block) return { ...failure, output: blockOutput(trial, block.reason, counts) };
  return isMeant(trial, json) && Object.keys(counts).length > 0 ? { ...failure, output: counts } : failure;
}

/** A truncated object is read as plain text, with a warning. On a gate it is a failure, because it may have been a deny. */
function readTruncated(trial: OutputTrial): Reply {
  const reply = readPlain(trial);
  const isPlain = reply.failure !== undefined || trial.spec.fold !== 'gate';
  const warning = `Stdout starts with { but does not end with }${isPlain ? ': read as plain text' : ''}.`;
  const why = badJson(trial.text);
  if (!isPlain) return { ...failed('bad_json', why), warnings: [warning] };
  return { ...reply, warnings: [`${warning} ${why}`] };
}

function readPlain(trial: OutputTrial): Reply {
  const { spec, eventName, result, text } = trial;
  const failure = exitFailure(trial);
  if (failure) return failure;
  if (result.exitCode !== 0 || text === '' || trial.background) return {};
  if (spec.plainStdout === 'none') return spec.fold === 'gate' && holdsAnswer(text) ? readBuried(trial) : {};
  if (spec.plainStdout === 'context')
    return specific(eventName, 'additionalContext', withoutMark(result.stdout).trimEnd());
  const [key] = spec.value ?? [];
  return key === undefined ? {} : specific(eventName, key, lastLine(text));
}

/** What only an answer has that restricts, or one in the long form. A log says what was allowed. */
const ANSWER = /[{,]\s*"(?:hookSpecificOutput"\s*:\s*\{|(?:permissionDecision|decision)"\s*:\s*"(?:deny|ask|block)")/;

/** One that stops or defers, which other JSON may say too: here all keys before that are of an answer. Strings end with their line, so that the search is linear. */
const STOPS =
  /\{\s*(?:"(?:continue|stopReason|suppressOutput|systemMessage|terminalSequence|preventContinuation|decision|reason|permissionDecision(?:Reason)?|hookEventName|additionalContext)"\s*:\s*(?:"[^"\\\n]*(?:\\.[^"\\\n]*){0,9999}"|true|false|null)\s*,\s*){0,20}"(?:continue"\s*:\s*false\b|preventContinuation"\s*:\s*true\b|permissionDecision"\s*:\s*"defer")/;

/** Whether text holds an answer, be it in colours. */
function holdsAnswer(coloured: string): boolean {
  const text = stripVTControlCharacters(coloured);
  return ANSWER.test(text) || STOPS.test(text);
}

/** An answer within other text is plain text, with a warning, and a failure where failures count: it may have been a deny. */
function readBuried({ onFailure, text }: OutputTrial): Reply {
  const why = `Stdout holds an answer within other text, so it is read as plain text. Print the JSON alone, and all else to stderr: ${beginning(text, 200)}`;
  return onFailure === 'continue' ? { warnings: [why] } : failed('bad_json', why);
}

function specific(hookEventName: string, key: string, value: string): Reply {
  return { output: { hookSpecificOutput: { hookEventName, [key]: value } } };
}

/** The failure that the exit code or signal means; undefined if it means none. */
function exitFailure({
  spec,
  result,
  shell,
  commandText,
}: OutputTrial): { failure: NonNullable<Reply['failure']> } | undefined {
  const { exitCode, signal } = result;
  const stderr = result.stderr.trim();
  const because = stderr === '' ? '.' : `: ${stderr}`;
  if (exitCode === undefined) return failed('signal', `It was killed by ${signal ?? 'a signal'}${because}`);
  if (exitCode === 0 || (exitCode === 2 && exit2Of(spec) === 'ignore')) return undefined;
  if (shell && (exitCode === 126 || exitCode === 127)) {
    const what = exitCode === 126 ? 'is not executable' : 'was not found';
    const advice = exitCode === 126 ? executableAdvice(stderr) : '';
    return failed(
      'spawn_failed',
      `${commandText} could not be started: a program ${what} (exit code ${exitCode}${advice})${because}`,
    );
  }
  return failed('exit_code', `It exited with code ${exitCode}${because}`);
}

/** Shells name the file that they may not execute. Before what they say, since one line of a table may end within that. */
function executableAdvice(stderr: string): string {
  const file = /: ((?!-)[\w./@+-]+): Permission denied$/.exec(stderr)?.[1];
  return file === undefined ? '' : `; if it is a script: chmod +x ${file}`;
}

function failed(cause: Cause, message: string): { failure: NonNullable<Reply['failure']> } {
  return { failure: { cause, message } };
}

function badJson(text: string): string {
  return `Stdout looks like a JSON object but is not valid JSON: ${beginning(text, 200)}`;
}

/** Parses a text as an object; undefined if it is not one. */
export function parseObject(text: string): Json | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function parseWords(trial: OutputTrial): Json | undefined {
  const json = parseObject(trial.text);
  return json && translated(trial, json);
}

/** An output with a helper's answer in the event's own fields, so that its deny counts like any other. */
function translated({ spec, eventName }: OutputTrial, json: Json): Json {
  if (!saysByHelper(json)) return json;
  try {
    return helperToOutput(spec, json, eventName) as Json;
  } catch {
    // The output is refused later, when it is checked against the schema.
    return json;
  }
}

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1).trim();
}
