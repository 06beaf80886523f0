import { blocksAbove, FAR, startOfLine } from './code-guards.js';
import { type CodeText, readCode } from './code-text.js';
import type { ProgramText } from './scripts.js';

/** Whether an offset is in an error handler: `except`, `catch`, `.catch(…)`, `.on('error', …)`. */
export function isHandlerIn(text: ProgramText): (at: number) => boolean {
  const code = readCode(text);
  if (code === undefined) return () => false;
  return (at) => (code.language === 'python' ? isInExcept(code.code, at) : isInCatch(code, at));
}

function isInExcept(code: string, at: number): boolean {
  const isExcept = (line: string): boolean => /^\s*except\b/.test(line);
  if (isExcept(code.slice(startOfLine(code, at), at))) return true;
  for (const [line] of blocksAbove(code, at)) if (isExcept(line)) return true;
  return false;
}

function isInCatch({ code, source }: CodeText, at: number): boolean {
  const start = Math.max(0, at - FAR);
  let depth = 0;
  for (let i = at - 1; i >= start; i--) {
    const letter = code[i] as string;
    if (')]}'.includes(letter)) depth++;
    else if ('([{'.includes(letter) && --depth < 0) {
      depth = 0;
      const head = code.slice(Math.max(0, i - 200), i);
      if (letter === '{' && /\bcatch\s*(\([^()]*\))?\s*$/.test(head)) return true;
      if (letter === '(' && /\.catch\s*$/.test(head)) return true;
      if (letter === '(' && /\.(on|once)\s*$/.test(head) && FAILS.test(source.slice(i, i + 40))) return true;
    }
  }
  return false;
}

const FAILS = /^\(\s*["'`](error|timeout|uncaughtException|unhandledRejection)/;
