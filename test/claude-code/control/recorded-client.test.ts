import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { connectClaude } from '../../../src/claude-code/control/client/client.js';
import type { PermissionResult } from '../../../src/claude-code/control/client/permission.js';
import type { Host } from '../../../src/create-host.js';
import { CATALOGUE } from '../../../src/events/catalogue.js';
import { anyHooks, testHost } from '../../host/kit.js';
import { all, problems, tapped } from './kit.js';
import { type Json, scratch } from './puppet.js';
import { RECORDINGS, type Recording } from './recordings.js';

const PLAYER = fileURLToPath(new URL('../../fixtures/control/recorded.mjs', import.meta.url));

/** Where our reply is meant not to be the recorded one: the request by its recorded id, our whole line (undefined: none), and why. */
interface Difference {
  readonly why: string;
  readonly line: string | undefined;
}

const success = (id: string, response: Json): string =>
  JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
const NOTHING = (why: string) => (id: string) => ({ why, line: success(id, {}) });

const DIFFERENCES: Readonly<Record<string, (id: string) => Difference>> = {
  'async PreToolUse': NOTHING('the host follows the work itself; the program has nothing to wait for'),
  'badoutput PreToolUse': NOTHING('bad output is not passed on: it is no opinion, and told as bad_schema'),
  'throw PreToolUse': NOTHING('under the default policy a throw is no opinion, and told as threw'),
  'plain-host-wrong-event-name PreToolUse': (id) => ({
    why: 'on a gate, what else a wrong answer says counts, except an allow; the wrong event name is told as bad_schema',
    line: success(id, { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'x' } }),
  }),
  'throw-block PreToolUse': (id) => ({
    why: 'the error says which hook failed: ours may be one of many',
    line: JSON.stringify({
      type: 'control_response',
      response: { subtype: 'error', request_id: id, error: 'guard: Error: BOOM' },
    }),
  }),
  'two PreToolUse': (id) => ({
    why: 'one request is one fire of all hooks: of two rewrites the later in plan order stands, not the last to finish',
    line: success(id, {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command: 'echo B' },
      },
    }),
  }),
  'plain-host PreToolUse': (id) => ({
    why: 'one request is one fire of all hooks: what both said goes back in one answer',
    line: success(id, {
      systemMessage: 'CB-SM',
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'CB-CTX' },
    }),
  }),
  'permreq-allow can_use_tool': (id) => ({
    why: 'both ways to ask get the decision of one fire; the recorded host left this one to the cancel',
    line: success(id, {
      behavior: 'allow',
      updatedInput: { command: 'echo PR-CHANGED' },
      toolUseID: 'toolu_main_0_0',
    }),
  }),
};

/** Failures that the recorded host's answers are to ours, by recording: the cause on our stream. */
const FAILURES: Readonly<Record<string, string>> = {
  badoutput: 'bad_schema',
  throw: 'threw',
  'throw-block': 'threw',
  'plain-host-wrong-event-name': 'bad_schema',
  timeout: 'aborted',
  'plain-host-no-reply-post-tool-use': 'aborted',
};

/** Registers what the recorded host had, callback for callback; each answers as it did. Returns the inputs they are given. */
function registerRecorded(host: Host, { hooks, asked }: Recording, log: string): Json[] {
  const inputs: Json[] = [];
  for (const [event, matchers] of Object.entries(hooks)) {
    // The program takes no notice of it; our host would not have registered it.
    if (!Object.hasOwn(CATALOGUE, event)) continue;
    const groups = matchers.map(({ matcher, hookCallbackIds, onFailure }) => ({
      ...(matcher === undefined ? {} : { matcher }),
      ...(onFailure === undefined ? {} : { onFailure }),
      hooks: hookCallbackIds.map((id) => {
        const replies = asked.filter(({ request }) => request['callback_id'] === id).map(({ reply }) => reply);
        return async function guard(input: unknown, _id: unknown, { signal }: { signal: AbortSignal }) {
          inputs.push(JSON.parse(JSON.stringify(input)) as Json);
          writeFileSync(`${log}.began`, '');
          // SessionStart and SessionEnd, which our client fires itself.
          if (replies.length === 0) return {};
          const reply = replies.length > 1 ? replies.shift() : replies[0];
          if (reply === undefined) return new Promise((_, reject) => signal.addEventListener('abort', reject));
          const response = reply['response'] as Json;
          if (response['subtype'] === 'error') throw new Error(response['error'] as string);
          return response['response'];
        };
      }),
    }));
    host.register(anyHooks({ [event]: groups }));
  }
  return inputs;
}

/** Plays it against a client of ours, which says what the recorded host said; every line it wrote. */
async function play(recording: Recording, host: Host, log: string): Promise<string[]> {
  const person = recording.asked.find(({ request }) => request['subtype'] === 'can_use_tool');
  const client = await connectClaude({
    host,
    executable: PLAYER,
    args: [recording.file, log],
    cwd: process.cwd(),
    ...(person ? { canUseTool: () => answerOf(person.reply) as unknown as PermissionResult } : {}),
  });
  let before: Promise<unknown> = Promise.resolve();
  for (const { msg } of recording.entries.filter(({ dir }) => dir === 'host>cli').slice(1)) {
    if (msg.type === 'user') before = Promise.all([before, all(client.query(promptOf(msg)))]);
    if (msg.type !== 'control_request') continue;
    const { subtype, model, mode } = msg['request'] as Record<string, string>;
    if (subtype === 'interrupt') await client.interrupt();
    await before;
    if (subtype === 'set_model') expect(await client.setModel(model)).toEqual({ model });
    if (subtype === 'set_permission_mode') expect(await client.setPermissionMode(mode as string)).toEqual({ mode });
  }
  await before;
  expect(await client.close()).toEqual({ exitCode: 0 });
  return readFileSync(log, 'utf8').trim().split('\n');
}

