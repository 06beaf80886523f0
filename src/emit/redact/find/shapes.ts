/**
 * Secrets that are known by their own look. After the rules of gitleaks (MIT) that need no name beside the secret;
 * docs/decisions/0017-redaction.md says why no package. No shape makes a text cost more than a few steps a character: what follows a
 * prefix is one run of characters, or a few of bounded length, and what could begin anywhere in a long run must begin at its start.
 */

/** `before` is what a text is searched for, and ends in one of `_-.~/$}`; `rest` follows it. Both are regular expressions. */
type MarkedShape = readonly [name: string, before: string, rest: string];

const MARKED: readonly MarkedShape[] = [
  ['github-token', 'gh[opsur]_', '[A-Za-z0-9_]{36,255}'],
  ['github-token', 'github_pat_', '\\w{22,255}'],
  ['gitlab-token', 'gl(?:pat|dt|rt|ft|imt|agent|oas|ptt|soat|cbt|ffct|wt)-', '[\\w.=-]{20,320}'],
  ['slack-token', 'xox[a-z](?:\\.xox[a-z])?-', '[\\w-]{10,}'],
  ['slack-token', 'xapp-', '\\d-[A-Za-z0-9-]{16,}'],
  ['stripe-key', '[rs]k_(?:live|test|prod)_', '[A-Za-z0-9]{10,}'],
  ['stripe-key', 'whsec_', '[A-Za-z0-9+/=]{24,}'],
  ['anthropic-key', 'sk-ant-', '[\\w-]{16,}'],
  ['openai-key', 'sk-(?:proj|svcacct|admin|None|service)-', '[\\w-]{20,}'],
  ['api-key', 'sk-(?:or-v\\d|lf|cp)-', '[\\w-]{20,}'],
  ['api-key', 'sk-', '(?=\\w{0,40}\\d)[A-Za-z0-9]{20,}'],
  ['api-key', 'sk_', '[a-f0-9]{40,}'],
  ['npm-token', 'npm_', '[A-Za-z0-9]{36,}'],
  ['pypi-token', 'pypi-', 'Ag[\\w-]{20,}'],
  ['sendgrid-key', 'SG\\.', '[\\w-]{16,32}\\.[\\w-]{16,64}'],
  ['digitalocean-token', 'do[opr]_v1_', '[a-f0-9]{64}'],
  ['shopify-token', 'shp(?:at|ca|pa|ss|ua)_', '[A-Fa-f0-9]{32}'],
  ['vault-token', 'hv[bsr]\\.', '[\\w-]{24,}'],
  ['planetscale-token', 'pscale_(?:tkn|oauth|pw)_', '[\\w=.-]{32,}'],
  ['postman-key', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'],
  ['rubygems-key', 'rubygems_', '[a-f0-9]{48}'],
  ['pulumi-token', 'pul-', '[a-f0-9]{40}'],
  ['linear-key', 'lin_(?:api|oauth|wh)_', '[A-Za-z0-9]{32,}'],
  ['notion-token', 'ntn_', '[A-Za-z0-9]{40,}'],
  ['notion-token', 'secret_', '[A-Za-z0-9]{43}(?!\\w)'],
  ['figma-token', 'fig[dour]_', '[\\w-]{36,}'],
  ['grafana-token', 'gl(?:c|sa)_', '[A-Za-z0-9+/_=]{32,}'],
  ['newrelic-key', 'NR(?:AK|JS|II|RA|AL)-', '[A-Za-z0-9-]{19,}'],
  ['perplexity-key', 'pplx-', '[A-Za-z0-9]{32,}'],
  ['groq-key', 'gsk_', '[A-Za-z0-9]{32,}'],
  ['huggingface-token', '(?:hf|api_org)_', '[A-Za-z0-9]{30,}'],
  ['replicate-token', 'r8_', '[A-Za-z0-9]{37,}'],
  ['xai-key', 'xai-', '[A-Za-z0-9]{60,}'],
  ['cerebras-key', 'csk-', '[a-z0-9]{40,}'],
  ['tavily-key', 'tvly-', '[\\w-]{24,}'],
  ['firecrawl-key', 'fc-', '[a-f0-9]{32}'],
  ['langsmith-key', 'lsv2_(?:pt|sk)_', '[a-f0-9]{32}_[a-f0-9]{10}'],
  ['pinecone-key', 'pcsk_', '\\w{40,}'],
  ['supabase-key', 'sbp_', '(?:v\\d_)?[a-f0-9]{40}'],
  ['supabase-key', 'sb_secret_', '[\\w-]{20,}'],
  ['vercel-token', 'vercel_blob_rw_', '\\w{20,}'],
  ['netlify-token', 'nf[cpou]_', '[A-Za-z0-9]{36,}'],
  ['render-key', 'rnd_', '[A-Za-z0-9]{28,}'],
  ['fly-token', 'f(?:o1|m1[ar]|m2)_', '[\\w+/=-]{40,}'],
  ['doppler-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', '(?:[a-z\\d_-]{2,35}\\.)?[A-Za-z0-9]{40,44}'],
  ['dynatrace-token', 'dt0[a-z]\\d\\d\\.', '[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
  ['docker-token', 'dckr_(?:pat|oat)_', '[\\w-]{24,}'],
  ['buildkite-token', 'bkua_', '[a-f0-9]{40}'],
  ['circleci-token', 'CCI(?:PAT|PRJ)_', '[\\w]{30,}'],
  ['sentry-token', 'sntry[su]_', '[\\w+/=]{40,}'],
  ['sonar-token', 'sq[apu]_', '[a-f0-9]{40}'],
  ['square-token', 'sq0[a-z]{3}-', '[\\w-]{22,60}'],
  ['mailgun-key', 'key-', '[a-f0-9]{32}'],
  ['mailchimp-key', '[a-f0-9]{32}-', 'us\\d{1,2}(?!\\w)'],
  ['brevo-key', 'xkeysib-', '[a-f0-9]{64}-\\w{16}'],
  ['mapbox-token', 'sk\\.', 'eyJ[\\w-]{40,}\\.[\\w-]{20,}'],
  ['google-oauth', 'ya29\\.', '[\\w-]{20,}'],
  ['google-oauth', 'GOCSPX-', '[\\w-]{20,}'],
  ['terraform-token', '[A-Za-z0-9]{14}\\.', 'atlasv1\\.[\\w=-]{40,70}'],
  ['tailscale-key', 'tskey-', '[A-Za-z0-9-]{16,}'],
  ['prefect-key', 'pnu_', '[A-Za-z0-9]{36}'],
  ['readme-key', 'rdme_', '[a-z0-9]{70}'],
  ['shippo-token', 'shippo_(?:live|test)_', '[A-Fa-f0-9]{40}'],
  ['duffel-token', 'duffel_(?:live|test)_', '[\\w=-]{43}'],
  ['typeform-token', 'tfp_', '[\\w.=-]{40,}'],
  ['frameio-token', 'fio-u-', '[\\w=-]{64}'],
  ['flutterwave-key', 'FLWSECK(?:_TEST)?-', '[A-Za-z0-9]{12,}'],
  ['heroku-key', 'HRKU-', '[\\w-]{36,}'],
  ['clojars-token', 'CLOJARS_', '[A-Fa-f0-9]{60}'],
  ['contentful-token', 'CFPAT-', '[\\w-]{40,}'],
  ['octopus-key', 'API-', '[A-Z0-9]{25,26}(?!\\w)'],
  ['harness-key', '[ps]at\\.', '[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}'],
  ['age-key', 'AGE-SECRET-KEY-', '1[A-Z0-9]{58}'],
  ['onepassword-token', 'ops_', 'eyJ[A-Za-z0-9+/=_-]{60,}'],
  ['onepassword-token', 'A3-', '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'],
  ['plaid-token', 'access-(?:sandbox|development|production)-', '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}'],
  ['bedrock-key', 'bedrock-api-key-', '[A-Za-z0-9+/=]{20,}'],
  ['settlemint-token', 'sm_[aps]at_', '[A-Za-z0-9]{16}'],
  ['maxmind-key', '[A-Za-z0-9]{6}_', '[A-Za-z0-9]{29}_mmk'],
  ['discord-token', '[MNO][\\w-]{23,25}\\.', '[\\w-]{6}\\.[\\w-]{27,38}'],
  ['airtable-token', 'pat[A-Za-z0-9]{14}\\.', '[a-f0-9]{64}'],
  ['azure-secret', '[\\w~.]{3}\\dQ~', '[\\w~.-]{31,34}'],
  ['slack-webhook', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/', '[A-Za-z0-9+/]{20,}'],
  ['discord-webhook', 'discord(?:app)?\\.com/api/webhooks/', '\\d{15,20}/[\\w-]{40,}'],
  ['password-hash', '\\$(?:1|5|6|apr1|md5|sha1)\\$', '(?:rounds=\\d{1,9}\\$)?[./\\w]{0,32}\\$[./A-Za-z0-9]{20,128}'],
  ['password-hash', '\\$2[abxy]?\\$', '\\d\\d\\$[./A-Za-z0-9]{53}'],
  ['password-hash', '\\$(?:y|gy|7)\\$', '[./A-Za-z0-9]{1,32}\\$[./A-Za-z0-9]{1,86}\\$[./A-Za-z0-9]{20,86}'],
  [
    'password-hash',
    '\\$argon2(?:id|i|d)\\$',
    '(?:v=\\d{1,4}\\$)?[\\w=,]{5,64}\\$[\\w+/=.-]{4,128}\\$[\\w+/=.-]{8,256}',
  ],
  [
    'password-hash',
    '\\$(?:scrypt|pbkdf2(?:-[\\w-]{1,16})?)\\$',
    '[\\w=,]{1,64}\\$[\\w+/=.-]{4,128}\\$[\\w+/=.-]{8,256}',
  ],
  ['password-hash', '\\$[PH]\\$', '[./A-Za-z0-9]{31}'],
  [
    'password-hash',
    '(?:pbkdf2_sha\\d{1,3}|argon2|scrypt|bcrypt(?:_sha256)?)\\$',
    '[\\w=,$]{1,64}\\$[\\w+/=.-]{4,128}\\$[\\w+/=.-]{8,256}',
  ],
  [
    'password-hash',
    '\\{(?:S?SHA(?:256|384|512)?|S?MD5|PBKDF2[\\w-]{0,12}|ARGON2|[Cc][Rr][Yy][Pp][Tt])\\}',
    '[\\w+/=.$]{13,256}',
  ],
  ['teams-webhook', '\\.webhook\\.office\\.com/', 'webhookb2/[\\w@/-]{60,}'],
];

/** What has no such mark. Each begins with the characters that a text is searched for. */
const BARE: readonly MarkedShape[] = [
  ['aws-key-id', 'A(?:KIA|SIA|BIA|CCA)', '[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['bedrock-key', 'ABSK', '[A-Za-z0-9+/]{100,}={0,2}'],
  ['google-api-key', 'AIza', '[\\w-]{35}'],
  ['atlassian-token', 'AT(?:ATT|CTT)3', '[\\w=-]{80,}'],
  ['bitbucket-token', 'ATBB', '[A-Za-z0-9]{28,32}(?!\\w)'],
  ['artifactory-key', 'AKCp', '[A-Za-z0-9]{69}(?!\\w)'],
  ['artifactory-key', 'cmVmd', '[A-Za-z0-9]{59}(?!\\w)'],
  ['alibaba-key-id', 'LTAI', '[A-Za-z0-9]{16,24}(?!\\w)'],
  ['databricks-token', 'dapi', '[a-f0-9]{32}'],
  ['easypost-key', 'EZ[AT]K', '[A-Za-z0-9]{54}'],
  ['square-token', 'EAAA', '[\\w-]{60}(?!\\w)'],
  ['facebook-token', 'EAA[A-Z]', '[A-Za-z0-9]{90,}'],
  ['gitlab-token', 'GR1348941', '[\\w-]{20}'],
  ['twilio-key', 'SK', '[0-9a-f]{32}(?!\\w)'],
  ['openshift-token', 'sha256~', '[\\w-]{43}'],
  ['jwt', 'eyJ', '[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*){1,3}'],
];

/** Every name of a shape, as `shapes` of the options may list them; the last three need a name or a place beside the secret. */
export const SHAPE_NAMES: readonly string[] = [
  ...new Set([...MARKED, ...BARE].map(([name]) => name)),
  'private-key',
  'url-password',
  'named',
];

/** Part of a text, and what it is. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The shapes that were asked for, compiled. */
export interface CompiledShapes {
  /** What to search a text for, as a regular expression that takes one character: the last of a mark, or the first of a bare one. */
  readonly marked: string;
  readonly bare: string;
  /** The secret that has a mark before `behind`. */
  afterMark(text: string, behind: number): FoundSecret | undefined;
  /** The bare one that begins at `start`. */
  at(text: string, start: number): FoundSecret | undefined;
  /** The shape of all of a value; `secret` where it has none. */
  nameOf(value: string): string;
}

/** Prefixes shorter than this must begin a word, `sk-` but not `task-`. */
const SURE = 4;

/** Of a text that was cut, the beginning of a secret shows enough of it. */
const CUT = '[\\w.+/=~-]{2,256}…';
const IS_CUT = new RegExp(CUT, 'y');

function cutAt(text: string, at: number, pattern: RegExp): RegExpExecArray | null {
  IS_CUT.lastIndex = at;
  if (!IS_CUT.test(text)) return null;
  pattern.lastIndex = at;
  return pattern.exec(text);
}

export function compileTokens(wanted: (name: string) => boolean): CompiledShapes {
  const marked = MARKED.filter(([name]) => wanted(name));
  const bare = BARE.filter(([name]) => wanted(name));
  const behind = sticky(marked.map(([, before, rest]) => `(?<=(${before}))${rest}`));
  const here = sticky(bare.map(([, start, rest]) => `(${start}${rest})`));
  const cutBehind = sticky(marked.map(([, before]) => `(?<=(${before}))${CUT}`));
  const cutHere = sticky(bare.map(([, start]) => `(${start}${CUT})`));
  const marks = `[-_.~/$}](?<=(?:${anyOf(marked.map(([, before]) => before))}))`;
  const mark = new RegExp(marks, 'g');
  const named = (match: RegExpExecArray, shapes: readonly MarkedShape[]): readonly [name: string, group: string] => {
    const i = match.findIndex((group, place) => place > 0 && group !== undefined);
    return [(shapes[i - 1] as MarkedShape)[0], match[i] as string];
  };
  const tokens: CompiledShapes = {
    marked: marks,
    bare: anyOf(bare.map(([, start]) => `${start[0]}(?=${start.slice(1)})`)),
    afterMark(text, at) {
      behind.lastIndex = at;
      const found = behind.exec(text);
      const pattern = found === null ? cutBehind : behind;
      const match = found ?? cutAt(text, at, cutBehind);
      if (match === null) return undefined;
      const [name, before] = named(match, marked);
      const start = at - before.length;
      if (before.length < SURE && !beginsWord(text, start, WORD)) return undefined;
      return { start, end: pattern.lastIndex, name };
    },
    at(text, start) {
      // A run that could hold many beginnings of a JWT is read from its first alone.
      if (text[start] === 'e' && !beginsWord(text, start, RUN)) return undefined;
      here.lastIndex = start;
      const found = here.exec(text);
      const pattern = found === null ? cutHere : here;
      const match = found ?? cutAt(text, start, cutHere);
      if (match === null) return undefined;
      const [name] = named(match, bare);
      if (!beginsWord(text, start, name === 'jwt' || name === 'aws-key-id' ? WORD : BASE64)) return undefined;
      return { start, end: pattern.lastIndex, name };
    },
    nameOf(value) {
      const found = tokens.at(value, 0);
      if (found?.end === value.length) return found.name;
      mark.lastIndex = 0;
      while (mark.test(value)) {
        const token = tokens.afterMark(value, mark.lastIndex);
        if (token?.start === 0 && token.end === value.length) return token.name;
      }
      return 'secret';
    },
  };
  return tokens;
}

const WORD = /\w/;
const RUN = /[\w-]/;
/** Pictures and the like hold any four characters somewhere. */
const BASE64 = /[\w+/]/;
/** What ends with a letter and is no part of the word behind it: `\n` as it is written, `%20`, a colour. */
const ESCAPE = /(?:\\[bfnrtv]|\\u[\da-f]{4}|%[\da-f]{2}|\[[\d;]{0,12}m)$/i;

function beginsWord(text: string, start: number, inside: RegExp): boolean {
  return (
    start === 0 || !inside.test(text[start - 1] as string) || ESCAPE.test(text.slice(Math.max(0, start - 16), start))
  );
}

function sticky(sources: readonly string[]): RegExp {
  return new RegExp(anyOf(sources), 'y');
}

/** One of them; of none, what is nowhere. */
function anyOf(sources: readonly string[]): string {
  return sources.length === 0 ? '(?!)' : sources.join('|');
}
