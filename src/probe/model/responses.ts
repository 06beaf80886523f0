import { list, type ModelApi, type ModelCall, sendEvents, text } from './api.js';

const USAGE = {
  input_tokens: 10,
  input_tokens_details: null,
  output_tokens: 5,
  output_tokens_details: null,
  total_tokens: 15,
};

const callItem = ({ id, tool, input, namespace }: ModelCall): object => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: tool,
  arguments: JSON.stringify(input),
  ...(namespace === undefined ? {} : { namespace }),
});

const textItem = (said: string): object => ({
  type: 'message',
  role: 'assistant',
  id: 'msg',
  content: [{ type: 'output_text', text: said }],
});

/** OpenAI's Responses API, which Codex uses. */
export const responses: ModelApi = {
  path: /\/responses$/,
  tools: ({ tools }) => list(tools).map(({ name, type }) => text(name ?? type)),
  results: ({ input }) =>
    list(input)
      .filter(({ type }) => /_call_output$/.test(text(type)))
      .map(({ output }) => text(output)),
  said: ({ input }) => text(list(input).filter(({ role }) => role === 'user')),
  answer(response, said) {
    const items = typeof said === 'string' ? [textItem(said)] : said.map(callItem);
    sendEvents(response, [
      ['response.created', { type: 'response.created', response: { id: 'resp' } }],
      ...items.map((item) => ['response.output_item.done', { type: 'response.output_item.done', item }] as const),
      ['response.completed', { type: 'response.completed', response: { id: 'resp', usage: USAGE } }],
    ]);
  },
};
