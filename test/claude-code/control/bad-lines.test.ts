import { describe, expect, it } from 'vitest';
import { until } from '../../host/kit.js';
import { ENDS, type End, quiet } from './ends.js';
import { cancel, isRequest, type Json, type Piece, refusal, request, success } from './puppet.js';

const line = (message: unknown): string => `${JSON.stringify(message)}\n`;
const write = ({ peer }: End, ...pieces: Piece[]): Promise<void> => peer.order({ write: pieces });
const idOf = (message: Json): unknown => message['request_id'];

/** The end still works: it answers, and is answered. */
async function works(end: End): Promise<void> {
  expect(await end.peer.ask('works', end.request('quick'))).toEqual({
    subtype: 'success',
    request_id: 'works',
    response: {},
  });
  const asked = end.ours();
  const ask = await end.peer.hear(isRequest('interrupt'));
  await end.peer.say(success(idOf(ask), { fine: true }));
  expect(await asked).toEqual({ fine: true });
}

/** Lines that nobody can answer: each is named on the stream, or to the logger when nobody watches, and left out. */
const UNANSWERABLE: readonly (readonly [what: string, lines: readonly string[], problem: string])[] = [
  ['a line that is not JSON', ['not json\n'], 'bad_json'],
  ['half an object', ['{"type":"user"\n'], 'bad_json'],
  ['two objects on one line', ['{"type":"x"}{"type":"y"}\n'], 'bad_json'],
  ['a NUL byte', ['\u0000\n'], 'bad_json'],
  ['an array', ['[{"type":"user"}]\n'], 'bad_message'],
  ['a number', ['3\n'], 'bad_message'],
  ['a string', ['"user"\n'], 'bad_message'],
  ['null', ['null\n'], 'bad_message'],
  ['an object without a type', ['{}\n'], 'bad_message'],
  ['a type that is no string', ['{"type":3}\n'], 'bad_message'],
  ['a request without an id', [line({ type: 'control_request', request: { subtype: 'quick' } })], 'bad_message'],
  ['a request with an empty id', [line(request('', { subtype: 'quick' }))], 'bad_message'],
  ['a request whose id is a number', [line({ ...request('', { subtype: 'quick' }), request_id: 1 })], 'bad_message'],
  [
    'a reply that names no request',
    [line({ type: 'control_response', response: { subtype: 'success' } })],
    'bad_message',
  ],
  ['a reply that is empty', [line({ type: 'control_response' })], 'bad_message'],
  ['a reply to nobody', [line(success('nobody', {}))], 'unexpected_response'],
  ['an error reply to nobody', [line(refusal('nobody', 'no'))], 'unexpected_response'],
  ['a cancel that names no request', [line({ type: 'control_cancel_request' })], 'bad_message'],
];

