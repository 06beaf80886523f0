import { randomUUID } from 'node:crypto';
import { HookscopeError } from '../../../errors.js';
import { checks, isObject, isText, oneOf, type Shape, show } from '../../../values/shape.js';
import { messageOf } from '../../../values/waiting/promises.js';
import { clipped } from '../peer/problem.js';
import { type Json, userMessage } from '../peer/wire.js';

/** A prompt: a text, or a user message as in Claude's SDK. */
export type Prompt = string | Json;

/** Converts a prompt to the client's message, or returns the caller's iterable of prompts. Throws INVALID_OPTIONS for an invalid prompt. */
export function checkPrompt(prompt: Prompt | AsyncIterable<Prompt>): Json | AsyncIterable<Prompt> {
  return isIterable(prompt) ? prompt : promptMessage(prompt);
}

const isIterable = (prompt: unknown): prompt is AsyncIterable<Prompt> =>
  typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt;

/**
 * The message for a prompt, with a `uuid` if it has none. It is copied through JSON, so that exactly what was checked is sent: Claude
 * Code exits when it gets a message with another role, and never answers one with invalid content. Throws INVALID_OPTIONS.
 */
export function promptMessage(prompt: Prompt): Json {
  if (isText(prompt)) return { ...userMessage(prompt), uuid: randomUUID() };
  if (!isObject(prompt))
    throw refused('', `a text, a user message, or an async iterable of these, got ${said(prompt)}`);
  const message = asJson(prompt);
  const wrong =
    wrongIn(message, MESSAGE) ?? wrongIn(message['message'] as Json, INNER, 'message.') ?? wrongBlock(message);
  if (wrong) throw refused(wrong.where, wrong.expected);
  return isText(message['uuid']) ? message : { ...message, uuid: randomUUID() };
}

const orNone = ({ expected, accepts }: Shape[string]): Shape[string] => ({
  expected,
  accepts: (value) => value == null || accepts(value),
});

/** The checked fields of a user message. Other fields are passed on. */
const MESSAGE: Shape = {
  type: oneOf('user'),
  message: { expected: 'an object, { role: "user", content }', accepts: isObject },
  uuid: orNone(checks.text),
  session_id: orNone(checks.text),
  parent_tool_use_id: orNone(checks.textOrNull),
};

const INNER: Shape = {
  role: oneOf('user'),
  content: { expected: 'a text, or an array of content blocks', accepts: (v) => isText(v) || Array.isArray(v) },
};

/** The checked fields of content blocks, by type. Blocks of other types are passed on. */
const BLOCKS: Readonly<Record<string, Shape>> = {
  text: { text: checks.text },
  image: { source: checks.object },
  document: { source: checks.object },
  tool_result: { tool_use_id: checks.text },
};

interface PromptProblem {
  readonly where: string;
  readonly expected: string;
}

function wrongIn(value: Json, shape: Shape, path = ''): PromptProblem | undefined {
  for (const [key, { expected, accepts }] of Object.entries(shape)) {
    if (!accepts(value[key])) return { where: `${path}${key}`, expected: `${expected}, got ${said(value[key])}` };
  }
  return undefined;
}

function wrongBlock({ message }: Json): PromptProblem | undefined {
  const { content } = message as Json;
  if (!Array.isArray(content)) return undefined;
  for (const [i, block] of content.entries()) {
    const where = `message.content[${i}]`;
    if (!isObject(block) || !isText(block['type']))
      return { where, expected: `a content block, an object with a "type", got ${said(block)}` };
    const type = block['type'];
    const wrong = Object.hasOwn(BLOCKS, type) ? wrongIn(block, BLOCKS[type] as Shape, `${where}.`) : undefined;
    if (wrong) return wrong;
  }
  return undefined;
}

function asJson(prompt: Json): Json {
  let made: unknown;
  try {
    made = JSON.parse(JSON.stringify(prompt));
  } catch (error) {
    throw refused('', `a message that can be written as JSON, and this cannot: ${messageOf(error)}`);
  }
  if (isObject(made)) return made;
  throw refused('', `a text or a user message, got an object that is ${said(made)} as JSON`);
}

const said = (value: unknown): string => clipped(show(value), 80);

const refused = (where: string, expected: string): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', {
    where: `query(prompt)${where && `: ${where}`}`,
    expected: `expected ${expected}`,
  });
