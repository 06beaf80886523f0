import { isObject } from '../../values/shape.js';
import { list, type ModelApi, sendEvents, text } from './api.js';

/** Gemini's own API. */
export const generateContent: ModelApi = {
  path: /:(?:streamG|g)enerateContent$/,
  tools: ({ tools }) =>
    list(tools).flatMap(({ functionDeclarations }) => list(functionDeclarations).map(({ name }) => text(name))),
  results: ({ contents }) =>
    list(contents).flatMap(({ parts }) =>
      list(parts).flatMap(({ functionResponse: r }) => (isObject(r) ? [text(r['response'])] : [])),
    ),
  said: ({ contents }) => text(list(contents).filter(({ role }) => role === 'user')),
  answer(response, said) {
    const parts =
      typeof said === 'string'
        ? [{ text: said }]
        : said.map(({ id, tool, input }) => ({ functionCall: { id, name: tool, args: input } }));
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }];
    sendEvents(response, [[undefined, { candidates, usageMetadata }]]);
  },
};