/** Requests that are answered with an error. */
const REFUSED: readonly (readonly [what: string, request: unknown, error: Readonly<Record<End['which'], string>>])[] = [
  [
    'an unknown subtype',
    { subtype: 'no_such' },
    {
      client: 'Unsupported control request subtype: no_such',
      server: 'Unsupported control request subtype: no_such',
    },
  ],
  [
    'a subtype that every object has',
    { subtype: 'constructor' },
    {
      client: 'Unsupported control request subtype: constructor',
      server: 'Unsupported control request subtype: constructor',
    },
  ],
  [
    'a message for an MCP server of an SDK',
    { subtype: 'mcp_message', server_name: 'x', message: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    {
      client: 'Unsupported control request subtype: mcp_message',
      server: 'Unsupported control request subtype: mcp_message',
    },
  ],
  [
    'an unknown callback id',
    { subtype: 'hook_callback', callback_id: 'hook_999', input: {} },
    {
      client: 'No hook callback has the id "hook_999".',
      server: 'Unsupported control request subtype: hook_callback',
    },
  ],
  [
    'a callback without an id',
    { subtype: 'hook_callback', input: {} },
    {
      client: 'No hook callback has the id undefined.',
      server: 'Unsupported control request subtype: hook_callback',
    },
  ],
  ...[undefined, null, 'quick', [], {}, { subtype: 1 }].map(
    (wrong): [string, unknown, Record<End['which'], string>] => [
      `a request that is ${JSON.stringify(wrong)}`,
      wrong,
      {
        client: 'A control request needs a "request" object with a "subtype" string.',
        server: 'A control request needs a "request" object with a "subtype" string.',
      },
    ],
  ),
];

describe.each(Object.entries(ENDS))('bad lines at the %s', (which, make) => {
  it('lines that nobody can answer are left out and told', async () => {
    const end = await make();
    const names: string[] = [];
    for (const [what, lines, problem] of UNANSWERABLE) {
      await write(end, ...lines);
      await works(end);
      names.push(problem);
      expect(end.problems(), what).toEqual(names);
    }
    // Of each kind the logger hears once a minute.
    expect(end.reports).toEqual([...new Set(names)].map((problem) => expect.stringMatching(` \\(${problem}\\)$`)));
  });

  it('when nobody watches, each kind is told to the logger, and at the end how many more there were', async () => {
    const end = await make({ unwatched: true });
    await write(end, ...UNANSWERABLE.flatMap(([, lines]) => lines));
    await works(end);
    const names = UNANSWERABLE.map(([, , problem]) => problem);
    const kinds = [...new Set(names)];
    expect(end.problems()).toEqual(kinds);
    await end.host.close();
    const more = kinds.map((kind) => `(${kind}) (${names.filter((name) => name === kind).length - 1} more times)`);
    const told = end.reports.slice(kinds.length).map((text) => /\(\w+\) \(.*\)$/.exec(text)?.[0]);
    expect(told.sort()).toEqual(more.sort());
  });

  it('requests that make no sense are answered with an error', async () => {
    const end = await make();
    for (const [what, asked, error] of REFUSED) {
      const answer = await end.peer.ask('q', asked as Json);
      expect(answer, what).toEqual({ subtype: 'error', request_id: 'q', error: error[which as End['which']] });
    }
    await works(end);
    expect(end.problems()).toEqual([]);
  });

  it('ids are nobody’s property names', async () => {
    const end = await make();
    for (const id of ['__proto__', 'constructor', 'toString'])
      expect(await end.peer.ask(id, end.request('quick'))).toMatchObject({ subtype: 'success', request_id: id });
  });

  it('empty lines are nothing', async () => {
    const end = await make();
    await write(end, '\n\r\n\n');
    await works(end);
    expect(end.problems()).toEqual([]);
  });

  it('a second request under an id that is being answered is dropped; the first gets its one answer', async () => {
    const end = await make();
    await end.peer.say(request('twin', end.request('slow')), request('twin', end.request('quick')));
    await until(() => end.problems().length > 0);
    expect(end.peer.answersTo('twin')).toEqual([]);
    end.release();
    await works(end);
    expect(end.peer.answersTo('twin')).toEqual([success('twin', {})]);
    expect(end.problems()).toEqual(['duplicate_request']);
    expect(end.slow.began).toBe(1);
  });

  it('an id that was answered may be used again', async () => {
    const end = await make();
    await end.peer.ask('again', end.request('quick'));
    await end.peer.ask('again', end.request('quick'));
    expect(end.peer.answersTo('again')).toHaveLength(2);
    expect(end.problems()).toEqual([]);
  });

  it('of two replies the first counts, the second is told', async () => {
    const end = await make();
    const asked = end.ours();
    const ask = await end.peer.hear(isRequest('interrupt'));
    await end.peer.say(success(idOf(ask), { n: 1 }), refusal(idOf(ask), 'too late'));
    expect(await asked).toEqual({ n: 1 });
    await works(end);
    expect(end.problems()).toEqual(['unexpected_response']);
  });

  it('an error reply refuses the request in its own words', async () => {
    const end = await make();
    const said = [refusal('', 'not now'), { type: 'control_response', response: { subtype: 'error', error: 7 } }];
    for (const [at, reply] of (said as Json[]).entries()) {
      const words = at === 0 ? / refused the request: not now$/ : / refused the request: .*"error":7/;
      const asked = expect(end.ours()).rejects.toMatchObject({
        code: 'CONTROL_REFUSED',
        message: expect.stringMatching(words),
      });
      const ask = await end.peer.hear(isRequest('interrupt'));
      const response = { ...(reply['response'] as Json), request_id: idOf(ask), error_code: 'busy' };
      await end.peer.say({ ...reply, response });
      await asked;
    }
    await works(end);
  });

  it('a reply without an object is an empty one', async () => {
    const end = await make();
    for (const response of [undefined, null, 3, []] as never[]) {
      const asked = end.ours();
      const ask = await end.peer.hear(isRequest('interrupt'));
      await end.peer.say(success(idOf(ask), response));
      expect(await asked).toEqual({});
    }
  });

  it('a cancel for an id that nobody uses is nothing: it may have crossed the answer', async () => {
    const end = await make();
    await end.peer.ask('done', end.request('quick'));
    await end.peer.say(cancel('done'), cancel('never'));
    await works(end);
    expect(end.problems()).toEqual([]);
  });

  it('a cancel aborts the work, and no answer follows', async () => {
    const end = await make();
    await end.peer.say(request('slow', end.request('slow')));
    await until(() => end.slow.began === 1);
    await end.peer.say(cancel('slow'), cancel('slow'));
    await until(() => end.slow.aborted === 1);
    end.release();
    await works(end);
    await quiet();
    expect(end.peer.answersTo('slow')).toEqual([]);
    expect(end.problems()).toEqual([]);
  });

  it('an id that was cancelled may be used again, and only the new request is answered', async () => {
    const end = await make();
    await end.peer.say(request('id', end.request('slow')));
    await until(() => end.slow.began === 1);
    await end.peer.say(cancel('id'), request('id', end.request('quick')));
    await until(() => end.peer.answersTo('id').length > 0);
    end.release();
    await works(end);
    await quiet();
    expect(end.peer.answersTo('id')).toHaveLength(1);
    expect(end.problems()).toEqual([]);
  });

  it('an answer that JSON cannot hold is an error reply', async () => {
    const end = await make();
    expect(await end.peer.ask('q', end.request('wrong'))).toMatchObject({
      subtype: 'error',
      request_id: 'q',
      error: expect.stringMatching(/BigInt/),
    });
    await works(end);
  });

  it('a request of ours that JSON cannot hold is refused here', async () => {
    const end = await make();
    const words = /the request cannot be written as JSON: .*BigInt/;
    await expect(end.oursWrong()).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringMatching(words),
    });
    await works(end);
  });

  it('a peer that dies in the middle of a line: what there was of it is told, what waits fails at once', async () => {
    const end = await make();
    const asked = expect(end.ours()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await end.peer.hear(isRequest('interrupt'));
    await end.peer.order({ write: ['{"type":"control_resp'], kill: 'SIGKILL' });
    await asked;
    await end.over;
    expect(end.problems().filter((problem) => problem !== 'connection')).toEqual(['cut_off']);
    await expect(end.ours()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });

  it('a last line without its newline is taken all the same', async () => {
    const end = await make();
    const asked = end.ours();
    const ask = await end.peer.hear(isRequest('interrupt'));
    await end.peer.order({ write: [JSON.stringify(success(idOf(ask), { last: true }))], closeOutput: true });
    expect(await asked).toEqual({ last: true });
    expect(end.problems()).toEqual([]);
  });

  it('lines of 50 MB come whole, and are answered', async () => {
    const end = await make();
    const [before, after] = line(request('big', end.request('quick', { text: 'HERE' }))).split('HERE') as [
      string,
      string,
    ];
    const fill = { fill: 'x', times: 50 * 2 ** 20 };
    await write(end, before, fill, after, '{"type":"big","text":"', fill, '"}\n');
    const message = await end.message('big');
    expect((message['text'] as string).length).toBe(fill.times);
    await until(() => end.peer.answersTo('big').length === 1, 15);
    await works(end);
    expect(end.problems()).toEqual([]);
  });

  it('a line over maxLine is skipped and told, one of just that size is read', async () => {
    const end = await make({ maxLine: 2_000 });
    const fit = '{"type":"fits","text":"';
    await write(end, fit, { fill: 'x', times: 2_000 - fit.length - 2 }, '"}\n');
    await end.message('fits');
    expect(end.problems()).toEqual([]);
    await write(end, fit, { fill: 'x', times: 2_001 - fit.length - 2 }, '"}\n', { fill: 'y', times: 300_000 }, '\n');
    await works(end);
    expect(end.problems()).toEqual(['too_long', 'too_long']);
  });

  it('a line over maxLine that does not end is told of as well', async () => {
    const end = await make({ maxLine: 2_000 });
    await end.peer.order({ write: [{ fill: 'x', times: 5_000 }], exit: 0 });
    await end.over;
    expect(end.problems().filter((problem) => problem !== 'connection')).toEqual(['too_long']);
  });

  it('however it is cut up, a line is what it is', async () => {
    const end = await make();
    const text = 'héllo \u2028 wörld \u2029 😀 \\n';
    const bytes = Buffer.from(
      `{"type":"cut","text":${JSON.stringify(text)}}\r\n${line(request('cut', end.request('quick')))}`,
    );
    await write(end, ...[...bytes].map((byte) => ({ base64: Buffer.from([byte]).toString('base64') })));
    expect(await end.message('cut')).toEqual({ type: 'cut', text });
    await until(() => end.peer.answersTo('cut').length === 1);
    expect(end.problems()).toEqual([]);
  });

  it('when the other side closes its input, that is told once and what waits fails', async () => {
    const end = await make();
    await end.peer.order({ closeInput: true });
    const asked = end.ours();
    await expect(asked).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringMatching(/EPIPE|ECONNRESET/),
    });
    await end.peer.say(request('q1', end.request('quick')), request('q2', end.request('quick')));
    await expect(end.ours()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await quiet();
    expect(end.problems()).toEqual(['connection']);
  });
});
