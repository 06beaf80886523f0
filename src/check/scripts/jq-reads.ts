import type { FieldRead } from './field-reads.js';
import { argsOf, expand, type FoundCommand, type Shell } from './shell.js';

/** The fields of a hook's input that `jq` commands read. */
export function jqReads(shell: Shell): FieldRead[] {
  const inputs = inputVariables(shell);
  return shell.commands.flatMap((command) => {
    if (command.name !== 'jq' || !readsInput(command, shell, inputs)) return [];
    const filter = filterOf(command);
    if (filter === undefined) return [];
    return firstFields(filter).map(({ field, below }) => ({
      field,
      below,
      start: command.node.pos,
      end: command.node.end,
      among: filter,
    }));
  });
}

/** Options of jq with the number of their arguments. */
const VALUED: Readonly<Record<string, number>> = {
  '--arg': 2,
  '--argjson': 2,
  '--slurpfile': 2,
  '--rawfile': 2,
  '--indent': 1,
  '-L': 1,
};

/** The filter of a jq command; undefined if it is in a file, jq reads files, or the filter is known only at run time. */
function filterOf(command: FoundCommand): string | undefined {
  const words = argsOf(command).map((word) => expand(word, {}));
  let filter: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (
      word === undefined ||
      /^(-f|--from-file|-n|--null-input|-s|--slurp|-R|--raw-input|--args|--jsonargs|--stream)$/.test(word)
    )
      return undefined;
    if (VALUED[word] !== undefined) at += VALUED[word];
    else if (word.startsWith('-')) {
      if (/^-[a-zA-Z]*[fnsR]/.test(word)) return undefined;
    } else if (filter === undefined) filter = word;
    else return undefined;
  }
  return filter;
}

/** The fields of the input that a filter reads: those in its first stage, before any pipe. */
function firstFields(filter: string): { field: string; below: readonly string[] }[] {
  const text = filter.replace(/"(?:[^"\\]|\\.)*"/g, (string) => (/^"[A-Za-z_]\w*"$/.test(string) ? string : '""'));
  const [stage = ''] = text.split('|');
  // Bindings, tests and constructed values are not analysed.
  const found = stage.matchAll(
    /(?<![\w.\])?"])\.(?:\[?"([A-Za-z_]\w*)"\]?|([A-Za-z_]\w*))\??(?:\.(?:"([A-Za-z_]\w*)"|([A-Za-z_]\w*)))?/g,
  );
  return [...found].map(([, quoted, plain, quotedBelow, plainBelow]) => {
    const below = quotedBelow ?? plainBelow;
    return { field: (quoted ?? plain) as string, below: below === undefined ? [] : [below] };
  });
}

/** Variables that hold the whole standard input: `INPUT=$(cat)`. */
function inputVariables({ nodes, assigned, source }: Shell): ReadonlySet<string> {
  const found = new Set<string>();
  const times = new Map<string, number>();
  for (const { node } of nodes) {
    if (node.type !== 'Assignment') continue;
    times.set(node.name, (times.get(node.name) ?? 0) + 1);
    const value = source.slice(node.pos, node.end).replace(/^\w+=/, '');
    if (/^"?\$\(\s*(?:cat|cat\s+-|cat\s+\/dev\/stdin|<\s*\/dev\/stdin)\s*\)"?$|^"?`cat`"?$/.test(value))
      found.add(node.name);
  }
  if (/(^|[\n;])\s*(IFS=\S*\s+)?read\s+(-r\s+)?(-d\s+''\s+)?INPUT\b/.test(source) && assigned.has('INPUT'))
    found.add('INPUT');
  return new Set([...found].filter((name) => (times.get(name) ?? 0) <= 1));
}

function readsInput(command: FoundCommand, shell: Shell, inputs: ReadonlySet<string>): boolean {
  const here = command.node.redirects.find((redirect) => redirect.operator.startsWith('<'));
  if (here)
    return here.operator === '<<<' && isInput(shell.source.slice(here.pos, here.end).replace(/^<<<\s*/, ''), inputs);
  const pipeline = command.around.findLast(({ type }) => type === 'Pipeline');
  if (pipeline?.type === 'Pipeline') {
    const at = pipeline.commands.findIndex(
      (part) => part === command.node || command.around.includes(part) || within(part, command),
    );
    if (at > 0) {
      const before = pipeline.commands[at - 1];
      const text = before ? shell.source.slice(before.pos, before.end).trim() : '';
      const [, said] = /^(?:echo(?:\s+-[nE]+)?|printf\s+(?:'%s(?:\\n)?'|"%s(?:\\n)?"|%s))\s+(\S+)$/.exec(text) ?? [];
      return (
        at === 1 &&
        (/^cat(\s+-|\s+\/dev\/stdin)?$/.test(text) ||
          (said !== undefined && isInput(said, inputs)) ||
          /^tee(\s+\S+)+$/.test(text))
      );
    }
  }
  // The command reads standard input itself, unless an earlier command has consumed it.
  const earlier = shell.commands.filter(({ node }) => node.pos < command.node.pos);
  return (
    inputs.size === 0 &&
    !earlier.some(({ name }) => /^(cat|read|jq|grep|python3?|node|tee|mapfile|readarray)$/.test(name))
  );
}

const within = (part: { readonly pos: number; readonly end: number }, { node }: FoundCommand): boolean =>
  part.pos <= node.pos && node.end <= part.end;

function isInput(word: string, inputs: ReadonlySet<string>): boolean {
  const name = /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(word.trim())?.[1];
  return name !== undefined && inputs.has(name);
}
