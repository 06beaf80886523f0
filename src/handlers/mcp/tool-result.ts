import { beginning } from '../../emit/redact/total.js';
import { isObject, type Json, show } from '../../values/shape.js';
import { jsonText, messageOf } from '../../values/waiting/promises.js';

/** The part of a tool's answer that a hook reads. */
export interface ToolOutput {
  readonly text: string;
  /** Whether the tool itself reports a failure. */
  readonly isError: boolean;
  /** Whether the answer has other content than text, such as an image. */
  readonly other: boolean;
}

/** How many characters of a wrong value a message quotes. */
const SHOWN = 100;

/** Reads a tool's answer, or returns a string that says why it is not valid. */
export function readToolResult(given: unknown): ToolOutput | string {
  if (typeof given === 'string') return { text: given, isError: false, other: false };
  if (!isObject(given)) return `expected an object, got ${shown(given)}`;
  try {
    return readParts(given);
  } catch (error) {
    // A getter threw, or the data cannot be represented as JSON.
    return `it cannot be read: ${messageOf(error)}`;
  }
}

function readParts({ content, structuredContent, isError }: Json): ToolOutput | string {
  if (!isAbsent(isError) && typeof isError !== 'boolean')
    return `isError: expected true or false, got ${shown(isError)}`;
  if (!isAbsent(structuredContent) && !isObject(structuredContent))
    return `structuredContent: expected an object, got ${shown(structuredContent)}`;
  // The protocol requires `content`. An answer may lack it only if `structuredContent` or `isError` says something instead.
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

/** Some servers write null for absent fields. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const shown = (value: unknown): string => beginning(show(value), SHOWN);
