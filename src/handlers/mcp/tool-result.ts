import { beginning } from '../../emit/redact/part.js';
import { isObject, type Json, show } from '../../values/shape.js';
import { jsonText, messageOf } from '../../values/waiting/promises.js';

/** A tool's answer, as far as a hook reads it. */
export interface ToolOutput {
  readonly text: string;
  /** The tool itself says that it failed. */
  readonly isError: boolean;
  /** Something else came with the text, or in its place: a picture, say. */
  readonly other: boolean;
}

/** Characters of a wrong value in a message. */
const SHOWN = 100;

/** Reads what a tool answered, whoever has called it; a text says why it is no answer of a tool. */
export function readToolResult(given: unknown): ToolOutput | string {
  if (typeof given === 'string') return { text: given, isError: false, other: false };
  if (!isObject(given)) return `expected an object, got ${shown(given)}`;
  try {
    return readParts(given);
  } catch (error) {
    // A getter that throws, or data that no JSON can hold.
    return `it cannot be read: ${messageOf(error)}`;
  }
}

function readParts({ content, structuredContent, isError }: Json): ToolOutput | string {
  if (!isAbsent(isError) && typeof isError !== 'boolean')
    return `isError: expected true or false, got ${shown(isError)}`;
  if (!isAbsent(structuredContent) && !isObject(structuredContent))
    return `structuredContent: expected an object, got ${shown(structuredContent)}`;
  // The protocol has content in every answer; what comes without it says something in another way, or nothing that we know.
  if (content === undefined && isAbsent(structuredContent) && isError !== true) return 'content: is missing';
  if (content !== undefined && !Array.isArray(content)) return `content: expected an array, got ${shown(content)}`;
  const parts = (content ?? []) as readonly unknown[];
  const wrong = parts.findIndex((part) => !isPart(part));
  if (wrong >= 0)
    return `content[${wrong}]: expected { type, … }, of type "text" with a text, got ${shown(parts[wrong])}`;
  const texts = (parts as Json[]).flatMap(({ type, text }) => (type === 'text' ? [text as string] : []));
  const text = texts.join('\n');
  const other = parts.length > texts.length;
  const structured = text.trim() === '' && !isAbsent(structuredContent);
  return { text: structured ? (jsonText(structuredContent) ?? '') : text, isError: isError === true, other };
}

const isPart = (part: unknown): boolean =>
  isObject(part) && typeof part['type'] === 'string' && (part['type'] !== 'text' || typeof part['text'] === 'string');

/** Some write null for what they leave out. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const shown = (value: unknown): string => beginning(show(value), SHOWN);
