// A model server on loopback that plays a scenario: for each agent the assistant's turns, in order. It speaks the Messages
// API's own event stream, so the agent's client cannot tell it from the real one. In a turn's text, {{expression}} is what that
// regular expression finds in the request: what the model was told.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

/** @typedef {{ text?: string, tools?: { name: string, input: object }[], tokens?: number }} Turn */

/** @param {string} file a JSON file: agent -> turns @param {(request: any) => unknown} seen told of every request before it is answered */
export async function startScriptedModel(file, seen = () => undefined) {
  /** @type {Record<string, Turn[]>} */
  const scenario = JSON.parse(await readFile(file, 'utf8'));
  /** @type {Map<string, number>} */
  const played = new Map();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const question = JSON.parse(body);
    const agent = String(question.metadata?.user_id);
    const quoted = (/** @type {string} */ text) =>
      text.replace(/\{\{(.+?)\}\}/g, (_, expression) => new RegExp(expression).exec(body)?.[0] ?? '(nothing)');
    const index = played.get(agent) ?? 0;
    played.set(agent, index + 1);
    const turn = scenario[agent]?.[index] ?? { text: `(The scenario has no turn ${index + 1} for ${agent}.)` };
    await seen(question);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const said = turn.text === undefined ? turn : { ...turn, text: quoted(turn.text) };
    for (const [type, data] of events(said, `${agent}_${index}`)) {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** A turn as the stream tells it. @returns {Generator<[string, any]>} */
function* events(/** @type {Turn} */ { text, tools = [], tokens = 100 }, /** @type {string} */ id) {
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  yield ['message_start', { message: { ...message, usage: { input_tokens: tokens, output_tokens: 0 } } }];
  let index = 0;
  if (text !== undefined) {
    yield ['content_block_start', { index, content_block: { type: 'text', text: '' } }];
    for (const piece of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      yield ['content_block_delta', { index, delta: { type: 'text_delta', text: piece } }];
    }
    yield ['content_block_stop', { index: index++ }];
  }
  for (const { name, input } of tools) {
    yield [
      'content_block_start',
      { index, content_block: { type: 'tool_use', id: `toolu_${id}_${index}`, name, input: {} } },
    ];
    yield ['content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } }];
    yield ['content_block_stop', { index: index++ }];
  }
  const stop_reason = tools.length > 0 ? 'tool_use' : 'end_turn';
  yield ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } }];
  yield ['message_stop', {}];
}
