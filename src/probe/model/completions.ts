import { isObject } from '../../values/shape.js';
import { list, type ModelApi, sendEvents, text } from './api.js';

/** OpenAI's Chat Completions API, which Copilot uses. */
export const completions: ModelApi = {
  path: /\/chat\/completions$/,
  tools: ({ tools }) => list(tools).map(({ function: f }) => text(isObject(f) ? f['name'] : '')),
  results: ({ messages }) =>
    list(messages)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => text(content)),
  said: ({ messages }) => text(list(messages).filter(({ role }) => role === 'user')),
  answer(response, said, { model }) {
    const delta =
      typeof said === 'string'
        ? { role: 'assistant', content: said }
        : {
            role: 'assistant',
            content: null,
            tool_calls: said.map(({ id, tool, input }, index) => ({
              index,
              id,
              type: 'function',
              function: { name: tool, arguments: JSON.stringify(input) },
            })),
          };
    const chunk = (part: object, finish_reason: string | null): object => ({
      id: 'chatcmpl',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta: part, finish_reason }],
    });
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    sendEvents(response, [
      [undefined, chunk(delta, null)],
      [undefined, { ...chunk({}, typeof said === 'string' ? 'stop' : 'tool_calls'), usage }],
      [undefined, '[DONE]'],
    ]);
  },
};
