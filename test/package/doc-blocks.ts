/** One fenced block of a Markdown file. */
export interface Block {
  /** Relative to the repository. */
  readonly file: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly lang: string;
  /** The rest of the info string: `no-run`, `continued`, `file=guard.sh`, `of=codex` (that agent's file), `exit=2`, `cwd=repo`. */
  readonly words: readonly string[];
  readonly text: string;
  /** The `text` block directly after it, which is what it prints. */
  readonly prints?: string;
  /** Of the `<!-- no-run: … -->` before it. */
  readonly reason?: string;
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*(\S*)\s*(.*)$/;
const REASON = /^\s*<!--\s*no-run:\s*(.+?)\s*-->\s*$/;
export const RUN_LANGUAGES = { ts: 'ts', js: 'js', sh: 'shell', bash: 'shell', console: 'shell' } as const;
const DATA_LANGUAGES = ['json', 'jsonl'];
const SHOWN_LANGUAGES = ['text', 'mermaid', 'md', 'yaml', 'toml', 'http', 'diff'];

/** The value of a `name=value` word of the info string. */
export function word(block: Block, name: string): string | undefined {
  return block.words.find((w) => w.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The blocks of one document, in order. A `text` block that belongs to the block before it is not listed on its own. */
export function blocksOf(file: string, markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let above: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const open = FENCE.exec(lines[at] as string);
    if (open === null) {
      if (lines[at]?.trim()) above.push(lines[at] as string);
      continue;
    }
    const [, indent = '', fence = '', lang = '', rest = ''] = open;
    const end = lines.findIndex(
      (l, i) => i > at && l.trim().startsWith(fence) && l.trim().replaceAll(fence[0] as string, '') === '',
    );
    const body = lines
      .slice(at + 1, end === -1 ? undefined : end)
      .map((l) => l.slice(Math.min(indent.length, l.search(/\S|$/))));
    const text = body.join('\n');
    const previous = blocks.at(-1);
    if (lang === 'text' && previous !== undefined && previous.lang in RUN_LANGUAGES && isCaption(above)) {
      blocks[blocks.length - 1] = { ...previous, prints: text };
    } else {
      const reason = REASON.exec(above.at(-1) ?? '')?.[1];
      const words = rest.split(/\s+/).filter((w) => w !== '');
      blocks.push({ file, line: at + 1, lang, words, text, ...(reason === undefined ? {} : { reason }) });
    }
    above = [];
    at = end === -1 ? lines.length : end;
  }
  return blocks;
}

/** Nothing, or one line that announces what is printed: "It prints:". */
function isCaption(above: readonly string[]): boolean {
  return above.length === 0 || (above.length === 1 && above[0]?.trimEnd().endsWith(':') === true);
}

/** What is wrong with a block before anything runs. */
export function problemsOf(block: Block): string[] {
  const problems: string[] = [];
  const known = [...Object.keys(RUN_LANGUAGES), ...DATA_LANGUAGES, ...SHOWN_LANGUAGES];
  if (!known.includes(block.lang)) problems.push(`unknown language "${block.lang}"; use one of ${known.join(', ')}`);
  if (block.words.includes('no-run') && block.reason === undefined) {
    problems.push('no-run needs its reason on the line before the block: <!-- no-run: why -->');
  }
  const unknown = block.words.filter((w) => !/^(?:no-run|continued|file=.+|of=[a-z]+|exit=\d+|cwd=repo)$/.test(w));
  if (unknown.length > 0) problems.push(`unknown words after the language: ${unknown.join(' ')}`);
  const documents = block.lang === 'json' ? [block.text] : block.lang === 'jsonl' ? block.text.trim().split('\n') : [];
  for (const document of documents) {
    try {
      JSON.parse(document);
    } catch (error) {
      problems.push(`not JSON: ${(error as Error).message}`);
    }
  }
  return problems;
}

/** Whether `actual` is what is shown. A `…` stands for any text within a line, a line of nothing else for any lines. */
export function printed(expected: string, actual: string): boolean {
  const tidy = (text: string): string[] =>
    text
      .trimEnd()
      .split('\n')
      .map((l) => l.trimEnd());
  const pattern = tidy(expected)
    .map((line) => (line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${line.split('…').map(literal).join('[^\\n]*')}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${tidy(actual).join('\n')}\n`);
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
