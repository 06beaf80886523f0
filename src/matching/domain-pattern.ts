import { isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { compileWildcard } from './wildcard.js';

/** One label of a host name, or of a pattern for one. */
const LABEL = /^[a-z0-9_*-]+$/i;

/**
 * Compiles `example.com` or `*.example.com` (any depth); a `*` elsewhere stays within one label. The pattern and the host are both
 * normalized as in URLs: `münchen.de` to `xn--mnchen-3ya.de`, `127.1` to `127.0.0.1`. Returns an error text if no host can match.
 */
export function compileDomainPattern(domain: string): ((url: unknown) => boolean) | { expected: string } {
  if (/[/\\?#@]|[^:]:[\d*]+$/.test(domain) && !isIPv6(domain)) {
    return { expected: 'expected the name of a host alone, as in WebFetch(domain:example.com)' };
  }
  if (domain.startsWith('.')) return { expected: `no host begins with a dot; those below that one are *${domain}` };
  const labels = labelsOf(asInUrls(domain));
  if (!labels.every((label) => LABEL.test(label)) && !isIPv6(labels.join('.').slice(1, -1))) {
    return { expected: `no host is called "${domain}"` };
  }
  const anyDepth = labels[0] === '*';
  if (!anyDepth && labels.length !== 4 && /^(?=.*\*)(?=.*\d)[\d*.]+$/.test(domain)) {
    return { expected: 'an address has four parts, as in 10.*.*.*' };
  }
  const tests = (anyDepth ? labels.slice(1) : labels).map(compileWildcard);
  return (url) => {
    const host = labelsOfUrl(url);
    if (host === undefined) return true;
    const more = host.length - tests.length;
    return (anyDepth ? more > 0 : more === 0) && tests.every((test, i) => test(host[more + i] ?? ''));
  };
}

/** Undefined if the target of the request is unknown: `localhost:3000/x` parses as a URL but has no host. */
function labelsOfUrl(url: unknown): readonly string[] | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) ? labelsOf(hostname) : undefined;
}

function labelsOf(host: string): readonly string[] {
  return (ipv4In(host) ?? host).toLowerCase().replace(/\.$/, '').split('.');
}

/** The IPv4 address in an IPv4-mapped IPv6 one: `127.0.0.1` for `[::ffff:7f00:1]`. */
function ipv4In(host: string): string | undefined {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255]).join('.');
}

/** Normalizes a domain as in URLs. A name with a `*` is not a valid host, so its other labels are normalized one by one. */
function asInUrls(domain: string): string {
  if (domain.includes('*')) {
    const parts = domain.split('.');
    return parts.map((part) => (part.includes('*') || LABEL.test(part) ? part : domainToASCII(part))).join('.');
  }
  const url = `http://${isIPv6(domain) ? `[${domain}]` : domain}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}
