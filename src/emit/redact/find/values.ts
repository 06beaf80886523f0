import { type NameKind, nameKind } from './names.js';

/** How a value is written after its name. */
export interface ValuePlace {
  readonly kind: NameKind;
  /** The name as it was written. */
  readonly name: string;
  /** The quote around the value; within single quotes a shell expands no variable. */
  readonly quote?: string | undefined;
  /** Only a value can be here: `NAME=value` of a shell, a query, a connection string, a flag. */
  readonly sure: boolean;
  /** The line holds nothing else: `password: value`. */
  readonly alone: boolean;
  /** The value is called, indexed or compared. */
  readonly code: boolean;
  /** The key is just `value`, and the name is in another key. */
  readonly elsewhere?: boolean;
  /** In double quotes, a variable may have other text behind it. */
  readonly expands?: boolean;
}

/**
 * Whether a value stands for a secret without being one: a variable, a template, asterisks, an earlier mask. `expands`: a variable in double quotes
 * may have other text behind it, as in a shell.
 */
export function isPlaceholder(value: string, quote?: string, expands = true): boolean {
  if (quote === undefined) return BEGINNING.test(value) || VARIABLE.test(value);
  if (stands(value) || CUT_TEMPLATE.test(value)) return true;
  if (quote === "'") return false;
  return isStandIn(value) || (VARIABLE.test(value) && (expands || (quote === '`' && value[1] === '{')));
}

/** Whether a whole value, such as a field of data, stands for a secret without being one. */
export function isStandIn(value: string): boolean {
  return stands(value) || (VARIABLE.test(value) && (EXPANDED.test(value) || isOfEnvironment(OF_SHELL, value)));
}

const stands = (value: string): boolean =>
  STANDS.test(value) || DESCRIBES.test(value) || isOfEnvironment(OF_PROGRAM, value);

