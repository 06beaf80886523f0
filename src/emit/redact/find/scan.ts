import { append } from '../../../values/append.js';
import { compiledOnce } from '../compile.js';
import { encodedSecret, fallbackSecret } from './around.js';
import { CALL_NAMES, callSecret, typedSecret } from './calls.js';
import { addressSecret, bearerSecret, netrcSecret, pgpassSecret, urlSecret } from './credentials.js';
import { beginReading } from './effort.js';
import { pathSecret, setSecret } from './fields.js';
import { chapSecret, plainSecret, poolSecret, replacedSecret, unsealSecret } from './formats/accounts.js';
import { pemBlock, puttyKey } from './formats/blocks.js';
import { defaultSecret, fieldSecret, jarSecret, jobSecret } from './formats/forms.js';
import { insertedSecrets, sqlSecret } from './formats/sql.js';
import { lineSecret, SPACED } from './lines.js';
import { sectionSecrets, userSecrets } from './lists.js';
import { namedSecret, pairedSecret, tupleSecret } from './named.js';
import { saidSecret } from './prose.js';
import type { TextSpan } from './quoted.js';
import type { CompiledShapes } from './shapes.js';
import { argumentSecrets, COMMANDS } from './shell/arguments.js';
import { askedSecret, hereSecret, pipedSecret, processSecret, settingSecret } from './shell/commands.js';
import { flagSecret } from './shell/flags.js';
import { wordRest } from './shell/whole.js';
import { composedSecret, tailOf } from './shell/words.js';

const NOTHING: readonly TextSpan[] = [];

/** The secrets found at an index: one, or several as in a list. If there is none: undefined, never an empty list, so that the next function is tried. */
type SecretSpans = TextSpan | readonly TextSpan[] | undefined;
type SpanScan = (text: string, at: number) => SecretSpans;

const isSpan = (found: TextSpan | readonly TextSpan[]): found is TextSpan => typeof found[0] === 'number';

const pipedOrFallback: SpanScan = (text, at) =>
  text[at + 1] === '|' ? fallbackSecret(text, at) : pipedSecret(text, at);

