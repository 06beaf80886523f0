import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { HookscopeError } from '../errors.js';
import { isObject } from '../values/shape.js';
import { makeOwnFolder, readOwned, writeOwned } from './owned.js';
import type { ServerPaths } from './places.js';

/** What a token permits. Each token has exactly one right. */
export const RIGHTS = ['fire', 'read', 'admin'] as const;
export type TokenRight = (typeof RIGHTS)[number];

export type Tokens = Readonly<Record<TokenRight, string>>;

const TOKEN = /^[\w-]{43}$/;

/** The user's tokens; undefined if none were made yet. Throws UNTRUSTED, FILE. */
export function readTokens({ tokens: file, state }: ServerPaths): Tokens | undefined {
  const text = readOwned(file);
  if (text === undefined) return undefined;
  const wrong = (): HookscopeError =>
    new HookscopeError('FILE', { file, problem: `holds no tokens; remove it, and start the server again (${state})` });
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw wrong();
  }
  if (!isObject(found) || !RIGHTS.every((right) => TOKEN.test(String(found[right])))) throw wrong();
  return { fire: String(found['fire']), read: String(found['read']), admin: String(found['admin']) };
}

/** The user's tokens. Missing ones are made, in files that only the user can read. */
export function ensureTokens(places: ServerPaths): Tokens {
  makeOwnFolder(places.state);
  const known = readTokens(places);
  const tokens = known ?? { fire: token(), read: token(), admin: token() };
  if (known === undefined) writeOwned(places.tokens, `${JSON.stringify(tokens, undefined, 2)}\n`);
  writeOwned(places.fireHeader, `Authorization: Bearer ${tokens.fire}\n`);
  writeOwned(places.proof, `${proofOf(tokens)}\n`);
  return tokens;
}

/** A proof that requires access to the user's files; it cannot be derived from the token that agents have. */
export const proofOf = ({ admin }: Tokens): string =>
  createHmac('sha256', admin).update('hookscope server').digest('base64url');

const token = (): string => randomBytes(32).toString('base64url');

/** The scheme, whose case does not matter in HTTP, and the space after it. */
const SCHEME = /^bearer /i;

/** Compares a request's token with every token in constant time; only the scheme and the token's length can be observed. */
export function createTokenCheck(tokens: Tokens): (authorization: string | undefined) => TokenRight | undefined {
  const known = RIGHTS.map((right) => [right, Buffer.from(tokens[right])] as const);
  return (authorization = '') => {
    const token = SCHEME.test(authorization) ? authorization.slice('bearer '.length) : '';
    if (token.length !== tokens.fire.length) return undefined;
    const shown = Buffer.from(token, 'latin1');
    let found: TokenRight | undefined;
    for (const [right, expected] of known) if (timingSafeEqual(shown, expected)) found = right;
    return found;
  };
}