/** A text where the SDK made the message, so that ours is compared with it; else the message as it is. */
function promptOf(msg: Json): string | Json {
  const { content } = msg['message'] as { content: string | { text: string }[] };
  return typeof content === 'string' ? msg : (content[0] as { text: string }).text;
}

const answerOf = (reply: Json | undefined): Json => ((reply?.['response'] as Json)?.['response'] ?? {}) as Json;

/** Our line to one of its requests: the recorded one, unless it is in the table. */
function expectedLine({ name }: Recording, { id, request, reply }: Recording['asked'][number]): string | undefined {
  const what = request['subtype'] === 'can_use_tool' ? 'can_use_tool' : (request['input'] as Json)['hook_event_name'];
  const difference = DIFFERENCES[`${name} ${what}`];
  if (difference) return difference(id).line;
  return reply && JSON.stringify(reply);
}

/** The player asks our one callback for an event once, where the recording asked several. */
function askedOnce({ asked }: Recording): Recording['asked'] {
  const key = ({ request }: Recording['asked'][number]): string => JSON.stringify(request['input'] ?? request);
  return asked.filter(
    (one, at) => asked.findIndex((other) => key(other) === key(one)) === at || !('callback_id' in one.request),
  );
}

describe('the recorded program, under our client', () => {
  it('there are twenty recordings', () => {
    expect(RECORDINGS).toHaveLength(20);
  });

  it.each(RECORDINGS)('$name: every line of ours is the recorded one, or differs on purpose', async (recording) => {
    const { host, reports } = testHost();
    const seen = tapped(host);
    const log = join(scratch(), 'log');
    const inputs = registerRecorded(host, recording, log);
    const lines = await play(recording, host, log);
    const messages = lines.map((line) => JSON.parse(line) as Json);
    const ofType = (type: string) => lines.filter((_, at) => messages[at]?.['type'] === type);

    // Replies: the envelope and what is in it, byte for byte, one each, none to what was withdrawn.
    const expected = askedOnce(recording)
      .map((one) => expectedLine(recording, one))
      .filter((line) => line !== undefined);
    expect(ofType('control_response').sort()).toEqual(expected.sort());

    // Prompts and our own requests.
    const recorded = recording.entries.filter(({ dir }) => dir === 'host>cli').map(({ msg }) => msg);
    // A prompt of ours has an id of its own, by which its result is known.
    const prompts = ofType('user').map((line) => line.replace(/,"uuid":"[0-9a-f-]{36}"\}$/, '}'));
    expect(prompts).toEqual(recorded.filter(({ type }) => type === 'user').map((msg) => JSON.stringify(msg)));
    const requests = recorded.filter(({ type }) => type === 'control_request').slice(1);
    const ids = messages.filter((msg) => msg['type'] === 'control_request').map((msg) => msg['request_id']);
    expect(ofType('control_request').slice(1)).toEqual(
      requests.map((msg, at) => JSON.stringify({ ...msg, request_id: ids[at + 1] })),
    );

    // Nothing was wrong with what it sent, and every input of its passed as it came.
    expect(problems(seen).filter(({ problem }) => problem !== 'never_sent')).toEqual([]);
    for (const { request } of askedOnce(recording)) {
      if (request['subtype'] !== 'hook_callback') continue;
      const input = request['input'] as Json;
      const passed = { ...input, tool_use_id: input['tool_use_id'] ?? request['tool_use_id'] };
      expect(
        inputs.filter((one) => isPassed(one, passed)),
        input['hook_event_name'] as string,
      ).not.toEqual([]);
    }
    const failures = seen.flatMap((record) => ('failure' in record && record.failure ? [record.failure.cause] : []));
    const cause = FAILURES[recording.name];
    expect(failures).toEqual(cause === undefined ? [] : [cause]);
    // The logger hears both, whoever watches; that the program withdrew its question is no failure of a hook.
    const heard = [...problems(seen).map(({ problem }) => problem), ...failures.filter((one) => one !== 'aborted')];
    expect(reports).toEqual(heard.map((word) => expect.stringContaining(`(${word})`)));
    await host.close();
  });

  it('each difference names a request that is in a recording', () => {
    const places = RECORDINGS.flatMap(({ name, asked }) =>
      asked.map(({ request }) => `${name} ${(request['input'] as Json)['hook_event_name'] ?? 'can_use_tool'}`),
    );
    for (const place of Object.keys(DIFFERENCES)) expect(places).toContain(place);
  });
});

/** As it came; of what was asked as `can_use_tool` first, the fields that this has. */
function isPassed(input: Json, asked: Json): boolean {
  const keys = Object.keys(asked).filter(
    (key) => asked['hook_event_name'] !== 'PermissionRequest' || key.startsWith('tool_'),
  );
  return keys.every((key) => isDeepStrictEqual(input[key], asked[key]));
}
