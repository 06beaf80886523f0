// The model: the Anthropic Messages API, streamed. With no key it is the scripted server beside this file, over the same client.
import Anthropic from '@anthropic-ai/sdk';
import { startScriptedModel } from './scripted-model.mjs';

/** @typedef {{ agent: string, model?: string, system: string, messages: any[], tools: any[], onText?: (text: string) => Promise<void>, signal?: AbortSignal }} Question */

/**
 * ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL, where set) decide who answers.
 * @param {{ scenario: string, model?: string }} options
 */
export async function openModel({ scenario, model: name = process.env.ANTHROPIC_MODEL ?? 'claude-sonnet-5' }) {
  const scripted = process.env.ANTHROPIC_API_KEY ? undefined : await startScriptedModel(scenario);
  const client = new Anthropic(scripted ? { apiKey: 'scripted', baseURL: scripted.url, maxRetries: 0 } : {});
  return {
    name,
    scripted: scripted !== undefined,
    /** One assistant message: the whole of it, its content blocks, its text, and how many tokens the conversation has. */
    async reply(/** @type {Question} */ { agent, model = name, system, messages, tools, onText, signal }) {
      const stream = client.messages.stream(
        { model, max_tokens: 4096, system, messages, tools, metadata: { user_id: agent } },
        { signal },
      );
      for await (const event of stream) {
        if (onText && event.type === 'content_block_delta' && event.delta.type === 'text_delta')
          await onText(event.delta.text);
      }
      const message = await stream.finalMessage();
      const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return {
        message,
        content: message.content,
        text,
        tokens: message.usage.input_tokens + message.usage.output_tokens,
      };
    },
    close: async () => scripted?.close(),
  };
}
