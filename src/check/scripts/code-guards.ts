import { type CodeText, readCode } from './code-text.js';
import type { ProgramText } from './scripts.js';

/** How far back what decides about a place is looked for. */
const FAR = 2000;

/** How often assignments are read again: a variable may be made of one that is set below it, in a loop. */
const ROUNDS = 5;

/** Where what the hook was told is read. */
const READS: Readonly<Record<CodeText['language'], RegExp>> = {
  python: /\bsys\.stdin\b|\binput\(|\bopen\(0/,
  javascript: /\bprocess\.stdin\b|\breadFileSync\(\s*(0\b|['"])|\bBun\.stdin\b|\bDeno\.stdin\b|\bJSON\.parse\(/,
};
/** It is looked at more closely than whether it is there. */
const CONTENT: Readonly<Record<CodeText['language'], RegExp>> = {
  python: /\bin\b|[=!]=|[<>]|\.(startswith|endswith|match|search|fullmatch|findall|finditer)\(/,
  javascript: /\.(includes|startsWith|endsWith|match|test|search|indexOf|some|every|exec|has)\(|[=!]==?|[<>]/,
};
/** It is asked whether there is any, or of which type it is. */
const PRESENCE =
  /\btypeof\b|\bisinstance\(|\bis\s+(not\s+)?None\b|\bsys\.argv\b|\bprocess\.(argv|env)\b|\bos\.(path|environ)\b|\bexists(Sync)?\(|[=!]==?\s*(None\b|null\b|undefined\b|''|"")|["'](tool_name|tool_input|command|file_path|session_id|hook_event_name)["']\s+(not\s+)?in\b/;

/** Whether a place of a program is reached because of what the hook was told, and not because something went wrong. */
export function isOnInputIn(text: ProgramText): (at: number) => boolean {
  const code = readCode(text);
  if (code === undefined) return () => false;
  const told = toldIn(code);
  const content = CONTENT[code.language];
  return (at) => {
    const found = code.language === 'python' ? aboveIn(code.code, at) : aroundIn(code.code, at);
    if (found === undefined) return false;
    const condition = code.code.slice(...found);
    const names = condition.match(/\b[A-Za-z_$][\w$]*/g) ?? [];
    const isAbout = names.some((name) => told.has(name)) || READS[code.language].test(condition);
    if (!isAbout || PRESENCE.test(code.source.slice(...found))) return false;
    return content.test(condition) || names.some((name) => told.get(name) === 'content');
  };
}

/** Variables that hold what the hook was told; `content`: what was found in it. */
function toldIn({ code, language }: CodeText): ReadonlyMap<string, 'input' | 'content'> {
  const told = new Map<string, 'input' | 'content'>();
  const assigned =
    language === 'python'
      ? /^[ \t]*(?:for[ \t]+)?([\w, \t]+?)[ \t]*(?::[ \t]*\w+[ \t]*)?(?:\+?=(?!=)|\bin\b)[ \t]*(.{1,500})/gm
      : /(?:\b(?:const|let|var)[ \t]+|^[ \t]*|[;{][ \t]*)(\{[^{}]{1,200}\}|\[[^[\]]{1,200}\]|[\w$]+)[ \t]*(?:\+?=(?![=>])|\bof\b)[ \t]*([^;\n]{1,500})/gm;
  const all = [...code.matchAll(assigned)];
  for (let before = -1, round = 0; before < told.size && round < ROUNDS; round++) {
    before = told.size;
    for (const [, names = '', value = ''] of all) {
      const used = value.match(/\b[A-Za-z_$][\w$]*/g) ?? [];
      if (!READS[language].test(value) && !used.some((name) => told.has(name))) continue;
      const kind = CONTENT[language].test(value) ? 'content' : 'input';
      for (const [name] of names.matchAll(/[A-Za-z_$][\w$]*/g)) if (!told.has(name)) told.set(name, kind);
    }
  }
  return told;
}

type Range = [start: number, end: number];

/** The condition above it, in Python. */
function aboveIn(code: string, at: number): Range | undefined {
  let start = code.lastIndexOf('\n', at - 1) + 1;
  const own = /^\s*(?:el)?if\b(.*):[^:]*$/.exec(code.slice(start, at));
  if (own) return within(start, own[0], own[1]);
  let indent = indentOf(code.slice(start, at));
  for (const last = Math.max(0, at - FAR); start > last && indent > 0; ) {
    const end = start - 1;
    start = code.lastIndexOf('\n', end - 1) + 1;
    const line = code.slice(start, end);
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    const header = /^\s*(?:el)?if\b(.*):\s*$/.exec(line);
    if (header) return within(start, header[0], header[1]);
    if (/^\s*(except|def|class|async|else|finally|case)\b/.test(line)) return undefined;
  }
  return undefined;
}

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].length ?? 0;

function within(start: number, whole: string, part = ''): Range {
  const from = start + whole.indexOf(part);
  return [from, from + part.length];
}

/** The condition before it, or around it, in JavaScript. */
function aroundIn(code: string, at: number): Range | undefined {
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

/** What stands before a block, or a statement: the condition of an `if`. */
function beforeBlock(code: string, brace: number): Range | 'loop' | undefined {
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
