import { list, type ModelApi, sendEvents, sendJson, text } from './api.js';

const USAGE = { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** Anthropic's Messages API, which Claude Code uses. */
export const messages: ModelApi = {
  path: /\/v1\/messages$/,
  tools: ({ tools }) => list(tools).map(({ name }) => text(name)),
  results: ({ messages: all }) =>
    list(all).flatMap(({ content }) =>
      list(content).flatMap((block) => (block['type'] === 'tool_result' ? [text(block['content'])] : [])),
    ),
  // A subagent's prompt is its first message; later messages may quote it.
  said: ({ messages: all }) => text(list(all)[0]),
  answer(response, said, { model, stream }) {
    const content =
      typeof said === 'string'
        ? [{ type: 'text', text: said }]
        : said.map(({ id, tool, input }) => ({ type: 'tool_use', id: `toolu_${id}`, name: tool, input }));
    const stop_reason = typeof said === 'string' ? 'end_turn' : 'tool_use';
    const message = {
      id: 'msg',
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_sequence: null,
      usage: USAGE,
    };
    if (stream !== true) return sendJson(response, { ...message, stop_reason });
    const sent = (type: string, data: object) => [type, { type, ...data }] as const;
    sendEvents(response, [
      sent('message_start', { message: { ...message, content: [], stop_reason: null } }),
      ...content.flatMap((block, index) => {
        const isText = 'text' in block;
        const delta = isText
          ? { type: 'text_delta', text: block.text }
          : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
        return [
          sent('content_block_start', {
            index,
            content_block: isText ? { ...block, text: '' } : { ...block, input: {} },
          }),
          sent('content_block_delta', { index, delta }),
          sent('content_block_stop', { index }),
        ];
      }),
      sent('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } }),
      sent('message_stop', {}),
    ]);
  },
};
