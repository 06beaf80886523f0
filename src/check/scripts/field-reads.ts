import { type CodeText, closing } from './code-text.js';

/** A field of the hook's input that a program reads. */
export interface FieldRead {
  readonly field: string;
  /** The keys that are read inside it. */
  readonly below: readonly string[];
  readonly start: number;
  readonly end: number;
  /** The text of the enclosing expression. */
  readonly among: string;
}

const PARSED = {
  python: /(?<![\w.])([A-Za-z_]\w*)\s*(?::[^=\n]{1,200})?=\s*json\.(load|loads)\s*\(/g,
  javascript:
    /(?:(?:const|let|var)\s+)?([A-Za-z_$][\w$]*|\{[^{}]*\})\s*(?::[^=\n]{1,200})?=\s*(?:await\s+)?JSON\.(parse)\s*\(/g,
};
const INPUT =
  /stdin|readFileSync\(\s*(0|["']\/dev\/stdin)|\b(raw|input|data|chunks?|body|payload|buffer|buf|text|json)\b/i;

/** How many characters of a call are examined. */
const LONGEST = 500;

/** The fields that a Python or Node program reads from the JSON on its standard input. */
export function codeReads(text: CodeText): FieldRead[] {
  const { code, source, language } = text;
  const isFromStdin = /stdin|readFileSync\(\s*0/.test(source);
  const parsed = [...code.matchAll(PARSED[language])].flatMap((match) => {
    const open = match.index + match[0].length - 1;
    const close = closing(text, open) ?? code.length;
    const from = source.slice(open + 1, Math.min(close, open + LONGEST));
    return /stdin|\b0\b/.test(from) || (isFromStdin && INPUT.test(from)) ? [{ match, name: match[1] as string }] : [];
  });
  if (parsed.length !== 1) return direct(text);
  const [{ match, name }] = parsed as [(typeof parsed)[number]];
  if (name.startsWith('{')) return taken(text, name, match.index + match[0].indexOf('{'));
  const given = [...code.matchAll(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*=(?!=)`, 'g'))];
  // The variable is assigned more than once, so it may hold something else.
  if (given.length > 1) return [];
  return [...direct(text), ...fieldsOf(text, name)];
}

/** Fields read directly from the parsed input: `JSON.parse(…).command`, `json.load(sys.stdin)["command"]`. */
function direct(text: CodeText): FieldRead[] {
  const { code, source, language } = text;
  const calls = language === 'python' ? /json\.loads?\s*\(/g : /JSON\.parse\s*\(/g;
  return [...code.matchAll(calls)].flatMap((match) => {
    const close = closing(text, match.index + match[0].length - 1);
    if (close === undefined || !/stdin|\(\s*0\b/.test(source.slice(match.index, close))) return [];
    return accessAt(text, close + 1) ?? [];
  });
}

function fieldsOf(text: CodeText, name: string): FieldRead[] {
  const escaped = name.replaceAll('$', '\\$');
  const accesses = [...text.code.matchAll(new RegExp(`(?<![\\w$.])${escaped}(?=\\s*(?:\\?\\.|\\.|\\[))`, 'g'))];
  const found = accesses.flatMap(({ index }) => accessAt(text, index + name.length) ?? []);
  const patterns = [
    ...text.code.matchAll(new RegExp(`(?:const|let|var)\\s+(\\{[^{}]*\\})\\s*=\\s*${escaped}(?![\\w$.[?])`, 'g')),
  ];
  return [
    ...found,
    ...patterns.flatMap((match) => taken(text, match[1] as string, match.index + match[0].indexOf('{'))),
  ];
}

/** A field access at an offset: `.command`, `?.command`, `["command"]`, `.get("command")`, and the access after it. */
function accessAt(text: CodeText, from: number): FieldRead | undefined {
  const first = stepAt(text, from);
  if (!first) return undefined;
  const second = stepAt(text, first.end);
  return {
    field: first.key,
    below: second ? [second.key] : [],
    start: from,
    end: first.end,
    among: statement(text.source, from),
  };
}

function stepAt(
  { code, strings, language }: CodeText,
  from: number,
): { readonly key: string; readonly end: number } | undefined {
  const rest = code.slice(from, from + 200);
  const opened = /^\s*(?:\?\.)?\[\s*|^\s*\.get\(\s*/.exec(rest)?.[0];
  if (opened !== undefined) {
    const string = strings.get(from + opened.length);
    const close = string && /^\s*[\])]|^\s*,[^()]*(?:\(\))?\s*\)/.exec(code.slice(string.end, string.end + 60))?.[0];
    return string?.value !== undefined && close !== undefined
      ? { key: string.value, end: string.end + close.length }
      : undefined;
  }
  if (language === 'python') return undefined;
  const [whole, key] = /^\s*\??\.\s*([A-Za-z_$][\w$]*)(?!\s*\()/.exec(rest) ?? [];
  return whole === undefined || key === undefined || /^[\w$]/.test(rest.slice(whole.length))
    ? undefined
    : { key, end: from + whole.length };
}

/** Fields read by destructuring: `const { command, toolName: name } = …`. */
function taken(text: CodeText, pattern: string, start: number): FieldRead[] {
  return [...pattern.matchAll(/([A-Za-z_$][\w$]*)\s*(?:[:=][^,}]*)?(?=[,}])/g)].map((match) => ({
    field: match[1] as string,
    below: [],
    start: start + match.index,
    end: start + match.index + (match[1] as string).length,
    among: statement(text.source, start),
  }));
}

function statement(source: string, at: number): string {
  const start = Math.max(source.lastIndexOf('\n', at), source.lastIndexOf(';', at)) + 1;
  const end = source.slice(at).search(/[\n;]/);
  return source.slice(start, end < 0 ? source.length : at + end);
}
