import { inputToOurs, isPatched, payloadFor, type ToolNameTest } from '../agents/as-theirs.js';
import type { Answer, Loss } from '../agents/codec.js';
import { encode } from '../agents/encode.js';
import { hear } from '../agents/hear.js';
import { foldOf } from '../agents/rows.js';
import type { AgentTable, EventRow } from '../agents/table.js';
import { claudeCode } from '../agents/tables/claude-code.js';
import { saysByHelper } from '../events/output/helper-words.js';
import type { ExternalCall, Handler, Reply } from '../handlers/handler.js';
import { parseObject } from '../handlers/output.js';
import { wellFormedJson } from '../plain.js';
import { isObject, type Json } from '../values/shape.js';

/** Wraps a handler: it gets the agent's own payload, and its answer is interpreted by the agent's rules. */
export function foreignHandler(
  table: AgentTable,
  rows: readonly EventRow[],
  inner: Handler,
  isMeant?: ToolNameTest,
): Handler {
  return {
    ...inner,
    async run(call): Promise<Reply> {
      const row = rowFor(rows, call);
      const payload = wellFormedJson(payloadFor(table, row, call.input, isMeant));
      const reply = await inner.run(withJson(call, payload));
      // The model behind a prompt hook answers in our format.
      return inner.kind === 'prompt' ? reply : readReply({ table, row, call }, reply);
    },
  };
}

const rowFor = (rows: readonly EventRow[], { spec }: ExternalCall): EventRow =>
  rows.find(({ ours }) => ours === spec.name) ?? (rows[0] as EventRow);

/** The call with another payload. `signal` and `ending` are getters of a class, which a spread does not copy. */
function withJson(call: ExternalCall, json: string): ExternalCall {
  return {
    ...call,
    json,
    get signal() {
      return call.signal;
    },
    get ending() {
      return call.ending;
    },
  };
}

interface ForeignCall {
  readonly table: AgentTable;
  readonly row: EventRow;
  readonly call: ExternalCall;
}

/** Failures after which the output does not say what the hook meant. */
const UNFINISHED: readonly string[] = ['aborted', 'timeout', 'too_large', 'untrusted', 'worker_died', 'threw'];

function readReply(asked: ForeignCall, reply: Reply): Reply {
  const { failure, later } = reply;
  if (later !== undefined) return { ...reply, later: later.then((last) => readReply(asked, last)) };
  const { output: _, warnings = [], ...facts } = reply;
  if (failure !== undefined && UNFINISHED.includes(failure.cause)) return { ...facts, failure };
  if (isHelpers(reply)) return reply;
  const heard = hear(asked.table, asked.row, { stdout: reply.stdout ?? '', ...endOf(reply) });
  const said = sayHere(asked, heard.answer);
  const why = heard.failure ?? said.failure;
  const { failure: __, ...rest } = facts;
  return {
    ...rest,
    ...(said.output === undefined ? {} : { output: said.output }),
    // The handler's own failure says best why a program did not start, or a server did not answer.
    ...(why === undefined ? {} : { failure: failure && why.cause !== 'bad_schema' ? { ...why, ...failure } : why }),
    warnings: [...warnings.filter((warning) => !READ_AS_OURS.test(warning)), ...heard.warnings, ...said.warnings],
  };
}

/** Whether the answer was written by our helpers. It is read by our rules, since the agent has no such format. */
function isHelpers({ stdout = '' }: Reply): boolean {
  const json = parseObject(stdout.trim());
  return json !== undefined && saysByHelper(json);
}

/** Warnings from reading the answer by our rules, which do not apply here. */
const READ_AS_OURS = /^(?:Stdout starts with|Exit 2 blocked)/;

function endOf({ failure, exitCode, stderr = '' }: Reply): { stderr: string; exitCode?: number } {
  switch (failure?.cause) {
    case 'signal':
      return { stderr };
    case 'spawn_failed':
      return { stderr: stderr === '' ? failure.message : stderr, exitCode: exitCode ?? 127 };
    case 'connection':
    case 'http_status':
      return { stderr: failure.message, exitCode: 1 };
    default:
      return { stderr, exitCode: exitCode !== undefined && exitCode >= 200 ? 0 : (exitCode ?? 0) };
  }
}

/** Translates the agent's answer to an output in our format. */
function sayHere(
  asked: ForeignCall,
  answer: Answer,
): Pick<Reply, 'output' | 'failure'> & { warnings: readonly string[] } {
  const { table, row, call } = asked;
  if (Object.keys(answer).length === 0) return { warnings: [] };
  if (row.own) return { output: ownOutput(row, call, answer), warnings: [] };
  const { updatedInput: wanted, ...rest } = answer;
  if (wanted !== undefined && foldOf(row) === 'gate' && isPatched(table, row, call.input)) {
    const message = `It wants another input of ${table.title}'s own tool, which this call is not made with`;
    return { ...sayHere(asked, rest), failure: { cause: 'bad_schema', message } };
  }
  const { stdout, losses } = encode(claudeCode, { ...rest, ...rewriteOf(asked, wanted) }, row.ours);
  const output = stdout.trim().startsWith('{') ? (JSON.parse(stdout) as Json) : undefined;
  const lost = losses.filter(({ what }) => what !== 'reason').map(wordsFor(table));
  const decides = losses.some(({ what }) => DECIDES.includes(what));
  return {
    ...(output ? { output: named(output, call) } : {}),
    ...(decides ? { failure: { cause: 'bad_schema', message: lost.join(' ') } } : {}),
    warnings: decides ? [] : lost,
  };
}

/** Parts whose loss makes the hook fail; the loss of any other part is a warning. */
const DECIDES: readonly string[] = ['deny', 'ask', 'block', 'stop', 'continue', 'rewrite', 'interrupt'];

function rewriteOf({ table, row, call }: ForeignCall, wanted: unknown): Answer {
  if (wanted === undefined) return {};
  if (foldOf(row) !== 'gate') return { updatedOutput: wanted };
  if (!isObject(wanted)) return { updatedInput: wanted };
  const input = inputToOurs(table, row, call.input, wanted);
  const { rewrite } = row.says;
  const before = call.input['tool_input'];
  const merges = rewrite !== undefined && 'say' in rewrite && rewrite.merges === true && isObject(before);
  return { updatedInput: merges ? { ...before, ...input } : input };
}

/** Sets the event name that the call expects; for a scope's own Stop, it differs from the row's. */
function named(output: Json, { eventName }: ExternalCall): Json {
  const { hookSpecificOutput: inner } = output;
  return isObject(inner) ? { ...output, hookSpecificOutput: { ...inner, hookEventName: eventName } } : output;
}

function ownOutput({ own }: EventRow, { eventName }: ExternalCall, answer: Answer): Json {
  const { blocked, reason, value, systemMessages } = answer;
  const message = systemMessages?.[0] === undefined ? {} : { systemMessage: systemMessages[0] };
  if (own?.fold === 'replace' && isObject(value))
    return { ...message, hookSpecificOutput: { hookEventName: eventName, ...value } };
  return { ...message, ...(blocked ? { decision: 'block', reason: reason ?? 'A hook refused this.' } : {}) };
}

const wordsFor =
  (table: AgentTable) =>
  ({ what, why }: Loss): string =>
    `What ${table.title} would do for "${what}" cannot be done here: ${why}.`;
