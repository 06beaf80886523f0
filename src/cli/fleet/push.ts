import { resolve } from 'node:path';
import { HookscopeError } from '../../errors.js';
import type { Bundle } from '../../fleet/bundle/bundle.js';
import { isPublicKey, readKey, type SigningKey } from '../../fleet/bundle/keys.js';
import type { FleetEngine } from '../../fleet/engine.js';
import {
  type BundleDraft,
  besideIn,
  bundleOf,
  type ChannelState,
  earlier,
  nextSequence,
  type PolicySource,
  readSource,
  sourceOf,
  stateOf,
} from '../../fleet/operator.js';
import { checkPolicy } from '../../fleet/policy/check.js';
import { foresee, objectionOf } from '../../fleet/policy/foresee.js';
import { post } from '../../fleet/send.js';
import { hostsIn } from '../../fleet/status.js';
import { plain } from '../../plain.js';
import { wrongOption } from '../../values/options.js';
import type { Terminal } from '../terminal.js';
import { atBroker, channelOf, type FleetFlags, whereOf } from './flags.js';

/** What both verbs read from the flags. */
interface PushRequest {
  readonly channel: string;
  readonly keys: readonly SigningKey[];
  /** Public keys: only bundles that one of them has signed count. */
  readonly counts: readonly string[];
  readonly sequence: number | undefined;
  readonly terminal: Terminal;
}

/** Signs the policy of a folder and posts it. */
export async function pushVerb([folder]: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const where = whereOf(flags);
  const given = givenBy(flags, terminal);
  const { channel, keys } = given;
  const canary = flags.canary === undefined ? undefined : shareIn(flags.canary);
  const source = await readSource(resolve(folder as string));
  tellBeside(resolve(folder as string), source, terminal);
  const draft = { team: where.team, channel, source, revision: flags.revision, canary, keys };
  await checkDraft(draft, terminal, { isNew: true });
  if (canary !== undefined && source.about.keys !== undefined)
    throw wrongOption(
      '--canary',
      'a canary cannot change the keys: first push the bundle with "keys" to all hosts, then try the next one without',
    );
  const bundle = await atBroker(where, terminal, async (engine) => {
    await engine.prepare();
    const state = await stateOf(engine, { team: where.team, channel, keys: given.counts });
    return sendDraft(engine, draft, state, given);
  });
  await terminal.print(posted(bundle));
  return 0;
}

/** Reports files of the folder that lie outside its roots: the user may have meant to include them. */
export function tellBeside(folder: string, source: PolicySource, { tell }: Terminal): void {
  const { files, unread } = besideIn(folder, source);
  const named = (all: readonly string[]): string =>
    `${all.slice(0, MOST_TOLD).join(', ')}${all.length > MOST_TOLD ? `, and ${all.length - MOST_TOLD} more` : ''}`;
  if (files.length > 0) tell(`left out, since they lie below none of its roots: ${named(files)}`);
  if (unread.length > 0) tell(`not looked at for files that are left out, since it cannot be read: ${named(unread)}`);
}

/** Signs an earlier bundle again, with a higher sequence. */
export async function rollbackVerb(_: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const where = whereOf(flags);
  const given = givenBy(flags, terminal);
  const { channel, keys } = given;
  const bundle = await atBroker(where, terminal, async (engine) => {
    const state = await stateOf(engine, { team: where.team, channel, keys: given.counts });
    const target = earlier(state, flags.to);
    if (target === undefined) throw wrongOption('fleet rollback', whyNone(state, channel, flags.to));
    const { revision, created } = target.manifest;
    const draft = { team: where.team, channel, source: sourceOf(target), revision, created, keys };
    await checkDraft(draft, terminal, { isNew: false });
    return sendDraft(engine, draft, state, given);
  });
  await terminal.print(posted(bundle));
  return 0;
}

/** Judges the draft as a host does, so that a bundle which every host would refuse is not posted. Rejects with BUNDLE_REFUSED. */
async function checkDraft(draft: BundleDraft, terminal: Terminal, how: { readonly isNew: boolean }): Promise<void> {
  const bundle = bundleOf({ ...draft, canary: undefined }, 1);
  const reason = objectionOf(bundle, { keys: draft.keys.map(({ id }) => id) });
  if (reason !== undefined) throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
  const { needs } = await checkPolicy(bundle, process.cwd(), how);
  for (const need of needs) terminal.tell(`hosts refuse it unless they allow it: ${need}`);
}

