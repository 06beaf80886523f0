import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { createRedactor } from '../../emit/redact/redactor.js';
import { checkFolder } from '../../files/folder.js';
import { OPEN_IT } from '../../files/regular-file.js';
import { hasJoined } from '../../fleet/has-joined.js';
import { plain } from '../../plain.js';
import { acceptedChanges, shownBy } from '../../server/bound/accepted-changes.js';
import { bindSet } from '../../server/bound/bind-set.js';
import { type BoundFiles, fateOf } from '../../server/bound/files.js';
import { absoluteSet, isNamed } from '../../server/named-set.js';
import { placesOf, type ServerPaths } from '../../server/places.js';
import { changesSince, droppedSince, readServed } from '../../server/served.js';
import { ensureTokens } from '../../server/tokens.js';
import type { ServerSettings } from '../../server/worker.js';
import { keepAcceptances } from '../../trust/acceptances.js';
import { MEND_BIT } from '../../trust/changes.js';
import { realOr } from '../../trust/consent.js';
import { wrongOption } from '../../values/options.js';
import type { HostFlags } from '../host/open-host.js';
import type { Flags } from '../options.js';
import { maskedTerminal } from '../redact.js';
import type { Terminal } from '../terminal.js';

export type ServeFlags = HostFlags & Flags<'projects' | 'data' | 'port' | 'dev' | 'accept' | 'install'>;

const NOTHING =
  'no hooks are served: name them (--hooks, --config, --plugin, …), or a project (--project); a configuration that is only in the folder does not count. For example: hookscope serve --hooks hooks.json';

/** Serves hooks in the foreground until it is interrupted. */
export async function serveCommand(_: readonly string[], flags: ServeFlags, shown: Terminal): Promise<number> {
  if (process.platform === 'win32')
    throw wrongOption('serve', 'it does not run on Windows; hookscope hook does, without it');
  // Masked, because whatever started the server may store the output, in a journal or a file.
  const masked = maskedTerminal(shown, createRedactor());
  const terminal = flags.dev ? devTerminal(masked) : masked;
  if (cluster.isWorker) return (await import('./serve-child.js')).serveChild(terminal);
  if (flags.accept) return (await import('./serve-accept.js')).acceptChanges(terminal);
  const places = placesOf();
  const { project, data = [], port, dev, accept: _a, install, ...set } = flags;
  const cwd = process.cwd();
  const named: ServerSettings = {
    set: absoluteSet(set, cwd),
    cwd,
    projects: (project ?? []).map(projectIn),
    data: data.map((name) => resolve(cwd, name)),
    ...(port === undefined ? {} : { port }),
    dev: dev === true,
  };
  if (!isNamed(set) && named.projects.length === 0 && !hasJoined()) terminal.tell(NOTHING);
  if (install) return (await import('./serve-install.js')).installService(named, terminal);
  // The folders themselves: a link may lead elsewhere by the time that hooks are loaded again, or asked without the server.
  const serving = { ...named, projects: named.projects.map(realOr) };
  const before = readServed(places);
  const paths = changesSince(before);
  const dropped = before === undefined ? [] : droppedSince(before, serving);
  // Before the user is asked, so that what is served is what was shown.
  const changes = before === undefined ? [] : acceptedChanges(paths, before.bindings);
  const changed = changes.map(({ what: file, executable }) => {
    const fate = fateOf(file, before?.bindings.files[file]);
    const stopped = executable === false ? `, which can no longer be executed: ${MEND_BIT}` : '';
    const open = fate === 'closed' ? `: ${OPEN_IT}` : '';
    return `${fate} since it was served last: ${file}${stopped}${open}`;
  });
  let files: BoundFiles = {};
  const look = async (): Promise<void> => {
    await checkStart(serving, places);
    files = await bindSet(serving.set, cwd);
  };
  const all = [...changed, ...dropped];
  if (!(await isAccepted(all, terminal, look))) return 1;
  const since = all.length === 0 ? 'during the start' : 'while you were asked';
  const isBound = before !== undefined && !before.dev && !serving.dev;
  const accepted = [...changes, ...dropped.map((what) => ({ what, from: null, to: null }))];
  const tokens = ensureTokens(places);
  const { runPrimary } = await import('../../server/primary.js');
  await runPrimary({
    serving,
    places,
    exec: process.argv[1] as string,
    args: ['serve', ...(dev ? ['--dev'] : [])],
    shown: isBound ? shownBy(before.bindings, { changes, named: files, since }) : undefined,
    signal: terminal.signal,
    tell: terminal.tell,
    loaded: () => keepAcceptances('hookscope serve', accepted, places.state),
    ready(at) {
      const where = [places.socket, ...(at === undefined ? [] : [`http://127.0.0.1:${at}`])].map(plain).join(' and ');
      void terminal.print(
        `hookscope serves on ${where}; its tokens are in ${plain(places.tokens)}${dev ? ' (--dev: changes are loaded without asking)' : ''}`,
      );
      void tokens;
    },
  });
  return 0;
}

/** Says on every line that changes are loaded without asking. */
const devTerminal = (terminal: Terminal): Terminal =>
  Object.create(terminal, { tell: { value: (text: string) => terminal.tell(`(--dev) ${text}`) } }) as Terminal;

/** The user must agree if files that were served have changed, or if less would be served. */
async function isAccepted(
  changes: readonly string[],
  terminal: Terminal,
  check: () => Promise<void>,
): Promise<boolean> {
  if (changes.length === 0) return true;
  for (const change of changes) terminal.tell(change);
  await check();
  if (terminal.ask === undefined) {
    terminal.tell('nothing is served: start it at a terminal, where a person can accept that');
    return false;
  }
  return /^y(?:es)?$/i.test((await terminal.ask('Serve it as it is now? [y/N] ')).trim());
}

/** Rejects where the start would fail whatever the user says: nobody is asked for nothing. */
async function checkStart({ set }: ServerSettings, { socket }: ServerPaths): Promise<void> {
  const [{ checkNotRunning }, { checkNames }] = [
    await import('../../server/take-socket.js'),
    await import('./serve-install.js'),
  ];
  await checkNotRunning(socket);
  await checkNames(set);
}

function projectIn(folder: string): string {
  const root = resolve(folder);
  checkFolder(root);
  return root;
}
