import { checkKeys, checkOption } from '../values/options.js';
import { isObject, type OptionCheck, TEXTS } from '../values/shape.js';
import { changeSince } from './changes.js';
import { type Consent, consentFor, REQUEST, type TrustRequest } from './consent.js';
import type { TrustStore } from './store.js';

/** What was accepted of the file, as far as it applies to the project, whether or not it has changed since. */
export function consentOf(request: TrustRequest, store: TrustStore): Consent | undefined {
  return consentAmong(request, store.list());
}

/** The same, from a list of all acceptances, newest last. */
export function consentAmong(request: TrustRequest, all: readonly Consent[]): Consent | undefined {
  return consentFor(request, all, (consent) => changeSince(consent, request) === undefined);
}

const STORE: OptionCheck = {
  expected: 'a store, as createTrustStore makes it',
  accepts: (v) => isObject(v) && typeof v['list'] === 'function' && typeof v['accept'] === 'function',
};

/**
 * Keeps consent to exactly what the request holds: bytes that change in between are held again. `data`: names of files that
 * change by themselves, of which the name alone is bound; what was named so before stays so.
 */
export function acceptTrust(
  request: TrustRequest,
  store: TrustStore,
  options: { readonly data?: readonly string[] } = {},
): void {
  checkOption('acceptTrust(request)', request, REQUEST);
  checkOption('acceptTrust(…, store)', store, STORE);
  checkKeys(options, { data: TEXTS }, 'acceptTrust: ');
  const { data = [] } = options;
  const { file, project, definition, source } = request;
  const before = consentOf(request, store)?.files ?? {};
  const isData = (name: string): boolean => data.includes(name) || before[name]?.data === true;
  const files = Object.fromEntries(
    Object.entries(request.files).map(([name, bytes]) => [
      name,
      isData(name) ? { sha256: null, data: true as const } : bytes,
    ]),
  );
  store.accept({ file, project, definition, files, ...(source && { source }), at: new Date().toISOString() });
}
