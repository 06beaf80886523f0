import { isAbsolute, join, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks, FILLED, isObject, isText, type OptionCheck, oneOf, SECONDS, TEXTS } from '../values/shape.js';
import { stateFolder } from '../values/user-folders.js';
import { ASK_ELSEWHERE, type AskElsewhere } from './ask/asker.js';
import { isPublicKey } from './bundle/keys.js';
import { FLEET_NAME, type FleetEngine } from './engine.js';
import { usualAllowFile } from './policy/allowed.js';

/** Options of `fleet`. All times are seconds. */
export interface FleetOptions {
  /** Addresses of NATS servers, `nats://127.0.0.1:4222`; or `engine`. */
  readonly servers?: string | readonly string[];
  /** A file: an nkey's seed, NATS credentials, or `{ "user", "password" }`. Default: those in the address, else none. */
  readonly credentials?: string;
  /** Files for TLS: a certificate authority, this host's certificate and its key. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** The engine to use instead of NATS: `memoryEngine()`, or your own. */
  readonly engine?: FleetEngine;
  readonly team: string;
  /** Its name in the fleet, letters, digits, `_` and `-`. Default: made once for this user of this machine. */
  readonly host?: string;
  /** Public keys that bundles are signed with, as `hookscope fleet keys` prints them. */
  readonly keys: readonly string[];
  /** The channels whose policies count here. Default `['stable']`. */
  readonly channels?: readonly string[];
  /** The file that says which parts of a bundle, beside rules, may run here. Default `$XDG_CONFIG_HOME/hookscope/fleet-allow.json`. */
  readonly allow?: string;
  /** The folder for the last good bundles and unsent decisions. Default `$XDG_STATE_HOME/hookscope/fleet`. */
  readonly folder?: string;
  /** The folder in which commands of bundles run, and from which names in them are resolved. Default: the process's directory. */
  readonly directory?: string;
  /** Seconds to wait for the fleet's word at the start, before the last good policy counts. Default 3. */
  readonly patience?: number;
  /** Seconds that `close` waits for decisions to be sent; what is left is sent at the next start. Default 2. */
  readonly closeTimeout?: number;
  /**
   * Who answers when a hook asks. `never` (default): the user at the agent; `unattended`: if no user is present, an approver of the team, who answers with
   * `hookscope fleet approve`; `first`: an approver, before the user. A deny stays a deny, and a missing answer is never permission.
   */
  readonly askElsewhere?: AskElsewhere;
  /** Seconds that such a question waits, ending at the latest two seconds before the agent gives up. Default: until then, or 60 if the agent has no limit. */
  readonly askTimeout?: number;
  /** Bytes of decisions that wait on disk. The oldest are dropped first, in pieces of an eighth, and counted. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Gets a line when a bundle is refused, and when the broker is lost and found again. Default: `process.emitWarning`. */
  readonly logger?: (message: string) => void;
}

const NAMED: OptionCheck = {
  expected: 'a name of letters, digits, "_" and "-", at most 64 of them',
  accepts: (v) => isText(v) && FLEET_NAME.test(v),
};
const BYTES: OptionCheck = {
  expected: 'a whole number of bytes, 4096 or more',
  accepts: (v) => Number.isInteger(v) && (v as number) >= 4096,
};

const FLEET: Keys<FleetOptions> = {
  servers: {
    expected: 'an address, nats://127.0.0.1:4222, or an array of them',
    accepts: (v) => FILLED.accepts(v) || (TEXTS.accepts(v) && (v as unknown[]).length > 0),
  },
  credentials: FILLED,
  tls: checks.object,
  engine: { expected: 'what memoryEngine() returned', accepts: (v) => isObject(v) && isObject(v['policy']) },
  team: NAMED,
  host: NAMED,
  keys: {
    expected: 'an array of public keys, "ed25519:…", as hookscope fleet keys prints them',
    accepts: (v) => Array.isArray(v) && v.every((key) => isText(key) && isPublicKey(key)),
  },
  channels: {
    expected: 'an array of names, one or more',
    accepts: (v) => Array.isArray(v) && v.length > 0 && v.every(NAMED.accepts),
  },
  allow: FILLED,
  folder: FILLED,
  directory: FILLED,
  patience: SECONDS,
  closeTimeout: SECONDS,
  askElsewhere: oneOf(...ASK_ELSEWHERE),
  askTimeout: SECONDS,
  maxBytes: BYTES,
  logger: checks.fn,
};

const TLS = { ca: FILLED, cert: FILLED, key: FILLED };

/** Throws INVALID_OPTIONS. */
export function checkFleetOptions(options: FleetOptions): void {
  const wrong = (where: string, expected: string): HookscopeError =>
    new HookscopeError('INVALID_OPTIONS', { where: `fleet: ${where}`, expected });
  if (!isObject(options)) throw wrong('options', 'expected an object of options, { servers, team, keys }');
  checkKeys(options, FLEET, 'fleet: ');
  if (options.tls !== undefined) checkKeys(options.tls, TLS, 'fleet: tls.');
  if (options.team === undefined) throw wrong('team', 'is missing; expected the name of a team');
  if (options.keys === undefined)
    throw wrong('keys', 'is missing; expected the public keys that bundles are signed with');
  if ((options.servers === undefined) === (options.engine === undefined))
    throw wrong('servers', 'expected either servers or an engine');
}

/** The options, with their defaults. */
export function completeOptions(options: FleetOptions) {
  const { folder = join(stateFolder(), 'fleet'), directory = process.cwd(), servers = [] } = options;
  const absolute = (path: string): string => (isAbsolute(path) ? path : resolve(path));
  return {
    team: options.team,
    keys: [...options.keys],
    servers: typeof servers === 'string' ? [servers] : [...servers],
    channels: [...new Set(options.channels ?? ['stable'])],
    allow: absolute(options.allow ?? usualAllowFile()),
    folder: join(absolute(folder), options.team),
    directory: absolute(directory),
    patience: options.patience ?? 3,
    closeTimeout: options.closeTimeout ?? 2,
    askElsewhere: options.askElsewhere ?? 'never',
    askTimeout: options.askTimeout,
    maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
  };
}
