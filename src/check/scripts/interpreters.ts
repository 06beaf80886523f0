import { basename } from 'node:path';

export interface Interpreter {
  readonly names: RegExp;
  /** Options that take code. */
  readonly inline: RegExp;
  /** Options that take another value. */
  readonly valued: RegExp;
  /** What may stand before a script: `bun run x.ts`. */
  readonly verbs?: RegExp;
}

/** Only certain scripts are found here; `trust/named` also finds possible ones. */
const INTERPRETERS: readonly Interpreter[] = [
  { names: /^(ba|da|z|k)?sh$/, inline: /^-[a-z]*c$/, valued: /^(-o|-O|--rcfile|--init-file)$/ },
  { names: /^fish$/, inline: /^(-[a-z]*c|--command)$/, valued: /^(-C|--init-command)$/ },
  { names: /^(pwsh|powershell)$/, inline: /^-c(ommand)?$/i, valued: /^-(ep|ex|executionpolicy|wd|workingdirectory)$/i },
  { names: /^python[\d.]*$|^pypy3?$/, inline: /^-c$/, valued: /^(-W|-X)$/ },
  {
    names: /^(node|tsx|ts-node)$/,
    inline: /^(-e|-p|-pe|--eval|--print)$/,
    valued:
      /^(-r|--require|--import|--(experimental-)?loader|-C|--conditions|--title|--input-type|--env-file(-if-exists)?)$/,
  },
  {
    names: /^(bun|deno|uv)$/,
    inline: /^(-e|eval)$/,
    valued: /^(--with|--python|-p|--directory|--project|--extra|--group|--config|-c)$/,
    verbs: /^run$/,
  },
  { names: /^(\.|source)$/, inline: /^$/, valued: /^$/ },
  { names: /^(ruby|perl|php|Rscript|lua)$/, inline: /^-[er]$/, valued: /^-[I]$/ },
];

export const readerOf = (name: string): Interpreter | undefined => INTERPRETERS.find(({ names }) => names.test(name));

/** The word that an interpreter runs. */
export interface Operand {
  readonly at: number;
  readonly isCode: boolean;
}

/** What an interpreter runs of the words behind it; what follows belongs to the script. A word whose value is unknown counts as a script. */
export function operandOf(words: readonly (string | undefined)[], reader: Interpreter): Operand | undefined {
  for (let at = 0; at < words.length; at++) {
    const value = words[at];
    if (value === '-m' || value === '-') return undefined;
    if (value !== undefined && reader.inline.test(value)) return { at: at + 1, isCode: true };
    if (value !== undefined && reader.valued.test(value)) at++;
    else if (!value?.startsWith('-') && !(at === 0 && reader.verbs?.test(`${value}`))) return { at, isCode: false };
  }
  return undefined;
}

/** What the interpreters among the words of the exec form run: code (`bash -c CODE`) or a script. */
export function operandsIn(words: readonly string[]): readonly Operand[] {
  return words.flatMap((word, i) => {
    const reader = readerOf(basename(word));
    const found = reader && operandOf(words.slice(i + 1), reader);
    return found ? [{ ...found, at: i + 1 + found.at }] : [];
  });
}
