import type { LookupFunction } from 'node:net';
import { compileWildcard } from '../../matching/wildcard.js';
import { hookVariable } from '../../values/user-folders.js';

/** Restrictions on the host's http hooks. An absent list restricts nothing; an empty one allows nothing. */
export interface HttpRules {
  /** Patterns with `*`, such as `https://hooks.example.com/*`. A URL must match one of them. */
  readonly allowedUrls: readonly string[] | undefined;
  /** Why the settings files' policy forbids this hook's URL, if it does. */
  readonly refusal?: string | undefined;
  /** Environment variables that headers may use, if the hook lists them too. */
  readonly allowedEnvVars: readonly string[] | undefined;
  /** Resolves names to the addresses that may be reached. `public` leaves out private networks; undefined allows any address. */
  readonly lookup: LookupFunction | 'public' | undefined;
}

export function urlAllowed(url: URL, { allowedUrls }: HttpRules): boolean {
  return allowedUrls?.some((pattern) => matchesUrl(pattern, url)) ?? true;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether a URL, as it will be requested, matches a pattern. A `*` in the scheme or the host matches only within that part, so that
 * no path can pass for a host; after the host it matches anything. A pattern without a path matches only the server's root, or
 * every path if it ends with `*`.
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

/** Replaces `$NAME` and `${NAME}` by the variable's value if it is allowed, else by nothing. */
export function fillVariables(text: string, listed: readonly string[], { allowedEnvVars }: HttpRules): string {
  return text.replace(VARIABLE, (_, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? (bare as string);
    const allowed = listed.includes(name) && (allowedEnvVars?.includes(name) ?? true);
    return (allowed && hookVariable(name)) || '';
  });
}

/** The URL for records and messages: without the credentials before the `@`. */
export function publicUrl(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}
