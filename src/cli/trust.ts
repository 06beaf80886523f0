import { resolve } from 'node:path';
import { listAccepted, listHeld } from '../claude-code/trust/held.js';
import { heldMcpServers } from '../claude-code/trust/mcp-servers.js';
import { listHeldAgentFiles } from '../foreign/load.js';
import { plain } from '../plain.js';
import { heldConfigs } from '../plugins/config-trust.js';
import { acceptTrust, boundFiles } from '../trust/accept.js';
import { keepAcceptances } from '../trust/acceptances.js';
import type { TrustRequest } from '../trust/consent.js';
import { trustDiff } from '../trust/diff.js';
import type { UnacceptedFile } from '../trust/held-file.js';
import { createTrustStore, type TrustStore } from '../trust/store.js';
import { nearest } from '../values/nearest.js';
import { wrongOption } from '../values/options.js';
import { sha256 } from '../values/sha256.js';
import { maskOf } from './history/masked.js';
import { checkNamed } from './host/claude-flags.js';
import { fromOf } from './host/from-flags.js';
import type { Flags } from './options.js';
import type { Terminal } from './terminal.js';
import { forgetTrust, listTrust } from './trust-list.js';

type AnyHeldFile = UnacceptedFile<string>;

type TrustFlags = Flags<'from' | 'pluginDir' | 'agentFile' | 'list' | 'revoke' | 'forget' | 'data' | 'yes'>;

type AskUser = NonNullable<Terminal['ask']>;

export async function trustCommand(args: readonly string[], flags: TrustFlags, terminal: Terminal): Promise<number> {
  const files = { projectDir: args[0] ?? process.cwd(), plugins: flags.pluginDir ?? [], agents: flags.agent ?? [] };
  const store = createTrustStore();
  if (typeof flags.forget === 'string') return forgetTrust([flags.forget], store, terminal);
  if (flags.forget || flags.revoke) return forgetTrust([files.projectDir, ...files.plugins], store, terminal);
  checkNamed(files);
  const held = [
    ...(await heldConfigs(files.projectDir, store)),
    ...heldMcpServers(files.projectDir, store),
    ...(await listHeld(files)),
    ...(await heldOfAgents(flags, files.projectDir)),
  ];
  if (flags.list) return listTrust(held, { store, projectDir: files.projectDir }, terminal);
  const data = new DataNames(flags.data ?? []);
  const bound = flags.data ? (await listAccepted(files)).filter((file) => data.changes(file)) : [];
  const waiting = [...held, ...bound];
  data.check(waiting);
  if (waiting.length === 0) {
    await terminal.print('Nothing waits for consent.');
    return 0;
  }
  const { ask } = terminal;
  if (flags.yes && !ask) {
    throw wrongOption('--yes', 'consent is given at a terminal; a program that has asked elsewhere uses --trust all');
  }
  let left = 0;
  for (const file of waiting) {
    const shown = await describe(file, data);
    await terminal.print(shown);
    const above = shown.split('\n').length;
    const answer =
      ask && (flags.yes ? { data: data.namesOf(file) } : await question(file, data, { ask, terminal, above }));
    if (answer) accept(file, answer.data, store);
    else left++;
    if (ask) await terminal.print(answer ? 'accepted' : 'held');
  }
  if (!ask) terminal.tell('nothing was accepted: run it at a terminal to be asked');
  else if (left < waiting.length) await (await import('./server/load-accepted.js')).loadAccepted(terminal);
  return left > 0 ? 1 : 0;
}

async function heldOfAgents(flags: TrustFlags, projectDir: string): Promise<AnyHeldFile[]> {
  const look = { projectDir: resolve(projectDir), trust: 'stored' } as const;
  return (await Promise.all(fromOf(flags).map(({ agent }) => listHeldAgentFiles(agent, look)))).flat();
}

/** Lines that most terminals show at once. */
const SCREEN = 40;

function accept({ state, request, previous }: AnyHeldFile, data: readonly string[], store: TrustStore): void {
  const isGone = state === 'gone';
  const hashOf = (of: Pick<TrustRequest, 'definition' | 'files'>) => sha256(JSON.stringify([of.definition, of.files]));
  const from = previous === undefined ? null : hashOf(previous);
  const files = boundFiles(request, store, data);
  const names = Object.keys(files).filter((name) => files[name]?.data);
  const change = isGone
    ? { what: `that ${request.file} is gone`, from, to: null }
    : { what: request.file, from, to: hashOf({ ...request, files }), ...(names.length > 0 && { data: names }) };
  const refused = keepAcceptances('hookscope trust', [change]);
  try {
    if (isGone) store.revoke(request.file);
    else acceptTrust(request, store, { data });
  } catch (error) {
    refused();
    throw error;
  }
}

