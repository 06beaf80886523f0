import { PROGRAMS, type SecretFlags } from './programs.js';

const NAME = String.raw`(?=[a-z\d])(?:${PROGRAMS.map(({ name }) => name.source).join('|')})|[\w+-]{2,24}\.[eE][xX][eE]`;
/** What is behind a program's name, also in `$(which mysql) -u`, `${MYSQL:-mysql} -u` and `Command::new("mysql").arg("-u")`. */
const BEHIND = String.raw`\\*["'\x60]?[\s,]|[)}]\\*["'\x60]?\s|\\*["']\)\s*[.{]`;
/** The name of a program, or a separator after which another command begins. */
const STEP = String.raw`[|;]|&&|(?<![\\\x60])\r?\n|(?<!\\)\\n|(?<![\w.]|(?<!:)-)(?:${NAME})(?=${BEHIND})`;
const STEPS = new RegExp(STEP, 'g');
/** That, a bracket or a quote; in `'it'\''s'` the one in the middle is no quote, nor is a backquote that continues a line. */
const MARKS = new RegExp(
  String.raw`(?<!\\)(?!(?<=')\\+')\\*["']|(?<![\\\x60])\x60(?!\x60|\r?\n|\\+[rn])|[[\](){}]|${STEP}`,
  'g',
);
const SAME = PROGRAMS.map(({ name }) => new RegExp(`^(?:${name.source})$`));
/** A separator, as opposed to a name. */
const SEPARATES = /^[|;&\\\s]/;
/** How far back a command is read whatever its quotes are, and how far with them. */
const NEAR = 300;
const FAR = 16_384;
/** The most names in a command that are looked at. */
const MOST = 20;
/** The most commands in parentheses or backquotes before it that are. */
const MOST_WITHIN = 8;

/** The programs that a flag may belong to, and the text of their command before the flag. */
interface CommandOfFlag {
  readonly programs: readonly SecretFlags[];
  readonly before: string;
}

/** The commands that a flag at `dash` may belong to: as the text directly before it reads, and as it reads if what is in quotes is an argument. */
export function* commandsOfFlag(text: string, dash: number): Iterable<CommandOfFlag> {
  yield nearCommand(text, dash);
  const command = commandAt(text, dash);
  yield programsIn(command, text, dash);
  for (const one of command.within ?? []) yield programsIn(one, text, dash);
}

function programsIn(command: Command, text: string, dash: number): CommandOfFlag {
  const before = text.slice(Math.max(command.begin, dash - NEAR), dash);
  let named: Command | undefined = command;
  let programs: readonly SecretFlags[] = [];
  for (let i = 0; named !== undefined && i < MOST && programs.length === 0; i++, named = named.before) {
    if (dash - named.at > FAR) break;
    const { said, meant } = wordsBehind(named, text, dash);
    programs = meant.filter((one) => isAround(one, said, before + text.slice(dash, dash + NEAR)));
  }
  return { programs, before };
}

interface CommandWords {
  readonly said: string;
  readonly meant: readonly SecretFlags[];
}
/** What the words of a command mean, which is the same for each flag that is further away. */
const meanings = new WeakMap<Command, CommandWords>();
function wordsBehind(command: Command, text: string, dash: number): CommandWords {
  const isFar = dash >= command.at + NEAR;
  const known = isFar ? meanings.get(command) : undefined;
  if (known !== undefined) return known;
  const said = wordsOf(text.slice(command.at, isFar ? command.at + NEAR : dash));
  const words = { said, meant: command.programs.filter((one) => isSaid(one, said)) };
  if (isFar) meanings.set(command, words);
  return words;
}

