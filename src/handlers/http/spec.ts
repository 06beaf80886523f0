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
  /** Added to the request. `$NAME` and `${NAME}` are replaced by environment variables if `allowedEnvVars` lists them, else by nothing. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The environment variables that the headers may use. */
  readonly allowedEnvVars?: readonly string[];
}

/** An http hook as plain frozen data, returned by `http()`. */
export interface HttpSpec extends HttpOptions {
  readonly type: 'http';
  readonly url: string;
}

/**
 * An http hook. The event is sent as the JSON body of a POST. A 2xx answer with a JSON object is the hook's output, an empty one
 * is no opinion, and anything else is a failure. Redirects are not followed. Private networks other than loopback are not
 * reachable unless the host option `httpHookPrivateAddresses` allows them.
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

/** `new URL` also accepts `http:/x` and `http:x`, and takes the path for the host. */
const WHOLE = /^\s*https?:\/\/[^/\\?#]/i;

/** Hides credentials in a text that is not a valid URL and thus cannot be parsed, for an error message. */
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
