import { readFileSync } from 'node:fs';
import type { ParseError } from 'jsonc-parser';
import { HookscopeError } from '../errors.js';

/** Reads a JSON file. Rejects with FILE: it cannot be read, or at which line and column it is not JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  return parseJson(readText(file), file);
}

/** Throws FILE. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new HookscopeError('FILE', { file, problem: PROBLEMS[code ?? ''] ?? message }, { cause: error });
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read by you',
};

/** Parses text as JSON; `file` is what errors name. A byte order mark is passed over. Rejects with FILE. */
export async function parseJson(text: string, file: string): Promise<unknown> {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new HookscopeError(
      'FILE',
      { file, problem: `is not JSON: ${await whereWrong(json, error)}` },
      { cause: error },
    );
  }
}

/** The parser of Node does not always say where. */
async function whereWrong(json: string, error: unknown): Promise<string> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (!first) return (error as Error).message;
  const before = json.slice(0, first.offset).split('\n');
  const what = printParseErrorCode(first.error).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `line ${before.length}, column ${(before.at(-1) as string).length + 1}:${what}`;
}
