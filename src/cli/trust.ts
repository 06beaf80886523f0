import { existsSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { HookscopeError } from '../errors.js';
import { plain } from '../plain.js';
import { type HeldFile, listHeld } from '../plugins/held.js';
import { acceptTrust } from '../plugins/trust.js';
import { trustDiff } from '../plugins/trust-diff.js';
import { createTrustStore, type TrustStore } from '../plugins/trust-store.js';
import { checkNamed } from './claude-flags.js';
import type { Terminal } from './terminal.js';

interface TrustFlags {
  readonly pluginDir?: readonly string[];
  readonly agent?: readonly string[];
  readonly list?: true;
  readonly revoke?: true;
  readonly yes?: true;
}

export async function trustCommand(args: readonly string[], flags: TrustFlags, terminal: Terminal): Promise<number> {
  const files = { projectDir: args[0] ?? process.cwd(), plugins: flags.pluginDir ?? [], agents: flags.agent ?? [] };
  const store = createTrustStore();
  if (flags.revoke) return revoke([files.projectDir, ...files.plugins], store, terminal);
  checkNamed(files);
  const held = await listHeld(files);
  if (flags.list) return list(held, store, terminal);
  if (held.length === 0) {
    await terminal.print('Nothing is held.');
    return 0;
  }
  const { ask } = terminal;
  if (flags.yes && !ask) {
    throw new HookscopeError('INVALID_OPTIONS', {
      where: '--yes',
      expected: 'consent is given at a terminal; a program that has asked elsewhere uses --trust all',
    });
  }
  let left = 0;
  for (const file of held) {
    await terminal.print(await describe(file));
    const accepted =
      ask !== undefined && (flags.yes === true || isYes(await ask(`Accept ${plain(file.file)}? [y/N] `)));
    if (accepted) acceptTrust(file.request, store);
    else left++;
    if (ask) await terminal.print(accepted ? 'accepted' : 'held');
  }
  if (!ask) terminal.tell('nothing was accepted: run it at a terminal to be asked');
  return left > 0 ? 1 : 0;
}

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

/** What accepting a file would bind: all of it, or what has changed. */
async function describe({ kind, name, file, why, request, previous }: HeldFile): Promise<string> {
  const head = `${kind}${name === undefined ? '' : ` ${plain(name)}`}  ${plain(file)}\n  ${plain(why)}`;
  const named = Object.entries(request.files).flatMap(([path, { sha256 }]) =>
    sha256 === null ? [] : [`  ${sha256.slice(0, 12)}  ${plain(path)}`],
  );
  const unknown = request.unresolved.map((word) => `  ${plain(word)}`);
  const diff = (await trustDiff(previous, request)).split('\n').map((line) => `    ${plain(line)}`);
  return [
    head,
    ...(named.length > 0 ? ['  it names:', ...named] : []),
    ...(unknown.length > 0
      ? ['  it also runs what only the run itself will tell, and no consent binds:', ...unknown]
      : []),
    previous ? '  what has changed:' : '  what would be accepted:',
    ...diff,
  ].join('\n');
}

async function list(held: readonly HeldFile[], store: TrustStore, terminal: Terminal): Promise<number> {
  const accepted = store
    .list()
    .map(({ file, project, at }) => `accepted ${at}  ${plain(file)}  (in ${plain(project)})`);
  const waiting = held.map(({ file, why }) => `held  ${plain(file)}\n  ${plain(why)}`);
  await terminal.print([...accepted, ...waiting].join('\n') || 'Nothing is accepted, and nothing is held.');
  return held.length > 0 ? 1 : 0;
}

/** Everything that was accepted in these folders, or for them. */
async function revoke(folders: readonly string[], store: TrustStore, terminal: Terminal): Promise<number> {
  const real = folders.map((folder) => (existsSync(folder) ? realpathSync(folder) : resolve(folder)));
  const within = (path: string): boolean => real.some((folder) => path === folder || path.startsWith(folder + sep));
  const files = new Set(store.list().flatMap(({ file, project }) => (within(file) || within(project) ? [file] : [])));
  const gone = [...files].filter((file) => store.revoke(file));
  const lines = gone.map((file) => `revoked  ${plain(file)}`);
  await terminal.print(lines.join('\n') || 'Nothing of it was accepted.');
  return 0;
}
