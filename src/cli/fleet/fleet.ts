import { nearest } from '../../values/nearest.js';
import { wrongOption } from '../../values/options.js';
import { PERIOD_OPTIONS, RECORD_OPTIONS, spelled } from '../options.js';
import type { Terminal } from '../terminal.js';
import type { FleetFlags } from './flags.js';

type FleetVerb = (names: readonly string[], flags: FleetFlags, terminal: Terminal) => Promise<number>;

const TLS = ['tlsCa', 'tlsCert', 'tlsKey'] as const;
const WHERE = ['servers', 'team', 'credentials', ...TLS] as const;
/** The arguments and options of each verb. Others are refused: an ignored option would look as if it worked. */
const VERBS: Readonly<
  Record<
    string,
    {
      readonly names: string;
      /** What the arguments are, for the message if they are missing. */
      readonly about?: string;
      readonly flags: readonly (keyof FleetFlags)[];
      /** More options, by the first argument that they go with. */
      readonly more?: Readonly<Record<string, readonly (keyof FleetFlags)[]>>;
      load(): Promise<FleetVerb>;
    }
  >
> = {
  up: { names: '', flags: ['dir', 'port', 'team'], load: async () => (await import('./up.js')).upVerb },
  join: {
    names: 'URL',
    about: "the broker's address, as hookscope fleet join nats://127.0.0.1:4222 --key ed25519:…",
    flags: ['team', 'credentials', ...TLS, 'key', 'channel', 'host', 'allow', 'askElsewhere', 'askTimeout'],
    load: async () => (await import('./join.js')).joinVerb,
  },
  leave: { names: '', flags: [], load: async () => (await import('./join.js')).leaveVerb },
  push: {
    names: 'DIR',
    about: 'the folder of the policy, as hookscope fleet push policy --sign policy.key',
    flags: [...WHERE, 'channel', 'sign', 'key', 'revision', 'canary', 'sequence'],
    load: async () => (await import('./push.js')).pushVerb,
  },
  rollback: {
    names: '',
    flags: [...WHERE, 'channel', 'sign', 'key', 'to', 'sequence'],
    load: async () => (await import('./push.js')).rollbackVerb,
  },
  diff: {
    names: 'DIR',
    about: 'the folder of the policy, as hookscope fleet diff policy',
    flags: [...WHERE, 'channel', 'since', 'json'],
    load: async () => (await import('./diff.js')).diffVerb,
  },
  status: { names: '', flags: [...WHERE, 'json'], load: async () => (await import('./status.js')).statusVerb },
  log: {
    names: '',
    flags: [...WHERE, ...PERIOD_OPTIONS, ...RECORD_OPTIONS, 'host', 'limit', 'long', 'json', 'redact'],
    load: async () => (await import('./log.js')).logVerb,
  },
  approve: {
    names: '[ID]',
    about: 'one id, or nothing to list what waits',
    flags: [...WHERE, 'allow', 'deny', 'reason', 'sign', 'host', 'json'],
    load: async () => (await import('./approve.js')).approveVerb,
  },
  keys: {
    names: 'new|show|host NAME',
    about: 'new FILE, show FILE or host NAME',
    flags: [],
    more: { host: ['dir'] },
    load: async () => (await import('./keys.js')).keysVerb,
  },
};

export async function fleetCommand(names: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const [verb = '', ...rest] = names;
  const found = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (found === undefined) {
    const all = Object.keys(VERBS);
    const near = nearest(verb, all);
    throw wrongOption(
      'fleet',
      `"${verb}" is not known; there are ${all.join(', ')}${near ? `. Did you mean "${near}"?` : ''}`,
    );
  }
  const wanted = found.names === '' ? 0 : found.names.split(' ').length;
  const isFew = found.names.startsWith('[') && rest.length < wanted;
  if (rest.length !== wanted && !isFew)
    throw wrongOption(
      `fleet ${verb}`,
      `expected ${found.names === '' ? 'nothing more' : (found.about ?? found.names)}, got ${rest.length === 0 ? 'nothing' : rest.join(' ')}`,
    );
  const { more = {} } = found;
  const [what = ''] = rest;
  const known: readonly string[] = [...found.flags, ...(Object.hasOwn(more, what) ? (more[what] ?? []) : [])];
  // `redact` is true unless --no-redact was given.
  const stray = Object.keys(flags).find((key) => !known.includes(key) && !(key === 'redact' && flags.redact));
  if (stray !== undefined)
    throw wrongOption(
      `fleet ${found.more === undefined ? verb : `${verb} ${what}`}`,
      `${stray === 'redact' ? '--no-redact' : spelled(stray)} is not for it`,
    );
  return (await found.load())(rest, flags, terminal);
}
