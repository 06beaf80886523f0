import { isObject } from '../../values/shape.js';
import { type CodeText, closing, literalAt, UNKNOWN } from './code-text.js';

/** Something that a Python or JavaScript program prints, as far as its text shows. */
export interface PrintedOutput {
  readonly start: number;
  readonly end: number;
  readonly stream: 'stdout' | 'stderr';
  /** The answer, with UNKNOWN for values known only at run time; undefined if it is plain text. */
  readonly answer: Readonly<Record<string, unknown>> | undefined;
}

/** Keys that identify an object as an answer. */
export const ANSWER_KEYS: ReadonlySet<string> = new Set([
  'continue',
  'decision',
  'reason',
  'hookSpecificOutput',
  'systemMessage',
  'permissionDecision',
  'stopReason',
]);

const PRINTS = {
  python: /(?<![\w.])(print|sys\.(?:__)?(stdout|stderr)(?:__)?\.write|json\.dump)\s*\(/g,
  javascript:
    /(?<![\w.])(console\.(?:log|info|error|warn)|(?:process\.)?(stdout|stderr)\.write|(?:fs\.)?writeSync)\s*\(/g,
};
const JSON_OF = { python: /^\s*json\.dumps\s*\(/, javascript: /^\s*JSON\.stringify\s*\(/ };

/** Everything that a program prints, in the order of the code. */
export function printedBy(text: CodeText): PrintedOutput[] {
  return [...text.code.matchAll(PRINTS[text.language])].flatMap((match): PrintedOutput[] => {
    const open = match.index + match[0].length - 1;
    const close = closing(text, open);
    if (close === undefined) return [];
    const place = { start: match.index, end: close + 1 };
    const stream = streamOf(match, text.code.slice(open + 1, close));
    if (stream === undefined) return [];
    const from = match[1]?.endsWith('writeSync') ? text.code.indexOf(',', open) + 1 : open + 1;
    const said = saidAt(text, from, match[1] === 'json.dump');
    return said === undefined ? [] : [{ ...place, stream, answer: said.answer }];
  });
}

function streamOf(
  [, name = '', named]: RegExpExecArray | RegExpMatchArray,
  inside: string,
): PrintedOutput['stream'] | undefined {
  if (named !== undefined) return named as PrintedOutput['stream'];
  if (name === 'print' || name === 'json.dump') {
    const file =
      name === 'print' ? /\bfile\s*=\s*([\w.]+)/.exec(inside)?.[1] : /,\s*([\w.]+)\s*(,|$)/.exec(inside)?.[1];
    if (file === undefined) return name === 'print' ? 'stdout' : undefined;
    return file === 'sys.stderr' ? 'stderr' : file === 'sys.stdout' ? 'stdout' : undefined;
  }
  if (name.endsWith('writeSync')) {
    const fd = /^\s*(?:process\.)?(\w+)(?:\.fd)?\s*,/.exec(inside)?.[1];
    return fd === '1' || fd === 'stdout' ? 'stdout' : fd === '2' || fd === 'stderr' ? 'stderr' : undefined;
  }
  return /error|warn/.test(name) ? 'stderr' : 'stdout';
}

/** The answer or plain text printed at an offset; undefined if it is known only at run time. */
function saidAt(text: CodeText, from: number, isData: boolean): Pick<PrintedOutput, 'answer'> | undefined {
  const call = isData ? '' : (JSON_OF[text.language].exec(text.code.slice(from))?.[0] ?? undefined);
  if (call !== undefined) {
    const answer = answerAt(text, from + call.length);
    return answer && { answer };
  }
  const value = literalAt(text, from)?.value;
  if (typeof value !== 'string') {
    // An interpolated string that begins with text is plain text.
    return value === UNKNOWN && /^\s*(?:[fF]["']|`)\s*[^${`"']/.test(text.source.slice(from))
      ? { answer: undefined }
      : undefined;
  }
  const words = value.trim();
  if (words === '') return undefined;
  if (!words.startsWith('{')) return { answer: undefined };
  const answer = parsed(words);
  return answer && { answer };
}

function parsed(words: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(words);
    return isAnswer(data) ? data : undefined;
  } catch {
    // Not complete JSON: probably the first part of an answer that is printed in parts.
    return undefined;
  }
}

/** The answer at an offset or, if there is a variable, the answer last assigned to it. */
function answerAt(text: CodeText, from: number): Readonly<Record<string, unknown>> | undefined {
  const name = /^\s*([A-Za-z_$][\w$]*)\s*[,)]/.exec(text.code.slice(from))?.[1];
  if (name === undefined) {
    const value = literalAt(text, from)?.value;
    return isAnswer(value) ? value : undefined;
  }
  const given = [
    ...text.code
      .slice(0, from)
      .matchAll(new RegExp(`(?<![\\w.$])${name.replaceAll('$', '\\$')}\\s*(?::[^=\\n]{1,200})?=(?!=)\\s*(?=\\{)`, 'g')),
  ].at(-1);
  const value = given && literalAt(text, given.index + given[0].length)?.value;
  return isAnswer(value) ? value : undefined;
}

function isAnswer(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.keys(value).some((key) => ANSWER_KEYS.has(key));
}

/** The answers that a program prints and, if it serialises JSON, object literals that are returned or passed to a function and look like answers. */
export function answersIn(
  text: CodeText,
): readonly { readonly start: number; readonly end: number; readonly answer: Readonly<Record<string, unknown>> }[] {
  const direct = printedBy(text).flatMap(({ start, end, stream, answer }) =>
    answer && stream === 'stdout' ? [{ start, end, answer }] : [],
  );
  if (!/json\.dumps?\s*\(|JSON\.stringify\s*\(/.test(text.code)) return direct;
  const others = [...text.code.matchAll(/(?<![\w$.])(?:return|[A-Za-z_$][\w$]*\s*\()\s*(?=\{)/g)].flatMap((match) => {
    const start = match.index + match[0].length;
    const found = literalAt(text, start);
    // Part of an answer that was found already.
    if (!found || !isAnswer(found.value) || direct.some((one) => one.start <= start && found.end <= one.end)) return [];
    return 'hookSpecificOutput' in found.value ? [{ start, end: found.end, answer: found.value }] : [];
  });
  return [...direct, ...others];
}

/** Makes an answer checkable: values known only at run time are filled in if they are required and omitted otherwise. */
export function judgeable(value: unknown, key: string, event: string): unknown {
  if (value === UNKNOWN)
    return key === 'hookEventName' ? event : /reason|message|context/i.test(key) ? 'text' : undefined;
  if (Array.isArray(value)) return value.map((item) => judgeable(item, '', event)).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, judgeable(part, name, event)] as const);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined));
}