/** Without quotes, what a value ends at may be within the placeholder. */
const BEGINNING =
  /^(?:\/\*|\[redacted |\[?redacted\]?$|\{\{|\$\{\{|%[A-Za-z_]+%$|%[sdvq](?:\\+[nrt])*$|\{[\w.]*\}$|<[^<>]{0,80}>?$|(?:process\.env|import\.meta\.env|os\.environ|os\.getenv|env|secrets|vars)[.[(]|\*{3}|[*.xX•-]+$|(?:null|undefined|none|nil|true|false|nan|yes|no|on|off)$|your[-_ ]|example$|changeme$)/i;
/** A template in quotes may have others in it: `"{{ x | default "y" }}"`. */
const CUT_TEMPLATE = /^\{\{-?[ \t][^{}]*[ \t(,[]$/;
const STANDS =
  /^(?:\[redacted [^\]]*\]|\[?redacted\]?|\$?\{\{[^{}]*\}\}|%[sdvq](?:\\+[nrt])*|\{\d?\}|<%[^<>]{0,80}%>|[*.xX•-]+|null|undefined|none|nil|true|false|nan|yes|no|on|off|example|changeme|your[-_ ](?:(?:[a-z]+|\d{1,4}|base64)[-_ ])*(?:here|pass(?:word|phrase|code|wd)?|pwd|pin|token|secret|key|pat|credentials?|value)(?:[-_ ]\d)?)$/i;
/** `<the-password>`, `{apiKey}`: words, and numbers between them. */
const ONE_WORD = '(?:[A-Z]+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*)';
const DESCRIBES = new RegExp(
  String.raw`^(?:<(?=.{1,80}$)(?:${ONE_WORD}|base64)(?:[ _./:,|'-]+(?:${ONE_WORD}|base64|\d{1,4}))*[.…]*>|\{${ONE_WORD}(?:[._]${ONE_WORD})*\})$`,
);
/** The name of a variable does not mix letters and digits again and again, unless it is words of one case with a `_` between them. */
const VARIABLE =
  /^\$(?:\{|\(|(?:[A-Z_][A-Z\d]*_[A-Z\d_]*|[a-z_][a-z\d]*_[a-z\d_]*|(?!\w*\d[A-Za-z]\w*\d[A-Za-z])[A-Za-z_]\w*)(?:\W|$)|\d?$)/;
const EXPANDED = /^\$(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\([^()]*(?:\([^()]*\)[^()]*)*\)|\d?)$/;
const OF_SHELL = /^\$(?:env:)?([A-Za-z_]\w*)$/;
const OF_PROGRAM =
  /^(?:%([A-Za-z_]+)%|(?:process\.env|import\.meta\.env|os\.environ|os\.getenv|env|secrets|vars)(?:\.(\w+)|[[(]\\*["'](\w+)\\*["'][\])]))$/;

/** Whether the variable is spelled as they are: in upper case, or as the name of a secret in lower case. */
function isOfEnvironment(pattern: RegExp, value: string): boolean {
  const name =
    pattern
      .exec(value)
      ?.slice(1)
      .find((one) => one !== undefined) ?? '';
  if (/^[A-Z_][A-Z\d_]*$/.test(name)) return true;
  const kind = /^[a-z]+(?:_[a-z]+)*$/.test(name) ? nameKind(name) : undefined;
  return kind === 'password' || kind === 'token';
}

const PROSE =
  /\b(?:password|passphrase|secret|token|enter|required?|must|should|invalid|incorrect|wrong|missing|your|please|the|is|not|for|with)\b/i;
const WORDS =
  /^(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|text|string|number|boolean|hidden|input|field|label|bytes?|buffer|object|any|unknown|never|void|str|int|float|bool|required|optional|default|credentials?|same-origin|bearer|basic|jwt|api[-_]?key|[iuf]\d{1,3}|u?int\d*|utf-?8|base64(?:url)?|hex|sha-?\d+|[hrep]s\d{3}|md5)$/i;
/** What messages say of a password; in quotes, it is one. */
const MESSAGES = /^(?:expired|invalid|incorrect|changed|char)$/i;
/** Words with digits that sentences about secrets have. */
const TECHNICAL =
  /^(?:base-?\d+\w*|sha-?\d[\w-]*|md[45]|utf-?\d\w*|o?auth-?\d\w*|[hrep]s\d+|aes-?\d[\w-]*|rsa-?\d+|ed25519|curve25519|x25519|x?chacha20[\w-]*|x\.?509\w*|ipv[46]|http\/?[\d.]+|(?:tls|ssl)v?[\d.]+|uuid-?v?\d|u?(?:int|float)\d+\w*|[iuf]\d+|k8s|i18n|l10n|a11y|e2e|ec2|s3|b64|web3|p\d{3}|secp\w+|argon2\w*|pbkdf2\w*|win(?:32|64)|x(?:32|64)|x86\w*|arm64|python\d\S*|node\d+|es\d+|h\d|v\d[\w.-]*|mp\d|log4j|neo4j|pkcs\W?\d+|fido2|gpt-?\d\S*|iso-?\d+\S*|rfc-?\d+|cve-\d\S*)$/i;
/** A PowerShell command that makes or reads a secret. */
const CMDLET = /^(?:ConvertTo|ConvertFrom|Get|Read|New|Import|Unprotect)-[A-Z]\w+$/;
const LETTERS = /^[A-Za-z]+$/;
const UNIT = /^[v~≥<>]?\d+(?:[.,:/x×–-]\d+)*(?:st|nd|rd|th)?[-–]?(?:[a-z]{1,16}(?:-[a-z]+)*)?%?$/i;
const EMAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const PATH = /^(?:[~.]{0,2}\/|[a-z]+:\/\/|[\w-]+\/[\w./-]+$)/i;
const FILE = /^(?!.*\d[A-Za-z])[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}\d?$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const CHAIN = /^(?!.*\d[A-Za-z])[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)#?[A-Za-z_$][\w$]*)+$/;
/** `asn1.decode_dss_signature`. */
const CHAIN_OF_WORDS = /^[a-z\d]{1,16}(?:\.[a-z]+(?:_[a-z]+)*)+$/;
/** The name of a type: of several words, or ending with a word for secrets or texts. */
const TYPE =
  /^(?:[A-Z][a-z]+){2,}$|^[A-Z]\w*(?:Str|Text|Type|Field|Token|Secret|Password|Credentials?|Key|Value|Option|Buffer|Bytes)$/;

/** Whether a value after the name of a secret is one. Ordinary code (`token: string`, `password = getPassword()`) is not. */
export function isSecret(value: string, place: ValuePlace): boolean {
  const said = place.quote === undefined ? value.replace(/,$/, '') : value;
  if (value === '' || isPlaceholder(said, place.quote, place.expands)) return false;
  if (place.kind === 'weak')
    return !place.code && !CHAIN_OF_WORDS.test(value) && (looksRandom(value) || isLogin(value, place));
  if (place.kind === 'short') return !place.code && (place.sure ? value.length >= 3 : isNoWord(value));
  if (!place.sure && (WORDS.test(said) || CMDLET.test(value))) return false;
  if (!place.sure && place.quote === undefined && MESSAGES.test(said)) return false;
  if (place.quote !== undefined) return isQuotedSecret(value, place);
  if (place.code) return false;
  if (place.sure) return !(/^\d{1,3}$/.test(value) && PAGE.test(place.name));
  if (/^(?:\d+|\d{1,3}(?:_\d{3}){1,2})$/.test(value)) return place.kind === 'password' && value.length >= 4;
  if (CHAIN.test(value.replace(/,$/, '')) || value.length < 4) return false;
  const same = value.toLowerCase().replace(/[\W_\d]/g, '');
  if (
    same !== '' &&
    place.name
      .toLowerCase()
      .replace(/[\W_\d]/g, '')
      .endsWith(same)
  )
    return false;
  if (/^[A-Za-z_$]+$/.test(value)) return place.alone && !TYPE.test(value) && value.length >= 5;
  return value.length >= 6 || !IDENTIFIER.test(value);
}

/** The number of a page. */
const PAGE = /(?:page|next|prev(?:ious)?|continuation)[_-]?token$/i;

/** `AUTH=user/X`, `AUTH=X` in a shell. */
function isLogin(value: string, { name, sure }: ValuePlace): boolean {
  return sure && /AUTH$|CREDS?$/.test(name) && isNoWord(value.slice(value.search(/[/:]/) + 1));
}

/** A token of a language model: `<|im_end|>`. */
const SPECIAL = /^<\|[a-z]+(?:_[a-z]+)*\|>$/;

function isQuotedSecret(value: string, { kind, name, sure }: ValuePlace): boolean {
  const isConstant = sure || name === name.toUpperCase();
  if (/\s/.test(value))
    return (
      !/^\s|\s$/.test(value) &&
      (kind === 'password' ||
        isConstant ||
        (/mnemonic|phrase/i.test(name) && /^(?:[a-z]+ ){5,}[a-z]+$/.test(value)) ||
        value.split(/\s+/).some(isMixed)) &&
      !PROSE.test(value)
    );
  if (SPECIAL.test(value)) return false;
  if (!/[A-Za-z\d]/.test(value)) return kind === 'password' && value.length >= 6;
  if (kind === 'password' || isConstant) return value.length >= 3;
  if (/^\d+$/.test(value)) return value.length >= 6;
  return value.length >= (LETTERS.test(value) ? 12 : 6) && !CHAIN.test(value);
}

/** Whether a text cannot be a word of a sentence: letters mixed with digits or symbols, but no unit, path, address or technical term. */
export function isNoWord(value: string): boolean {
  if (value.length < 6 || value.length > 512 || !/[A-Za-z]/.test(value) || isWord(value)) return false;
  if (/^-?0x[\da-f]{1,16}$/i.test(value)) return false;
  if (UNIT.test(value) || EMAIL.test(value) || PATH.test(value) || FILE.test(value) || CHAIN.test(value)) return false;
  // `base64-encoded`.
  if (value.split(/[-_/]/).every((part) => /^[A-Za-z]*$/.test(part) || TECHNICAL.test(part))) return signs(value);
  return /\d/.test(value) || signs(value);
}

/** Whether letters and digits alternate in a text that cannot be a word. */
function isMixed(word: string): boolean {
  return isNoWord(word) && /[A-Za-z]\d|\d[A-Za-z]/.test(word);
}

function signs(value: string): boolean {
  return /[A-Za-z][!@#$%^&*+?~|]+[A-Za-z]/.test(value);
}

/** Whether a text is a word that sentences about secrets use. */
export function isWord(value: string): boolean {
  return WORDS.test(value) || TECHNICAL.test(value);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DIGEST = /^(?:sha\d+[-:])?[\da-f]{32,}$/i;

/** Whether a value looks random: used for names that do not always hold a secret. */
export function looksRandom(value: string): boolean {
  if (value.length < 16 || value.length > 4096 || !/^[\w+/=.~:%-]+$/.test(value)) return false;
  if (UUID.test(value) || DIGEST.test(value) || /^(?:\.{0,2}\/|~\/|sha\d+-|https?:)/.test(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/].filter((one) => one.test(value)).length;
  const joints = value.match(/[./:-]/g)?.length ?? 0;
  return (classes === 3 || (classes === 2 && /\d/.test(value) && value.length >= 20)) && joints <= value.length / 12;
}