/** The marks of secrets: the characters at which the scan stops, what must be around them, and the function that looks from there. */
const PLACES: readonly (readonly [characters: string, around: string, look: SpanScan])[] = [
  [':', '(?!//)', pgpassSecret],
  [':=>', '(?!//)', namedSecret],
  ['=', '', composedSecret],
  ['-', String.raw`(?<=(?:^|[\s"'\x60(\[,=])-)(?=-?[A-Za-z#])`, flagSecret],
  [',', String.raw`(?<=["'\x60],)(?=\s{0,24}\\{0,4}["'\x60])`, pairedSecret],
  [',', String.raw`(?=\s{0,8}(?:<<)?\\{0,4}")(?<=\{:?[a-z]\w{1,60},)`, tupleSecret],
  ['|', String.raw`(?=[ \t\n\\|])`, pipedOrFallback],
  ['<', '(?=<)', hereSecret],
  ['<', String.raw`(?=\(\s*(?:echo|printf|print|cat)\s)`, processSecret],
  ['{', String.raw`(?<=:\{)(?=(?:PLAIN|CLEAR)[A-Z-]{0,8}\})`, plainSecret],
  ['*', String.raw`(?<=(?:^|[\n"'])[\w.@-]{1,64}\\{0,4}"?[ \t]{1,8}\*)(?=[ \t])`, chapSecret],
  ['"', String.raw`(?=[ \t]{1,8}\\{0,8}"\w)`, poolSecret],
  ['%', '(?=3[dD])', encodedSecret],
  ['?', '(?=[?:])', fallbackSecret],
  ['{', String.raw`(?<=\)[ \t]{0,4}\{)(?=[ \t]{0,4}\\*["'])`, fallbackSecret],
  ['.', String.raw`(?<=[\])!?]\.)(?=val(?:ue)?[ \t]{0,4}[=(])`, setSecret],
  ['\\]', String.raw`(?<=["'\d]\])(?=\\*["']?[ \t]+\\*["'])`, pathSecret],
  [
    '\\]',
    String.raw`(?<=\[[\w.-]{0,40}(?:passwords|secrets|credentials|tokens|keys)\])(?=[ \t]*\r?\n)`,
    sectionSecrets,
  ],
  ['#', String.raw`(?=#(?:vso)?\[)`, jobSecret],
  [':', '(?=:(?:add-mask|set-output|save-state|set-env))', jobSecret],
  ['@', String.raw`(?=(?:tcp|unix)\()`, addressSecret],
  [' \t', SPACED, lineSecret],
];
/** Words that mark a secret, where they begin. */
const WORDS: readonly (readonly [characters: string, rest: string, look: SpanScan])[] = [
  ['Bb', String.raw`earer[ \t]|asic[ \t]|EARER `, bearerSecret],
  ['l', String.raw`ogin\s`, netrcSecret],
  ['m', String.raw`achine\s`, netrcSecret],
  ['Ii', String.raw`dentified[ \t\n\\]|DENTIFIED[ \t\n\\]`, sqlSecret],
  ['Vv', String.raw`(?:ALUES|alues)(?:\s|\\n){0,16}\(`, insertedSecrets],
  ['Pp', String.raw`assword[ \t]{1,8}'|ASSWORD[ \t]{0,8}=?[ \t]{0,8}(?:N?\\*['"]|\(\\*['"])`, sqlSecret],
  ['Ss', String.raw`et[ \t]+password[ \t]|ET[ \t]+PASSWORD[ \t]`, sqlSecret],
  ['P', 'rivate-Lines:', puttyKey],
  ['U', 'nseal Key', unsealSecret],
  ['s', String.raw`[|/,#@!~](?<=[\s"';]s[|/,#@!~])`, replacedSecret],
  ['SsCc', String.raw`et(?:[eE]nv|x)?[ \t]|ecrets?[ \t]|onfig(?:ure)?[ \t]`, settingSecret],
  ...COMMANDS.map(([letter, rest]) => [letter, rest, argumentSecrets] as const),
  ['TF', String.raw`(?:RUE|ALSE)[ \t\\]`, jarSecret],
  ['f', 'orm-data;', fieldSecret],
  ['o', String.raw`r[ \t](?<=[\])][ \t]{1,4}or[ \t])`, fallbackSecret],
  ['c', String.raw`hpasswd:[ \t]*[#\r\n]`, userSecrets],
  [
    'ep',
    String.raw`(?:cho|rintf)[ \t](?<=(?:cmd|[Cc]md|ommand|OMMAND|CMD|eval|ASKPASS|askpass)\\*["']?[ \t]{0,4}[=: \t][ \t]{0,4}\\*["']?(?:e|p)(?:cho|rintf)[ \t])`,
    askedSecret,
  ],
  ['d', String.raw`efault[ \t]{0,2}\(?[ \t]{0,2}\\*["']`, defaultSecret],
  ['HhBbSsPUNWmgoaldicpjwMCKAF', CALL_NAMES, callSecret],
  ['esftpi', String.raw`(?:xp_)?(?:s?end|ill|ype|ress|et_?[vV]al|nput_?[tT]ext)[\w]{0,12}[ \t(]`, typedSecret],
  ['PpMC', String.raw`ass(?:word|phrase|code|wd)[ \t>?\[(]|wd?[ \t]|IN[ \t:]|ot de passe|ontraseña`, saidSecret],
  ['mc', `ot de passe|ontraseña`, saidSecret],
  ['TtSs', String.raw`oken[ \t>?]|ecret[ \t>?]`, saidSecret],
  [
    'AaSsPpEeLlMm',
    String.raw`(?:pi|PI|ccess|ecret|rivate|ncryption|icen[sc]e|aster|igning)[ _-]?[Kk]ey[ \t:=>?]`,
    saidSecret,
  ],
];
const LOOKS = new Map<string, SpanScan[]>();
for (const [characters, , look] of [...PLACES, ...WORDS])
  for (const character of characters) {
    const known = LOOKS.get(character);
    if (known === undefined) LOOKS.set(character, [look]);
    else known.push(look);
  }