/** Asks about a file. The answer is yes, perhaps with the names of files whose content is not bound, or no (undefined). */
async function question(
  file: AnyHeldFile,
  data: DataNames,
  { ask, terminal, above }: { readonly ask: AskUser; readonly terminal: Terminal; readonly above: number },
): Promise<{ data: readonly string[] } | undefined> {
  const names = Object.keys(file.request.files);
  const verb = file.state === 'gone' ? 'Forget' : 'Accept';
  const choices = names.length > 0 ? 'y/N, or "data NAME" if the file NAME changes on its own' : 'y/N';
  // Text that has scrolled out of view must not be accepted as if it had been read.
  const length = above > SCREEN ? ` (${above} lines above)` : '';
  for (let chosen = data.namesOf(file); ; ) {
    const answer = (await ask(`${verb} ${plain(file.file)}?${length} [${choices}] `)).trim();
    if (/^y(es)?$/i.test(answer)) return { data: chosen };
    const [, word] = /^data(?:\s+(\S.*))?$/i.exec(answer) ?? [];
    if (!/^data\b/i.test(answer) || names.length === 0) return undefined;
    const found = word === undefined ? onlyChange(file) : findName(file, word);
    if (found !== undefined) {
      chosen = [...new Set([...chosen, found])];
      await terminal.print(`  bound by name alone: ${plain(found)}`);
      return { data: chosen };
    }
    await terminal.print(`  it names: ${names.map(plain).join(', ')}`);
  }
}

/** The name of the changed file, if only one has changed. */
function onlyChange({ request, previous }: AnyHeldFile): string | undefined {
  const changed = changedNames(request.files, previous?.files);
  return changed.length === 1 ? changed[0] : undefined;
}

function changedNames(files: AnyHeldFile['request']['files'], before: AnyHeldFile['request']['files'] = {}): string[] {
  return Object.keys(files).filter((name) => {
    const known = before[name];
    return known?.data !== true && (known?.sha256 ?? null) !== (files[name]?.sha256 ?? null);
  });
}

/** Finds a file by the name that the command gives it, or by its path. */
function findName({ request: { files, project } }: AnyHeldFile, word: string): string | undefined {
  return Object.keys(files).find(
    (name) => name === word || [resolve(project, word), resolve(word)].includes(resolve(project, name)),
  );
}

/** The names that `--data` gives. */
class DataNames {
  readonly #words: readonly string[];

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  namesOf(file: AnyHeldFile): string[] {
    return this.#words.flatMap((word) => findName(file, word) ?? []);
  }

  /** Whether an accepted file has to be accepted again because of these names. */
  changes(file: AnyHeldFile): boolean {
    return this.namesOf(file).some((name) => file.previous?.files[name]?.data !== true);
  }

  /** A name that no command uses is a mistake. Throws INVALID_OPTIONS. */
  check(files: readonly AnyHeldFile[]): void {
    const known = [...new Set(files.flatMap(({ request }) => Object.keys(request.files)))];
    const wrong = this.#words.find((word) => files.every((file) => findName(file, word) === undefined));
    if (wrong === undefined || files.length === 0) return;
    const expected = `"${wrong}" is named by no command that is asked about; there are ${known.join(', ') || 'none'}`;
    throw wrongOption('--data', expected, nearest(wrong, known));
  }
}

/** What accepting a file would bind: everything, or what has changed. */
async function describe(file: AnyHeldFile, data: DataNames): Promise<string> {
  const { kind, name, why, request, previous } = file;
  const head = `${kind}${name === undefined ? '' : ` ${plain(name)}`}  ${plain(file.file)}\n  ${plain(why)}`;
  // Unchanged names would only distract from the changed ones.
  const named = changedNames(request.files, previous?.files).flatMap((path) => {
    const { sha256 = null } = request.files[path] ?? {};
    return sha256 === null ? [] : [`  ${sha256.slice(0, 12)}  ${plain(path)}`];
  });
  const unknown = request.unresolved.map((word) => `  ${plain(word)}`);
  const filled = (request.filled ?? []).map((line) => `  ${plain(maskOf({}).text(line))}`);
  const before = Object.entries(previous?.files ?? {}).flatMap(([path, bound]) => (bound.data ? [path] : []));
  const byName = [...new Set([...before.filter((path) => path in request.files), ...data.namesOf(file)])];
  const diff = (await trustDiff(previous, request)).split('\n').map((line) => `    ${plain(line)}`);
  // One word in a long text may keep a guard from denying anything.
  const loosens = previous !== undefined && diff.some((line) => /^\s*[+-].*\benforce\b/.test(line));
  return [
    head,
    ...(loosens
      ? ['  it changes what is enforced: a hook with "enforce": false, or a share of sessions, stops nothing there']
      : []),
    ...(named.length > 0 ? ['  it names:', ...named] : []),
    ...(filled.length > 0 ? ['  with the variables as they are now, it runs or asks:', ...filled] : []),
    ...(byName.length > 0
      ? ['  bound by name alone, whatever they hold:', ...byName.map((path) => `  ${plain(path)}`)]
      : []),
    ...(unknown.length > 0
      ? ['  it also runs these, which are known only at run time and which no consent binds:', ...unknown]
      : []),
    previous ? '  what has changed:' : '  what would be accepted:',
    ...diff,
  ].join('\n');
}
