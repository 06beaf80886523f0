import type { LookupFunction } from 'node:net';
import { compileWildcard } from '../../matching/wildcard.js';

/** What http hooks of the host may do. An absent list restricts nothing; an empty one allows nothing. */
export interface HttpRules {
  /** Patterns with `*`, `https://hooks.example.com/*`; a URL must match one of them. */
  readonly allowedUrls: readonly string[] | undefined;
  /** Why this hook's URL may not be requested: the policy of its files. */
  readonly refusal?: string | undefined;
  /** Environment variables that headers may name, if the hook lists them too. */
  readonly allowedEnvVars: readonly string[] | undefined;
  /** Resolves names to those addresses that may be reached; `public`: none of private networks; undefined: any. */
  readonly lookup: LookupFunction | 'public' | undefined;
}

export function urlAllowed(url: URL, { allowedUrls }: HttpRules): boolean {
  return allowedUrls?.some((pattern) => matchesUrl(pattern, url)) ?? true;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether a URL, as it will be requested, matches a pattern. A `*` in the scheme or the host stays within it, so that no path
 * can look like a host; behind the host it stands for anything. A pattern that ends with the host is that server's root, or,
 * where it ends with `*`, all of it.
 */
export function matchesUrl(pattern: string, url: URL): boolean {
  if (pattern === '*') return true;
  const parts = /^([^:/?#]+):\/\/([^/?#]*)(.*)$/s.exec(pattern);
  if (!parts) return false;
  const [, scheme = '', authority = '', rest = ''] = parts;
  const hosts = url.port === '' ? [url.host, `${url.host}:${DEFAULT_PORTS[url.protocol]}`] : [url.host];
  const inHost = compileWildcard(authority.toLowerCase());
  const behind = rest !== '' ? rest : authority.endsWith('*') ? '*' : '/';
  return (
    compileWildcard(scheme.toLowerCase())(url.protocol.slice(0, -1)) &&
    hosts.some(inHost) &&
    compileWildcard(behind)(url.pathname + url.search)
  );
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Puts allowed variables in place of `$NAME` and `${NAME}`; every other one becomes empty. */
export function fillVariables(text: string, listed: readonly string[], { allowedEnvVars }: HttpRules): string {
  return text.replace(VARIABLE, (_, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? (bare as string);
    const allowed = listed.includes(name) && (allowedEnvVars?.includes(name) ?? true);
    // Like any object, the environment has a `constructor` that nobody has set.
    return allowed && Object.hasOwn(process.env, name) ? (process.env[name] ?? '') : '';
  });
}

/** Records and messages have many readers, so they do not get the credentials before the @. */
export function publicUrl(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}
