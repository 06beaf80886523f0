import { isObject } from '../../values/shape.js';
import { argsOf, expand, type FoundCommand } from './shell.js';

/** The text that a command prints; undefined if it is known only at run time. */
export function stdoutOf(command: FoundCommand): string | undefined {
  const words = argsOf(command).map((word) => expand(word, {}));
  switch (command.name) {
    case 'echo':
      return words.length === 1 ? words[0] : undefined;
    case 'printf':
      return words.length === 2 && /^%s(\\n)?$/.test(words[0] ?? '')
        ? words[1]
        : words.length === 1 && !/%/.test(words[0] ?? '%')
          ? words[0]
          : undefined;
    case 'cat': {
      const here = command.node.redirects.find((redirect) => redirect.type === 'HereDoc');
      const isPlain =
        here?.delimiter?.quoted === true || (here?.body.parts ?? []).every(({ type }) => type === 'Literal');
      return here && isPlain && words.length === 0 ? here.body.text : undefined;
    }
    default:
      return undefined;
  }
}

/** The JSON object that a command prints, to either stream; undefined if it prints something else or it is known only at run time. */
export function printedAnswer(command: FoundCommand): Readonly<Record<string, unknown>> | undefined {
  const printed = stdoutOf(command)?.trim();
  if (printed === undefined || !printed.startsWith('{') || !printed.endsWith('}')) return undefined;
  try {
    const value: unknown = JSON.parse(printed);
    return isObject(value) ? value : undefined;
  } catch {
    // A template or plain text.
    return undefined;
  }
}

/** Whether a command prints plain text. */
export function printedText(command: FoundCommand): boolean {
  if (!/^(echo|printf)$/.test(command.name)) return false;
  const [first] = argsOf(command).filter((word) => !/^-[neE]+$/.test(word.text));
  return first !== undefined && /^["']?[^{"'$\s[]/.test(first.text) && !/^["']?%/.test(first.text);
}
