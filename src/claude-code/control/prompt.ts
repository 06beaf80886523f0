import { randomUUID } from 'node:crypto';
import { HookscopeError } from '../../errors.js';
import { isObject, isText, show } from '../../values/shape.js';
import type { Prompt } from './conversation.js';
import { type Json, userMessage } from './wire.js';

/** Throws INVALID_OPTIONS for what can be no prompt. */
export function checkPrompt(prompt: Prompt | AsyncIterable<Prompt>): Prompt | AsyncIterable<Prompt> {
  if (isText(prompt) || isObject(prompt)) return prompt;
  const expected = `expected a text, a user message, or an async iterable of these, got ${show(prompt)}`;
  throw new HookscopeError('INVALID_OPTIONS', { where: 'query(prompt)', expected });
}

/** A user message is sent as it is, with a `uuid` if it has none. */
export function promptMessage(prompt: Prompt): Json {
  if (isText(prompt)) return { ...userMessage(prompt), uuid: randomUUID() };
  if (isObject(prompt) && prompt['type'] === 'user')
    return isText(prompt['uuid']) ? prompt : { ...prompt, uuid: randomUUID() };
  const expected = `expected a text or a message of type "user", got ${show(prompt)}`;
  throw new HookscopeError('INVALID_OPTIONS', { where: 'query(prompt)', expected });
}
