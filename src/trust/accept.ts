import { checkKeys, checkOption } from '../values/options.js';
import { isObject, type OptionCheck, TEXTS } from '../values/shape.js';
import { changeSince } from './changes.js';
import { type Consent, consentFor, REQUEST, type TrustRequest } from './consent.js';
import type { TrustStore } from './store.js';

/** The stored consent that applies to this file in this project, whether or not the file has changed since. */
export function consentOf(request: TrustRequest, store: TrustStore): Consent | undefined {
  return consentAmong(request, store.list());
}

/** Like `consentOf`, but searches a list of consents, newest last. */
export function consentAmong(request: TrustRequest, all: readonly Consent[]): Consent | undefined {
  return consentFor(request, all, (consent) => changeSince(consent, request) === undefined);
}

const STORE: OptionCheck = {
  expected: 'a store, as createTrustStore makes it',
  accepts: (v) => isObject(v) && typeof v['list'] === 'function' && typeof v['accept'] === 'function',
};

/**
 * Stores consent to exactly the content of the request; a file that changes afterwards is held again. `data`: names of files that
 * hooks write to, for which only the name is bound. Names that were given as data before remain data.
 */
export function acceptTrust(
  request: TrustRequest,
  store: TrustStore,
  options: { readonly data?: readonly string[] } = {},
): void {
  checkKeys(options, { data: TEXTS }, 'acceptTrust: ');
  checkOption('acceptTrust(request)', request, REQUEST);
  checkOption('acceptTrust(…, store)', store, STORE);
  const { file, project, definition, source } = request;
  const files = boundFiles(request, store, options.data);
  store.accept({ file, project, definition, files, ...(source && { source }), at: new Date().toISOString() });
}

/** The files as `acceptTrust` binds them. */
export function boundFiles(request: TrustRequest, store: TrustStore, data: readonly string[] = []): Consent['files'] {
  const before = consentOf(request, store)?.files ?? {};
  const isData = (name: string): boolean => data.includes(name) || before[name]?.data === true;
  return Object.fromEntries(
    Object.entries(request.files).map(([name, bytes]) => [
      name,
      isData(name) ? { sha256: null, data: true as const } : bytes,
    ]),
  );
}
