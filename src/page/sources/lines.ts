/** The longest line; longer ones are not our records. */
const LONGEST = 256 * 1024 * 1024;
/** Milliseconds of work before the browser may handle the user's input. */
const TURN = 30;

/** Takes the lines of a stream, one after the other, until `isEnough`. With `open`, text without a line end counts as the last line. The page keeps reacting to input meanwhile. */
export async function eachLine(
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
  { open = false, isEnough = () => false }: { readonly open?: boolean; readonly isEnough?: () => boolean } = {},
): Promise<void> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = '';
  let since = performance.now();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = rest + (value === undefined ? '' : decoder.decode(value, { stream: true }));
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        take(text.slice(from, text[end - 1] === '\r' ? end - 1 : end));
        from = end + 1;
        if (isEnough()) return;
        if (performance.now() - since > TURN) {
          await turn();
          since = performance.now();
        }
      }
      rest = text.slice(from);
      if (rest.length > LONGEST) throw new RangeError('a line is longer than a record can be');
      if (done) break;
    }
  } finally {
    // Tells the sender that nobody reads any more.
    reader.cancel().catch(() => undefined);
  }
  if (open && rest !== '') take(rest);
}

/** Lets the browser do other work. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** JSON as it was before `hookscope page` escaped it for an element, since text is searched as it was recorded. */
export const outOfScript = (json: string): string =>
  json.replace(/\\(?:u003c|.)/g, (found) => (found === '\\u003c' ? '<' : found));
