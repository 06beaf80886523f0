import { type OptionTable, pastOptions } from './options.js';

export interface Interpreter extends OptionTable {
  /** Names that no other file can stand for: `node x` may run x.js, and `python3 x` a folder. Undefined: all. */
  readonly exact?: RegExp;
}

const NODE: Interpreter = {
  names: /^node$/,
  flags:
    /^(?:--|-c|--(?:check|watch|enable-source-maps|inspect(?:-brk)?|expose-gc|preserve-symlinks(?:-main)?|(?:throw|pending)-deprecation)|--no-[\w-]+|--trace-(?:warnings|deprecation|uncaught)|--experimental-(?:strip-types|transform-types|vm-modules|wasm-modules|sqlite)|--(?!eval=|print=)[\w-]+=.*)$/s,
  valued:
    /^(?:-r|--require|--import|--(?:experimental-)?loader|-C|--conditions|--title|--input-type|--env-file(?:-if-exists)?|--(?:redirect|disable)-warnings?|--unhandled-rejections)$/,
  code: /^(?:-e|-p|-pe|--eval|--print)$/,
  exact: /\.[cm]?[jt]s$/,
};

/** Only certain scripts are found here; `trust/named` also finds possible ones. */
const INTERPRETERS: readonly Interpreter[] = [
  {
    names: /^(?:ba|da|z|k)?sh$/,
    flags: /^(?:[-+][abefhiklmnpruvxBCEHPT]+|--(?:login|norc|noprofile|noediting|posix|restricted|verbose)?)$/,
    valued: /^(?:[-+][abcefhiklmnpruvxBCEHPT]*[oO][abcefhiklmnpruvxBCEHPT]*|--rcfile|--init-file)$/,
    code: /^-[abd-zA-Z]*c[a-zA-Z]*$/,
  },
  {
    names: /^fish$/,
    flags: /^(?:-[ilnNP]+|--(?:login|interactive|no-config|private)?)$/,
    code: /^(?:-[abd-zA-Z]*c[a-zA-Z]*|--command)$/,
  },
  {
    names: /^python[\d.]*$|^pypy3?$/,
    flags: /^(?:-[bBdEiIOPqRsSuvx]+|-[bBdEiIOPqRsSuvx]*[WX].+|--)$/,
    valued: /^(?:-[bBdEiIOPqRsSuvx]*[WX]|--check-hash-based-pycs)$/,
    code: /^-[bBdEiIOPqRsSuvx]*c$/,
    exact: /\.py$/,
  },
  NODE,
  {
    ...NODE,
    names: /^(?:tsx|ts-node)$/,
    valued: new RegExp(`${NODE.valued?.source}|^(?:--tsconfig|-P|--project)$`),
    exact: /\.[cm]?tsx?$/,
  },
  {
    names: /^bun$/,
    flags: /^(?:run|-[bi]|--(?:silent|smol|hot|watch|bun)|--(?!eval=|print=)[\w-]+=.*)$/s,
    valued: /^(?:-r|--preload|--cwd|--env-file|--tsconfig-override|-d|--define|--conditions)$/,
    folder: /^--cwd/,
    code: /^(?:-[ep]|--eval|--print)$/,
    exact: /\.[cm]?tsx?$/,
  },
  {
    names: /^deno$/,
    flags:
      /^(?:run|-[ApqrREINSW]+|--(?:allow|deny)-\w+|--(?:quiet|check|reload|cached-only)|--no-[\w-]+|--unstable-[\w-]+|--[\w-]+=.*|-[REINSW]=.*)$/s,
    valued: /^(?:-c|--config|--import-map|--lock|--cert|--location|--seed|-L|--log-level|--ext)$/,
    code: /^eval$/,
  },
  {
    names: /^uv$/,
    flags:
      /^(?:run|--|-[nqsv]+|--(?:quiet|verbose|script|isolated|frozen|locked|offline|exact|dev|all-extras)|--no-(?:cache|config|project|sync|dev|progress)|--[\w-]+=.*)$/s,
    valued:
      /^(?:-p|--python|--with(?:-requirements|-editable)?|--directory|--project|--extra|--group|--package|--env-file)$/,
    folder: /^--directory/,
    exact: /\.py$/,
  },
  { names: /^(?:\.|source)$/, flags: /^--$/ },
  {
    names: /^perl$/,
    flags: /^-(?:-|[aflnpstTwWX\d]+|[aflnpstTwWX\d]*(?:i(?:\.\w+|~)?|[FIMm].+|C\w*))$/s,
    valued: /^-[aflnpstTwWX\d]*I$/,
    code: /^-[aflnpstTwWX\d]*[eE]$/,
  },
  {
    names: /^ruby$/,
    flags: /^-(?:-|[alnpsvwW\d]+|[EFIr].+|-[\w-]+=.*)$/s,
    valued: /^-[EIr]$/,
    code: /^-[alnpsvwW\d]*e$/,
  },
  {
    names: /^php$/,
    flags: /^-(?:[nq]+|d.+)$/s,
    valued: /^-[cd]$/,
    code: /^(?:-[nq]*[BERr]|--(?:run|process-begin|process-code|process-end))$/,
  },
  { names: /^lua$/, flags: /^-[ivEW]$/, valued: /^-l$/, code: /^-e$/ },
  { names: /^Rscript$/, flags: /^--(?:vanilla|verbose|no-[\w-]+)$/, code: /^-e$/ },
  // These read all of their words by themselves.
  { names: /^(?:pwsh|powershell|su|ssh|jq|envsubst|sed|g?awk|e?grep)$/ },
];

export const readerOf = (name: string): Interpreter | undefined => INTERPRETERS.find(({ names }) => names.test(name));

/** A word that an interpreter runs. Behind an option that is not known, it and all that follow may be anything. */
export interface Operand {
  readonly at: number;
  readonly kind: 'code' | 'script' | 'unknown';
}

/** What an interpreter runs of the words from an index on: code, of which there may be several words, or a script. What follows belongs to the script. */
export function operandsOf(words: readonly (string | undefined)[], start: number, reader: Interpreter): Operand[] {
  const found: Operand[] = [];
  for (let from = start; from < words.length; from++) {
    const { at, isKnown } = pastOptions(words, from, reader);
    if (!isKnown) return [...found, { at, kind: 'unknown' }];
    const isCode = words.slice(from, at).some((word = '') => reader.code?.test(word));
    if (at >= words.length || (!isCode && found.length > 0)) return found;
    found.push({ at, kind: isCode ? 'code' : 'script' });
    if (!isCode) return found;
    from = at;
  }
  return found;
}