/** Posts the draft under the given sequence number, or the next one. Rejects with BUNDLE_REFUSED, FLEET_FAILED. */
async function sendDraft(
  engine: FleetEngine,
  draft: BundleDraft,
  state: ChannelState,
  { channel, sequence, terminal }: PushRequest,
): Promise<Bundle> {
  const { foreign, sequence: last } = state;
  const { keys } = state.chain;
  if (foreign > 0)
    terminal.tell(
      `${foreign} of what is kept in ${channel} does not count, since none of the keys has signed it; where it is the team's, name its key (--key)`,
    );
  const bundle = bundleOf(draft, sequence ?? nextSequence(state, channel));
  // Without the canary's share: keys and sequence are judged for all hosts.
  const { canary: _, ...forAll } = draft;
  const whole = bundleOf(forAll, bundle.manifest.sequence);
  const changed = objectionOf(whole, { keys: keys.all });
  if (changed !== undefined) terminal.tell(`hosts that have followed the change of keys refuse it: ${changed}`);
  const ids = draft.keys.map(({ id }) => id);
  const { refusals, doubts, byAll } = foresee(bundle, ids, hostsIn(await engine.state.all()), state.posts);
  if (byAll && sequence === undefined) {
    const reason = `every host that has reported refuses it: ${refusals[0]}; see fleet status, and give the number to post it under (--sequence N)`;
    throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
  }
  for (const refusal of refusals.slice(0, MOST_TOLD)) terminal.tell(refusal);
  if (refusals.length > MOST_TOLD) terminal.tell(`so do ${refusals.length - MOST_TOLD} more`);
  const late = objectionOf(whole, { keys: keys.all, ...(last !== undefined && { sequence: last }) });
  if (refusals.length === 0 && late !== undefined && late !== changed) terminal.tell(`it counts for no host: ${late}`);
  for (const doubt of doubts.slice(0, MOST_TOLD)) terminal.tell(doubt);
  for (const problem of await post(engine, bundle, state)) terminal.tell(problem);
  return bundle;
}

const MOST_TOLD = 5;

function whyNone({ history, foreign }: ChannelState, channel: string, to: string | undefined): string {
  const there = [...new Set(history.map(({ manifest }) => manifest.revision))].join(', ') || 'none';
  const why =
    to === undefined
      ? `there is nothing before the last revision of ${channel}`
      : `${channel} has no revision ${to}; there are ${there}`;
  if (foreign === 0) return why;
  return `${why}; ${foreign} that none of the keys has signed do not count: where they are the team's, name their key (--key ed25519:…)`;
}

function givenBy(flags: FleetFlags, terminal: Terminal): PushRequest {
  const keys = keysOf(flags);
  const wrong = flags.key?.find((key) => !isPublicKey(key));
  if (wrong !== undefined)
    throw wrongOption('--key', `expected a public key, "ed25519:…", as hookscope fleet keys prints it; got "${wrong}"`);
  const counts = [...keys.map(({ id }) => id), ...(flags.key ?? [])];
  return { channel: channelOf(flags), keys, counts, sequence: numberIn(flags.sequence), terminal };
}

function posted({ manifest, bytes }: Bundle): string {
  const { channel, revision, sequence, canary, files } = manifest;
  const who = canary === undefined ? 'all hosts' : `${canary * 100} % of hosts`;
  return `${channel} ${plain(revision)} (${sequence}) is posted for ${who}: ${Object.keys(files).length} files, ${bytes.length} bytes`;
}

function keysOf({ sign = [] }: FleetFlags): SigningKey[] {
  if (sign.length === 0) throw wrongOption('--sign', 'expected the file of a key; hookscope fleet keys new makes one');
  return sign.map((file) => readKey(resolve(file)));
}

function numberIn(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,11}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw wrongOption('--sequence', `expected a number from 1 on, got "${text}"`);
}

function shareIn(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const share = Number(number) / (percent === '%' ? 100 : 1);
  if (share > 0 && share < 1) return share;
  throw wrongOption('--canary', `expected a share of hosts over 0 and under 1, 5% or 0.05, got "${text}"`);
}
