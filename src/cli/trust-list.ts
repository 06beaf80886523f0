import { existsSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { plain } from '../plain.js';
import { keepAcceptances } from '../trust/acceptances.js';
import { type Consent, isSame, liesInProject } from '../trust/consent.js';
import type { UnacceptedFile } from '../trust/held-file.js';
import type { TrustStore } from '../trust/store.js';
import type { Terminal } from './terminal.js';

/** Lists everything that was accepted and every file that waits for it, each with its state. */
export async function listTrust(
  held: readonly UnacceptedFile<string>[],
  { store, projectDir }: { readonly store: TrustStore; readonly projectDir: string },
  terminal: Terminal,
): Promise<number> {
  const changed = new Set(held.map(({ request }) => request.file));
  const stateOf = (consent: Consent): string =>
    isSame(consent.project, projectDir) || !liesInProject(consent) ? 'accepted' : 'elsewhere';
  // An acceptance of a file that is gone binds nothing. The hooks of a configuration are bound by its bytes, not by a definition.
  const binds = ({ definition, files }: Consent): boolean => definition !== '{}' || Object.keys(files).length > 0;
  const accepted = store
    .list()
    .filter(binds)
    .map((consent) => ({ ...consent, state: stateOf(consent) }))
    .filter(({ state, file }) => state === 'elsewhere' || !changed.has(file))
    .map(({ state, file, project, at }) => `${state} ${at}  ${plain(file)}  (in ${plain(project)})`);
  const waiting = held.map(({ state, file, why }) => `${state}  ${plain(file)}\n  ${plain(why)}`);
  await terminal.print([...accepted, ...waiting].join('\n') || 'Nothing is accepted, and nothing waits to be.');
  return held.length > 0 ? 1 : 0;
}

/** Forgets what was accepted of these files, in these folders, or for these projects. */
export async function forgetTrust(paths: readonly string[], store: TrustStore, terminal: Terminal): Promise<number> {
  const real = paths.flatMap((path) => [resolve(path), ...(existsSync(path) ? [realpathSync(path)] : [])]);
  const within = (path: string): boolean => real.some((one) => path === one || path.startsWith(one + sep));
  const isMeant = ({ file, project, source }: Consent): boolean =>
    [file, file.replace(/#\d+$/, ''), project, ...(source ? [resolve(project, source.place)] : [])].some(within);
  const files = new Set(store.list().flatMap((consent) => (isMeant(consent) ? [consent.file] : [])));
  const changes = [...files].map((file) => ({ what: `that nothing of ${file} is accepted`, from: null, to: null }));
  keepAcceptances('hookscope trust --forget', changes);
  const gone = [...files].filter((file) => store.revoke(file));
  await terminal.print(gone.map((file) => `forgotten  ${plain(file)}`).join('\n') || 'Nothing of it was accepted.');
  return 0;
}
