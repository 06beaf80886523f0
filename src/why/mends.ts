import type { HandlerRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { answersByExit2, type Cause, exit2Of } from '../events/failure.js';
import { plain } from '../plain.js';
import { own } from '../values/own.js';
import { nearer, placeOf } from './words.js';

type Advice = (handler: HandlerRecord, event: string) => string;

/** The advice for a hook that failed on an event. */
export function mendFor(handler: HandlerRecord, event: string): string {
  const { cause = 'unknown' } = handler.failure ?? {};
  const byKind: Readonly<Record<string, Advice>> = own(MENDS, cause) ?? {};
  return (own(byKind, handler.handler) ?? byKind['any'] ?? look)(handler, event);
}

const look: Advice = () => 'see what its message says';

/** What helps, as the end of the failure's message says it, which depends on why the hook is not trusted. */
function remedyIn(h: HandlerRecord): string {
  const [, accept = 'hookscope trust', gone] =
    /^.*; (?:see (hookscope (?:[\w ,-]+|serve .+, which asks))|(put it back, or .+, which asks))$/s.exec(
      h.failure?.message ?? '',
    ) ?? [];
  return plain(gone ?? `look at ${changedFile(h)} and accept it: ${accept}`);
}

/** The file that has changed, which may be one that the hook's file names. */
function changedFile(h: HandlerRecord): string {
  const [, file] =
    /^(.+?)(?:, which .+ names,)? (?:has changed since|is not what was accepted for|could be executed when) /s.exec(
      h.failure?.message ?? '',
    ) ?? [];
  return file === undefined ? placeOf(h) : plain(nearer(file));
}

/** What helps where a file cannot be read, if it is that; accepting it does not. */
function openingOf({ failure }: HandlerRecord): string | undefined {
  const [, open] = / cannot be read: (?:.*; )?(let this user read it .+)$/s.exec(failure?.message ?? '') ?? [];
  return open && `it cannot be read: ${plain(open)}`;
}

/** Whether it was called in a folder in which its path leads to another script, as `trust/bound-script.ts` says it. */
const isElsewhere = ({ failure }: HandlerRecord): boolean =>
  / is bound to .*, and in this folder it is /s.test(failure?.message ?? '');

const faster: Advice = (h) => `make it faster, or give it a longer timeout (seconds) in ${placeOf(h)}`;
const fasterModel: Advice = (h) => `ask a faster model, or give it a longer timeout (seconds) in ${placeOf(h)}`;
const unloaded: Advice = () => 'what it needs could not be loaded; see what its message says';
const noModel: Advice = (h) =>
  `its host needs a model to ask: give it one (createHost({ model })), or write the hook as another type in ${placeOf(h)}`;
const modelThrows: Advice = () => 'fix the error that the model of its host throws';
const modelAnswer: Advice = (h) =>
  `the model did not answer with { ok, reason }; correct the prompt in ${placeOf(h)}, or ask another model`;
const wrongField: Advice = () => 'a field of its answer has the wrong type or name; the message says which';
const sendLess: Advice = () => 'send less: its answer is over the limit';

/** The advice for each cause of failure by the type of the hook; `any`: of whatever type. What is not here happens to no hook of that type. */
const MENDS: Readonly<Record<Cause, Readonly<Record<string, Advice>>>> = {
  threw: {
    callback: (h) => `fix the error that it throws, in ${placeOf(h)}`,
    mcp_tool: () => 'its tool, or the callTool of its host, gave an error; fix that',
    prompt: modelThrows,
    agent: modelThrows,
  },
  timeout: {
    callback: faster,
    command: faster,
    http: faster,
    mcp_tool: faster,
    prompt: fasterModel,
    agent: fasterModel,
  },
  spawn_failed: {
    command: (h) => `its program was not found or may not be executed; correct the path in ${placeOf(h)}, or chmod +x`,
    http: unloaded,
    mcp_tool: unloaded,
    prompt: noModel,
    agent: noModel,
  },
  exit_code: { command: byExit },
  signal: { command: () => 'something killed it; find out what' },
  bad_json: {
    command: () => 'its standard output begins like JSON but is not JSON; print one object, or plain text',
    http: () => 'its response begins like JSON but is not JSON; send one object, or plain text',
    mcp_tool: () => 'the text of its tool begins like JSON but is not JSON; answer with one object, or plain text',
    prompt: modelAnswer,
    agent: modelAnswer,
  },
  bad_schema: {
    command: () => 'a field of its answer has the wrong type or name; hookscope check and the message say which',
    callback: wrongField,
    http: wrongField,
    mcp_tool: wrongField,
    prompt: modelAnswer,
    agent: modelAnswer,
  },
  too_large: {
    command: () => 'print less: what it wrote is over the limit',
    callback: sendLess,
    http: sendLess,
    mcp_tool: sendLess,
    prompt: sendLess,
    agent: sendLess,
  },
  http_status: { http: (h) => `its server answered ${h.exit_code ?? 'another status'}; it must answer 2xx` },
  connection: {
    callback: () => 'the program that it belongs to is gone; start it again',
    http: (h) => `its server was not reached; start it, or correct the address in ${placeOf(h)}`,
    mcp_tool: (h) =>
      `its MCP server is not connected; start it, give the host an entry for it in mcpServers (or a callTool), or correct its name in ${placeOf(h)}`,
  },
  aborted: { any: () => 'it was stopped because the caller aborted the fire, or because the host closed' },
  worker_died: { callback: () => 'the worker thread that ran it ended; find out why' },
  untrusted: {
    any: (h) =>
      isElsewhere(h)
        ? `its path is relative, and led to another script in the folder of the call; write an absolute path in ${placeOf(h)}`
        : (openingOf(h) ?? `it has changed or is gone since it was accepted; ${remedyIn(h)}`),
  },
};

function byExit({ exit_code: code, output }: HandlerRecord, event: string): string {
  const spec = specOf(event);
  const others =
    spec === undefined || answersByExit2(spec)
      ? '2 blocks, any other code is a failure'
      : exit2Of(spec) === 'ignore'
        ? `2 means nothing on ${plain(event)}, any other code is a failure`
        : `any other code is a failure on ${plain(event)}`;
  return `it ended with ${code ?? 'a code'}${output === undefined ? ' and no answer' : ''}; 0 is fine, ${others}`;
}