/** Functions whose values may be words of a shell: the rest of the word belongs to the secret (`tailOf`). */
const JOINED: ReadonlySet<SpanScan> = new Set<SpanScan>([
  namedSecret,
  flagSecret,
  argumentSecrets,
  settingSecret,
  hereSecret,
]);
const MARKS = '-_.~/$}';

/** Scans in one pass: a regular expression stops at each character where a secret may be, and that character's functions look there. */
export function scanner(
  tokens: CompiledShapes,
  { named, url, pem }: { named: boolean; url: boolean; pem: boolean },
): (text: string) => readonly TextSpan[] {
  const words = WORDS.map(([characters, rest]) => `[${characters}](?=${rest})`).join('|');
  const contexts = [...PLACES.map(([characters, around]) => `[${characters}]${around}`), `\\b(?:${words})`];
  const marks = ['-(?=---[- ] ?BEGIN )', ':(?=//|AA)', ...(named ? contexts : []), tokens.marked, tokens.bare];
  const stops = compiledOnce(new RegExp(marks.join('|'), 'g'));
  const at = (text: string, place: number): SecretSpans => {
    const character = text[place] as string;
    if (character === '-' && text.startsWith('---', place + 1)) return pem ? pemBlock(text, place) : undefined;
    if (character === ':' && text.startsWith('//', place + 1)) return url ? urlSecret(text, place) : undefined;
    const token = MARKS.includes(character) ? tokens.afterMark(text, place + 1) : tokens.at(text, place);
    if (token !== undefined) return [token.start, token.end];
    for (const look of (named && LOOKS.get(character)) || []) {
      const found = look(text, place);
      if (found !== undefined) return JOINED.has(look) ? withTails(text, found) : found;
    }
    return character === ':' ? telegram(text, place) : undefined;
  };
  return (text) => {
    beginReading(text);
    const spans: TextSpan[] = [];
    stops.lastIndex = 0;
    while (stops.test(text)) {
      const behind = stops.lastIndex;
      const around = within(spans, behind - 1);
      const found = around ?? at(text, behind - 1);
      if (found === undefined) continue;
      const all = isSpan(found) ? [found] : found;
      if (around === undefined) append(spans, all);
      // Continues after the secret, unless it lies further ahead: then the text before it is scanned too.
      for (const [start, end] of all) if (start <= stops.lastIndex) stops.lastIndex = Math.max(stops.lastIndex, end);
    }
    return spans.length < 2 ? (spans.length === 0 ? NOTHING : spans) : merged(spans);
  };
}

function withTails(text: string, found: TextSpan | readonly TextSpan[]): TextSpan | readonly TextSpan[] {
  const all = isSpan(found) ? [found] : found;
  const tails = all.flatMap((span) => tailOf(text, span));
  const rests = [...all, ...tails].map(([start, end]): TextSpan => [end, wordRest(text, [start, end])]);
  const more = [...tails, ...rests.filter(([start, end]) => end > start)];
  return more.length === 0 ? found : [...all, ...more];
}

/** The secret, found earlier and ahead of the scan, that an index lies in. */
function within(spans: readonly TextSpan[], place: number): TextSpan | undefined {
  for (let i = spans.length - 1; i >= 0 && i >= spans.length - 4; i--) {
    const span = spans[i] as TextSpan;
    if (span[0] <= place && place < span[1]) return span;
  }
  return undefined;
}

const TELEGRAM = /(?<=((?<!\d)\d{8,10})):AA[\w-]{32,34}(?![\w-])/y;

function telegram(text: string, colon: number): TextSpan | undefined {
  TELEGRAM.lastIndex = colon;
  const bot = TELEGRAM.exec(text)?.[1];
  return bot === undefined ? undefined : [colon - bot.length, TELEGRAM.lastIndex];
}

/** The spans in order, with overlapping ones merged. */
export function merged(spans: readonly TextSpan[]): readonly TextSpan[] {
  const result: [number, number, boolean][] = [];
  for (const [start, end, open] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && start < last[1]) {
      last[2] = end >= last[1] ? open === true : last[2];
      last[1] = Math.max(last[1], end);
    } else result.push([start, end, open === true]);
  }
  return result;
}
