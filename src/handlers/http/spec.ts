import { checkOption, checkOptions, wrongOption } from '../../values/options.js';
import {
  BACKGROUND,
  type BackgroundOptions,
  type ExternalOptions,
  frozen,
  NAMES,
  OUTSIDE,
  TEXT,
  TEXTS_BY_NAME,
} from '../options.js';

/** Options of `http()`. All times are seconds. */
export interface HttpOptions extends ExternalOptions, BackgroundOptions {
  /** Added to the request. `$NAME` and `${NAME}` are variables of the environment, if `allowedEnvVars` lists them; else empty. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Which variables the headers may name. */
  readonly allowedEnvVars?: readonly string[];
}

/** An http hook as plain frozen data, what `http()` returns. */
export interface HttpSpec extends HttpOptions {
  readonly type: 'http';
  readonly url: string;
}

/**
 * An http hook: the event is the JSON body of a POST; a 2xx answer with a JSON object is its output, an empty one no opinion,
 * anything else a failure. Redirects are not followed, and private networks other than this machine are not reached (host
 * option `httpHookPrivateAddresses`).
 *
 * ```ts
 * host.register({ PreToolUse: [{ hooks: [http('http://127.0.0.1:8787/policy', { timeout: 5, onFailure: 'block' })] }] });
 * ```
 *
 * @throws HookscopeError INVALID_OPTIONS: no http or https URL, an unknown option or one of the wrong type.
 */
export function http(url: string, options: HttpOptions = {}): HttpSpec {
  checkOption('http(): url', url, TEXT);
  if (!WHOLE.test(url) || !URL.canParse(url))
    throw wrongOption('http(): url', `expected an http or https URL, got "${withoutCredentials(url)}"`);
  if (!hasReadableCredentials(new URL(url)))
    throw wrongOption('http(): url', 'the name or password in it has a "%" that is no escape; write "%25"');
  checkOptions('http(): ', options, HTTP);
  return Object.freeze({ type: 'http', url, ...frozen(options) });
}

/** `new URL` would also take `http:/x` and `http:x`, and make a host of the path. */
const WHOLE = /^\s*https?:\/\/[^/\\?#]/i;

/** For a message about what is no URL, so that nothing can take it apart. */
const withoutCredentials = (text: string): string => text.replace(/^([a-z][\w+.-]*:)?(\/*)[^/?#]*@/i, '$1$2…@');

function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

export const HTTP = { ...OUTSIDE, ...BACKGROUND, headers: TEXTS_BY_NAME, allowedEnvVars: NAMES };
