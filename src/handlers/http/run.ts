import { beginning } from '../../emit/redact/total.js';
import type { Cause } from '../../events/failure.js';
import { ended } from '../../plain.js';
import type { ExternalCall, Reply } from '../handler.js';
import { parseObject } from '../output.js';
import { type HttpResponse, post } from './client.js';
import { addressOf, isPrivateAddress, publicLookup } from './private-address.js';
import { fillVariables, type HttpRules, publicUrl, urlAllowed } from './rules.js';
import type { HttpSpec } from './spec.js';

/** The most bytes that an answer may have. */
const LIMIT = 1024 * 1024;
/** How many characters of an answer a message quotes. */
const SHOWN = 200;

/** Runs an http hook, from its request to its answer. */
export async function runHttp(spec: HttpSpec, rules: HttpRules, call: ExternalCall): Promise<Reply> {
  const url = new URL(spec.url);
  const name = publicUrl(spec.url);
  const refusal = refused(url, rules);
  if (refusal) return failed('connection', `Nothing was sent to ${name}: ${ended(refusal)}`);
  const answer = await post({
    url,
    headers: headersOf(spec, url, rules, call.trace),
    body: call.json,
    limit: LIMIT,
    lookup: rules.lookup === 'public' ? publicLookup : rules.lookup,
    signal: call.signal,
  });
  if (!('problem' in answer)) return { ...readResponse(answer, name), exitCode: answer.status };
  if (call.signal.aborted) return failed('aborted', `${name} had not answered when the hook was ended.`);
  return failed('connection', `${name} could not be asked: ${ended(answer.problem)}`);
}

function refused(url: URL, rules: HttpRules): string | undefined {
  if (rules.refusal !== undefined) return rules.refusal;
  if (!urlAllowed(url, rules)) return 'no pattern of allowedHttpHookUrls allows it';
  const address = addressOf(url.hostname);
  if (address === undefined || !rules.lookup || !isPrivateAddress(address)) return undefined;
  return `${address} is in a private network (the host option httpHookPrivateAddresses allows these)`;
}

/** Headers that control the message or the connection. A hook cannot set them. */
const OURS = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function headersOf(spec: HttpSpec, url: URL, rules: HttpRules, trace: ExternalCall['trace']): Map<string, string> {
  const headers = new Map([
    ['accept', 'application/json, text/plain, */*'],
    ['content-type', 'application/json'],
    ['user-agent', 'hookscope'],
  ]);
  if (trace !== undefined) headers.set('traceparent', trace.traceparent);
  if (trace?.tracestate !== undefined) headers.set('tracestate', trace.tracestate);
  if (url.username !== '' || url.password !== '') headers.set('authorization', basic(url));
  for (const [given, value] of Object.entries(spec.headers ?? {})) {
    const name = given.toLowerCase();
    if (OURS.includes(name)) continue;
    // A variable that was read from a file often ends with a newline, which header values must not contain.
    const filled = fillVariables(value, spec.allowedEnvVars ?? [], rules);
    headers.set(name, filled.replace(/[\r\n\0]+/g, ' ').trim());
  }
  return headers;
}

function basic({ username, password }: URL): string {
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(words).toString('base64')}`;
}

function readResponse({ status, location, text, tooLarge }: HttpResponse, name: string): Reply {
  if (status < 200 || status > 299) {
    const to = location === undefined ? '' : `, which points to ${location}; redirects are not followed`;
    return failed('http_status', `${name} answered ${status}${to}.`);
  }
  if (tooLarge) return failed('too_large', `${name} answered more than ${LIMIT} bytes.`);
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return {};
  const output = parseObject(trimmed);
  if (output) return { output, stdout: text };
  const shown = beginning(trimmed, SHOWN);
  return { ...failed('bad_json', `${name} answered ${status} with what is no JSON object: ${shown}`), stdout: text };
}

function failed(cause: Cause, message: string): Reply {
  return { failure: { cause, message }, stderr: message };
}