/** The words of a command from its program's name on, without arguments in quotes that have several words. */
const wordsOf = (said: string): string =>
  said
    .replace(/^([^\s"']+)["']/, '$1 ')
    .replace(/(?<!\\)(\\*["'])(.*?)(?<!\\)\1/gs, (_, __, word: string) => (/\s/.test(word) ? ' ' : ` ${word} `))
    .replace(/["',]+/g, ' ');
function programsOf(name: string): readonly SecretFlags[] {
  const plain = name.toLowerCase().replace(/\.exe$/, '');
  return PROGRAMS.filter((_, i) => (SAME[i] as RegExp).test(plain));
}
/** Whether a name may also be an argument of another program: before a closing bracket, or that of a file. */
const isDoubtful = (text: string, at: number, behind: number): boolean =>
  /(?:\.exe|[)}])$/i.test(text.slice(at, behind)) || /^\\*["']?[)}]/.test(text.slice(behind, behind + 8));
const isSaid = ({ says }: SecretFlags, said: string): boolean => says === undefined || says.test(said);
const isAround = ({ anywhere }: SecretFlags, said: string, around: string): boolean =>
  anywhere === undefined || anywhere.test(said) || anywhere.test(around);

function nearCommand(text: string, dash: number): CommandOfFlag {
  const reach = text.slice(Math.max(0, dash - NEAR), dash);
  let names: string[] = [];
  let start = 0;
  for (const { 0: word, index } of reach.matchAll(STEPS))
    if (SEPARATES.test(word)) [names, start] = [[], index + word.length];
    else if (isDoubtful(reach, index, index + word.length)) names.unshift(word);
    else names.push(word);
  const before = reach.slice(start);
  // The last name whose conditions hold: `docker` without `login` before the flag does not count.
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const programs = programsOf(name).filter(
      (one) => isSaid(one, before) && isAround(one, before, text.slice(dash, dash + NEAR)),
    );
    if (programs.length > 0) return { programs, before };
  }
  return { programs: [], before };
}

/** A command up to a place in it: the name of a program that is there, and the command up to the name before. */
interface Command {
  readonly begin: number;
  readonly at: number;
  readonly programs: readonly SecretFlags[];
  readonly before?: Command;
  /** The commands in parentheses or backquotes that end before the place: `$(which mysql) -pX`. */
  readonly within?: readonly Command[] | undefined;
}
const begun = (begin: number): Command => ({ begin, at: begin, programs: [] });
/** What has been printed into a command does not make it another one. */
const isSame = (one: Command, other: Command): boolean => one.begin === other.begin && one.at === other.at;
/** The command `outer` behind what others printed into it. Of many, the first and the last ones are kept. */
function behindOutput(outer: Command, others: readonly Command[]): Command {
  const within = [...(outer.within ?? []), ...others.filter(({ programs }) => programs.length > 0)];
  if (within.length > MOST_WITHIN) within.splice(1, within.length - MOST_WITHIN);
  return { ...outer, within };
}

/** Whether a quoted text that ends at `end` is what a command printed, and not the value of a variable or a flag: `"$(which mysql)" -u me`. */
function isOutput(text: string, { begin }: Command, end: number, outer: Command): boolean {
  if (text[end - 1] !== ')' || !text.startsWith('$(', begin)) return false;
  const before = text.slice(Math.max(0, begin - 40), begin);
  return !/=\\*["'`]$/.test(before) && (outer.programs.length === 0 || !/\s-[\w-]+\s+\\*["'`]$/.test(before));
}

/** The part of a text that was read last: where its marks end, and the command there. Flags are looked up in the order of the text. */
let read: { readonly text: string; readonly from: number; readonly marks: readonly [number, Command][] } | undefined;

function commandAt(text: string, dash: number): Command {
  const from = Math.max(0, (Math.floor(dash / FAR) - 1) * FAR);
  if (read?.from !== from || read.text !== text) read = { text, from, marks: commandsIn(text, from, from + 2 * FAR) };
  let [low, high] = [0, read.marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((read.marks[middle] as [number, Command])[0] <= dash) low = middle + 1;
    else high = middle;
  }
  return read.marks[low - 1]?.[1] ?? begun(from);
}

function commandsIn(text: string, from: number, to: number): [number, Command][] {
  const marks = [...text.slice(from, to).matchAll(MARKS)].map(({ 0: sign, index }) => ({ sign, index: from + index }));
  const ends = quotesIn(text, marks);
  const known = new Map<string, readonly SecretFlags[]>();
  const around: { readonly end: number; readonly command: Command; readonly open: Bracket | undefined }[] = [];
  let command = begun(from);
  let open: Bracket | undefined;
  return marks.flatMap(({ sign, index }, i): [number, Command][] => {
    const behind = index + sign.length;
    const end = ends.get(index);
    if (end !== undefined) {
      const outer = command;
      around.push({ end, command, open });
      command = begun(behind);
      open = undefined;
      // A flag directly behind a quote belongs to the command around it: `"mysql", "-pX"`.
      return [
        [behind, outer],
        [behind + 1, command],
      ];
    }
    const opened = around.findLastIndex((one) => one.end === index);
    if (opened >= 0) {
      const { command: outer, open: outerOpen } = around[opened] as (typeof around)[number];
      const last = marks[i - 1];
      const isName = command.programs.length > 0 && last !== undefined && last.index + last.sign.length === index;
      const isWord = isName && /^(?:[A-Za-z]:\\.*|\S+)$/.test(text.slice(command.begin, index));
      open = outerOpen;
      const isKnown = outer.programs.length > 0 && isDoubtful(text, command.at, index);
      const { within = [] } = command;
      if (isWord && !isKnown)
        command = { ...command, begin: outer.begin, before: outer, within: behindOutput(outer, within).within };
      else if (isWord || sign === '`') command = behindOutput(outer, [command]);
      else command = isOutput(text, command, index, outer) ? behindOutput(outer, within) : outer;
      around.length = opened;
    } else if (CLOSING[sign] !== undefined) open = { closing: CLOSING[sign], command, outer: open };
    else if (sign === open?.closing) {
      const { command: outer } = open;
      // `{"command":"mysql"},{"args":["-p"]}`: another item begins.
      if (NEXT.test(text.slice(behind, behind + 100))) command = outer;
      else if (sign === ')' && command !== outer) command = behindOutput(outer, [command]);
      open = open.outer;
    } else if (!isQuote(sign) && !'])}'.includes(sign)) {
      const isEnd = SEPARATES.test(sign);
      if (!isEnd && !known.has(sign)) known.set(sign, programsOf(sign));
      if (isEnd) command = begun(behind);
      else if (
        command.programs.length === 0 ||
        (open?.closing === ')' && isSame(command, open.command)) ||
        !isDoubtful(text, index, behind)
      )
        command = { ...command, at: index, programs: known.get(sign) ?? [], before: command };
    }
    return [[behind, command]];
  });
}

/** A bracket that is open: what closes it, the command before it, and the bracket around it. */
interface Bracket {
  readonly closing: string;
  readonly command: Command;
  readonly outer: Bracket | undefined;
}
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Behind an item: a bracket, a call, or a key other than that of arguments. */
const NEXT = /^(?:\s|\\+[nr])*,(?:\s|\\+[nr])*(?:[[({]|\w[\w.]*\(|(?!\\*["']?arg)\\*["']?[\w.-]+\\*["']?\s*:)/i;
const isQuote = (sign: string): boolean => /["'`]$/.test(sign);
const OPENS = /(?:^|[\s=,:([{@$"'\x60<>|&;]|\s-[A-Za-z])$/;
const CLOSES = /[\s,;:)\]}|&<>"'\x60\\]/;

/** Where quotes open that close again, and where they do. An apostrophe in a word does neither. */
function quotesIn(
  text: string,
  marks: readonly { readonly sign: string; readonly index: number }[],
): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open = new Map<string, number>();
  for (const { sign, index } of marks) {
    if (!isQuote(sign)) continue;
    const from = open.get(sign);
    if (from !== undefined && CLOSES.test(text[index + sign.length] ?? ' ')) {
      ends.set(from, index);
      // What opened in between is text: the quote before `can` in `'{"a":"can'"'"'t"}'`.
      for (const [other, at] of open) if (at >= from) open.delete(other);
    } else if (OPENS.test(text.slice(Math.max(0, index - 3), index))) open.set(sign, index);
  }
  return ends;
}
