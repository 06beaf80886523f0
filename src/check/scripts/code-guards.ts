import { HOOK_EVENTS } from '../../events/catalogue.js';
import { type CodeText, readCode } from './code-text.js';
import type { ProgramText } from './scripts.js';

/** How many characters back the condition for a place is searched. */
export const FAR = 2000;

/** How many times assignments are evaluated: in a loop, a variable may depend on one that is assigned further down. */
const ROUNDS = 5;

/** Expressions that read the hook's input. */
const READS: Readonly<Record<CodeText['language'], RegExp>> = {
  python: /\bsys\.stdin\b|\binput\(|\bopen\(\s*(0|['"]\/dev\/stdin)/,
  javascript: /\bprocess\.stdin\b|\breadFile(Sync)?\(\s*(0\b|['"]\/dev\/stdin)|\bBun\.stdin\b|\bDeno\.stdin\b/,
};
/** Calls of other programs and servers, whose results are not part of the hook's input. */
const OTHERS: Readonly<Record<CodeText['language'], RegExp>> = {
  python:
    /\b(subprocess|requests|httpx)\.|\bos\.(system|popen)\(|\burllib\.request\b|\burlopen\(|\b(check_output|check_call|Popen|getoutput)\(|(?<![.\w])run\(/,
  javascript:
    /\b(spawn|spawnSync|execSync|execFile|execFileSync|execa|fetch|axios)\b\s*[.(]|(?<![.\w])exec\(|(?<!\w)\$`|\bhttps?\.(get|request)\(/,
};
/** Calls that read a file, which is not the hook's input unless `READS` matches too. */
const FILES: Readonly<Record<CodeText['language'], RegExp>> = {
  python: /\bopen\(|\.read_(text|bytes)\(/,
  javascript: /\breadFile(Sync)?\(|\bBun\.file\(|\breadTextFile(Sync)?\(|\brequire\(/,
};
/** Expressions that examine a value's content, not only its presence. */
const CONTENT: Readonly<Record<CodeText['language'], RegExp>> = {
  python: /\bin\b|[=!]=|[<>]|\.(startswith|endswith|match|search|fullmatch|findall|finditer)\(/,
  javascript: /\.(includes|startsWith|endsWith|match|test|search|indexOf|some|every|exec|has)\(|[=!]==?|[<>]/,
};
/** Properties with the status of another program or server. */
const FARED = /\.(status|statusCode|status_code|ok|returncode|exitCode|exit_code|http_code)\b/;
/** Tests for the name of the event. */
const EVENTS = new RegExp(`\\bhook_event_name\\b|["'](${HOOK_EVENTS.join('|')})["']`);
/** Comparisons of a length with a small number, which only test whether there is a value. */
const LENGTHS = /\blen\([^()]*\)\s*([=!]=|[<>]=?)\s*\d{1,2}\b|\.length\s*([=!]==?|[<>]=?)\s*\d{1,2}\b/;
/** Tests for the presence or the type of a value. */
const PRESENCE =
  /\btypeof\b|\bisinstance\(|(?<![.\w])type\(|\bis\s+(not\s+)?None\b|\bsys\.argv\b|\bprocess\.(argv|env)\b|\bos\.(path|environ)\b|\bexists(Sync)?\(|[=!]==?\s*(None\b|null\b|undefined\b|''|"")|["'](tool_name|tool_input|command|file_path|session_id|hook_event_name)["']\s+(not\s+)?in\b/;

/** Whether a condition on the hook's input leads to a place in a program, and not an error. */
export function isOnInputIn(text: ProgramText): (at: number) => boolean {
  const code = readCode(text);
  if (code === undefined) return () => false;
  const told = toldIn(code);
  const { language } = code;
  /** Whether a condition is about the content of the hook's input, not only its presence. */
  const asks = (...part: CodeRange): boolean => {
    const condition = code.code.slice(...part);
    const source = code.source.slice(...part);
    const names = condition.match(NAMES) ?? [];
    const isAbout = names.some((name) => told.has(name)) || READS[language].test(condition);
    if (!isAbout || [PRESENCE, LENGTHS, EVENTS].some((one) => one.test(source))) return false;
    return CONTENT[language].test(condition) || names.some((name) => told.get(name) === 'content');
  };
  return (at) => {
    const found = language === 'python' ? aboveIn(code.code, at) : aroundIn(code.code, at);
    if (found === undefined) return false;
    const [start, end] = found;
    const isOther = OTHERS[language].test(code.code.slice(start, end)) || FARED.test(code.code.slice(start, end));
    return !isOther && partsOf(code.code, start, end).some((part) => asks(...part));
  };
}

/** Splits a condition at `&&` and `and`. Each part is judged on its own, since one that tests for presence often guards the next. */
function partsOf(code: string, start: number, end: number): CodeRange[] {
  const parts: CodeRange[] = [];
  let from = start;
  for (const { 0: word, index } of code.slice(start, end).matchAll(/&&|\band\b/g)) {
    parts.push([from, start + index]);
    from = start + index + word.length;
  }
  return [...parts, [from, end]];
}

/** Variables whose value comes from the hook's input. `content`: the value is the result of examining the input. */
function toldIn(of: CodeText): ReadonlyMap<string, 'input' | 'content'> {
  const { code, source, language } = of;
  const told = new Map<string, 'input' | 'content'>();
  const elsewhere = new Set<string>();
  const assigned =
    language === 'python'
      ? /^[ \t]*(?:for[ \t]+)?([\w, \t]+?)[ \t]*(?::[ \t]*\w+[ \t]*)?(?:\+?=(?!=)|\bin\b)[ \t]*(.{1,500})/gm
      : /(?:\b(?:const|let|var)[ \t]+|^[ \t]*|[;{][ \t]*)(\{[^{}]{1,200}\}|\[[^[\]]{1,200}\]|[\w$]+)[ \t]*(?:\+?=(?![=>])|\bof\b)[ \t]*([^;\n]{1,500})/gm;
  const all = [...code.matchAll(assigned)].map(({ 0: whole, 1: names = '', 2: value = '', index }) => {
    const end = index + whole.length;
    const isRead = READS[language].test(value) || READS[language].test(source.slice(end - value.length, end));
    return {
      names: names.match(NAMES) ?? [],
      used: value.match(NAMES) ?? [],
      kind: CONTENT[language].test(value) ? ('content' as const) : ('input' as const),
      isRead,
      isOther: OTHERS[language].test(value) || (!isRead && FILES[language].test(value)),
      isParsed: language === 'javascript' && /\bJSON\.parse\(/.test(value),
    };
  });
  for (let before = -1, round = 0; before < elsewhere.size && round < ROUNDS; round++) {
    before = elsewhere.size;
    for (const { names, used, isRead, isOther } of all)
      if (isOther || (!isRead && used.some((name) => elsewhere.has(name))))
        for (const name of names) elsewhere.add(name);
  }
  // The input may reach `JSON.parse` in ways that are not tracked: a callback, a list of chunks, a function.
  const isReadSomewhere = READS[language].test(code) || all.some(({ isRead }) => isRead);
  for (let before = -1, round = 0; before < told.size && round < ROUNDS; round++) {
    before = told.size;
    for (const { names, used, kind, isRead, isOther, isParsed } of all) {
      if (isOther) continue;
      const isInput = isRead || (isParsed && isReadSomewhere && !used.some((name) => elsewhere.has(name)));
      if (!isInput && !used.some((name) => told.has(name))) continue;
      for (const name of names) if (!told.has(name)) told.set(name, kind);
    }
  }
  return told;
}

const NAMES = /\b[A-Za-z_$][\w$]*/g;

type CodeRange = [start: number, end: number];

/** The `if` condition around an offset in Python. */
function aboveIn(code: string, at: number): CodeRange | undefined {
  const start = startOfLine(code, at);
  const own = /^\s*(?:el)?if\b(.*):[^:]*$/.exec(code.slice(start, at));
  if (own) return within(start, own[0], own[1]);
  for (const [line, start] of blocksAbove(code, at)) {
    const header = /^\s*(?:el)?if\b(.*):\s*$/.exec(line);
    if (header) return within(start, header[0], header[1]);
    if (/^\s*(except|def|class|async|else|finally|case)\b/.test(line)) return undefined;
  }
  return undefined;
}

/** The header lines of the Python blocks around an offset, innermost first, with their offsets. */
export function* blocksAbove(code: string, at: number): Generator<[line: string, start: number]> {
  let start = startOfLine(code, at);
  let indent = indentOf(code.slice(start, at));
  for (const last = Math.max(0, at - FAR); start > last && indent > 0; ) {
    const end = start - 1;
    start = code.lastIndexOf('\n', end - 1) + 1;
    const line = code.slice(start, end);
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    yield [line, start];
  }
}

/** The start of the line at an offset, at most FAR characters back. */
export function startOfLine(code: string, at: number): number {
  const start = Math.max(0, at - FAR);
  return start + code.slice(start, at).lastIndexOf('\n') + 1;
}

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;

function within(start: number, whole: string, part = ''): CodeRange {
  const from = start + whole.indexOf(part);
  return [from, from + part.length];
}

/** The condition before or around an offset in JavaScript. */
function aroundIn(code: string, at: number): CodeRange | undefined {
  const near = code.slice(Math.max(0, at - FAR), at).trimEnd();
  const start = Math.max(0, at - FAR);
  if (near.endsWith('&&')) {
    const from = Math.max(near.lastIndexOf('\n'), near.lastIndexOf(';'), near.lastIndexOf('{')) + 1;
    return [start + from, start + near.length - 2];
  }
  if (near.endsWith(')')) {
    const header = beforeBlock(code, at);
    if (header !== 'loop' && header !== undefined) return header;
  }
  let depth = 0;
  for (let i = at - 1; i >= start; i--) {
    if (code[i] === '}') depth++;
    else if (code[i] === '{' && --depth < 0) {
      const header = beforeBlock(code, i);
      if (header !== 'loop') return header;
      depth = 0;
    }
  }
  return undefined;
}

/** The condition of the `if` before a block or statement; `loop` for other keywords with parentheses. */
function beforeBlock(code: string, brace: number): CodeRange | 'loop' | undefined {
  const head = code.slice(Math.max(0, brace - FAR), brace).trimEnd();
  if (!head.endsWith(')')) return undefined;
  const shift = Math.max(0, brace - FAR);
  let depth = 0;
  for (let i = head.length - 1; i >= 0; i--) {
    if (head[i] === ')') depth++;
    else if (head[i] === '(' && --depth === 0) {
      const word = /\b(if|for|while|await)\s*$/.exec(head.slice(Math.max(0, i - 12), i))?.[1];
      if (word === undefined) return undefined;
      return word === 'if' ? [shift + i + 1, shift + head.length - 1] : 'loop';
    }
  }
  return undefined;
}
