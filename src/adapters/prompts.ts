type PromptPart = { readonly type: string; readonly text?: unknown };
type PromptMessage = { readonly content: string | readonly PromptPart[] };

/** The text of a prompt, as hooks get it. */
export function wordsOf(asked: readonly PromptMessage[]): string {
  return asked.flatMap(({ content }) => (typeof content === 'string' ? [content] : content.flatMap(text))).join('\n');
}

const text = (part: PromptPart): string[] =>
  WORDS.includes(part.type) && typeof part.text === 'string' ? [part.text] : [];
const WORDS = ['text', 'input_text'];

/** The prompt with the hooks' context above it. `type`: the framework's name of a text part. */
export function withContext<M extends PromptMessage>(
  asked: readonly M[],
  context: readonly string[],
  type: string,
): M[] {
  const [first, ...rest] = asked;
  if (first === undefined || context.length === 0) return [...asked];
  const text = context.join('\n');
  const { content } = first;
  return [
    { ...first, content: typeof content === 'string' ? `${text}\n\n${content}` : [{ type, text }, ...content] },
    ...rest,
  ];
}
