import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../create-host.js';
import type { CustomEvents } from '../events/catalogue.js';
import { whyNoFolder } from '../files/folder.js';
import { servicesOf } from '../host/internals.js';
import { ENFORCE } from '../host/options.js';
import type { Origin } from '../host/register/origin.js';
import type { Registrar } from '../host/register/registrar.js';
import type { Undo } from '../host/types.js';
import { isExponential } from '../matching/regex-cost.js';
import { checkKeys, checkOption, type Keys } from '../values/options.js';
import { checks } from '../values/shape.js';
import { type ClaudeProblem, formatProblem } from './files/findings.js';
import { type ClaudeFiles, completeFiles, FILES } from './files/places.js';
import { readPolicy } from './files/policy.js';
import type { HookSettings } from './files/settings-keys.js';
import type { ClaudeSource, ClaudeSourceKind } from './files/source.js';
import { findSources } from './files/sources.js';
import { EnvFiles } from './files/variables.js';
import { type PreparedHooks, type PrepareOptions, prepareHooks } from './hooks.js';
import { type SkillHooks, watchSkills } from './skills.js';
import { hasHooks } from './trust/accepted.js';
import { type HeldFile, type JudgedSource, judgeSources, TRUST, type Trust } from './trust/held.js';

export interface LoadClaudeCodeOptions<C extends CustomEvents = CustomEvents> extends ClaudeFiles {
  readonly host: Host<C>;
  /**
   * Decides which hooks of projects and plugins may run. `stored` (default): those that are accepted in the user's own consent file. `all`:
   * all of them, for instance because your program has asked the user itself.
   */
  readonly trust?: Trust;
  /** Like `enforce` of a group, but for the hooks of all files except managed ones. Claude Code's files cannot set it themselves. Default: true. */
  readonly enforce?: boolean | number;
  /** The same keys as in managed settings: `disableAllHooks`, `allowManagedHooksOnly`, `allowedHttpHookUrls`, `httpHookAllowedEnvVars`. */
  readonly policy?: HookSettings;
  /** The folder for files in which hooks leave variables (`CLAUDE_ENV_FILE`). Default: a temporary folder. */
  readonly envDir?: string;
}

const LOAD: Keys<LoadClaudeCodeOptions> = {
  ...FILES,
  host: true,
  trust: TRUST,
  policy: checks.object,
  enforce: ENFORCE,
  envDir: checks.text,
};

/** A file and its status after loading. */
export interface LoadedSource {
  readonly kind: ClaudeSourceKind;
  readonly name?: string;
  readonly file: string;
  /** `held`: the file is not accepted. `untrusted`: it has changed since it was accepted. `dropped`: it has an error. */
  readonly status: 'loaded' | 'held' | 'untrusted' | 'dropped';
  readonly hooks: number;
}

/** The result of `loadClaudeCode`: what was read and registered. */
export interface LoadedClaudeCode {
  /** Everything that is wrong or has no effect, with file, key and position. Errors come first. */
  readonly problems: readonly ClaudeProblem[];
  readonly sources: readonly LoadedSource[];
  /** Files that are not, or no longer, accepted. `acceptTrust(file.request, store)` accepts one. */
  readonly held: readonly HeldFile[];
  /** How many stored consents are for projects at other paths. A project that was moved must be accepted again. */
  readonly acceptedElsewhere: number;
  /** The files that a session's hooks have written as their `CLAUDE_ENV_FILE`, in the order of the hooks. Source them before the session's Bash calls. */
  envFiles(session: string): string[];
  /** Unregisters all hooks. Safe to call twice. */
  undo: Undo;
}

/**
 * Registers the hooks of Claude Code's own files, in the order in which they run: managed settings and their drop-ins, user,
 * project and local settings, named settings, plugins. The hooks of agents are registered in the scope of each agent of that type, those of
 * skills when the skill is invoked. Hooks that never run are listed too, with the file that is the reason.
 *
 * ```ts
 * const { problems, held } = await loadClaudeCode({ host, projectDir: process.cwd() });
 * ```
 * @throws HookscopeError INVALID_CONFIG: a managed file is wrong; UNTRUSTED, FILE: consent cannot be read
 */
export async function loadClaudeCode<C extends CustomEvents>(
  options: LoadClaudeCodeOptions<C>,
): Promise<LoadedClaudeCode> {
  const { wrong: _, ...loaded } = await loadChecked(options, undefined);
  // Their hooks run for every name, so the log says it too.
  for (const problem of loaded.problems)
    if (isExponential(problem.message)) servicesOf(options.host).report(formatProblem(problem));
  return loaded;
}

/** `wrong`: the first error of each file that was dropped although its hooks need no consent, or all files are trusted. */
export type LoadedChecked = LoadedClaudeCode & { readonly wrong: readonly ClaudeProblem[] };

/** Like `loadClaudeCode`. `checksOf`: makes the checks that run before commands of a file that the user named. */
export async function loadChecked<C extends CustomEvents>(
  options: LoadClaudeCodeOptions<C>,
  checksOf: PrepareOptions['checksOf'],
): Promise<LoadedChecked> {
  checkOption('loadClaudeCode(options)', options, { ...checks.object, expected: 'an object of options, { host }' });
  checkKeys(options, LOAD, 'loadClaudeCode: ');
  const { host, trust = 'stored', policy: given, enforce } = options;
  const services = servicesOf(host);
  const files = completeFiles(options, Object.keys(services.events));
  const { judged, elsewhere } = await judgeSources(await findSources(files), trust, files);
  const held = judged.flatMap((each) => each.held ?? []);
  const counting = judged
    .filter(({ held: file, source }) => file?.state !== 'never' && source.file.dropped === undefined)
    .map(({ source }) => source);
  const settings = counting.map(({ kind, file }) => ({ kind, file: file.file, settings: file.settings }));
  const byManaged = (kind: string): number => (kind === 'managed' ? 1 : 0);
  const policy = readPolicy([
    ...settings.sort((a, b) => byManaged(a.kind) - byManaged(b.kind)),
    ...(given ? [{ kind: 'managed', file: 'the policy option', settings: given }] : []),
  ]);
  const folder = options.envDir ?? join(tmpdir(), `hookscope-env-${randomUUID()}`);
  const envFiles = new EnvFiles(folder, services.report);
  const fallback = services.projectDir ?? files.projectDir;
  const standing = judged
    .filter(({ source, whole }) => !whole && counting.includes(source) && hasHooks(source.file))
    .map(({ source }) => source);
  const env = counting.flatMap(({ file }) => file.env);
  const prepared = judged.map((each) => {
    const before = each.whole ? undefined : agentBefore(each.source, standing);
    return prepareHooks(each, {
      policy,
      enforce,
      before,
      envFiles,
      env,
      fallback,
      checksOf,
      report: services.report,
    });
  });
  const undo = registerAll(services.registrar, prepared);
  // A skill's hooks are registered when it is invoked, but the files that they name are bound as they are now.
  if (checksOf) for (const each of prepared) if (each.source.target.for === 'skill') checkEach(each);
  const cleanup = (): void => rmSync(folder, { recursive: true, force: true });
  const keep = options.envDir === undefined ? services.registrar.atClose('claude-code', cleanup) : undefined;
  if (elsewhere > 0 && held.some(({ state }) => state === 'never'))
    services.report(`acceptances for projects at other places: ${elsewhere}; see hookscope trust --list`);
  const message = options.projectDir === undefined ? undefined : whyNoFolder(files.projectDir);
  const noProject: ClaudeProblem[] =
    message === undefined ? [] : [{ level: 'error', rule: 'unreadable', file: files.projectDir, where: '', message }];
  const problems = [...noProject, ...(await Promise.all(prepared.map((hooks) => hooks.problems()))).flat()];
  return {
    problems: [...problems.filter((p) => p.level === 'error'), ...problems.filter((p) => p.level === 'warning')],
    wrong: judged.flatMap(({ source: { needsTrust, file } }) => {
      if (file.dropped === undefined || (needsTrust && trust !== 'all')) return [];
      return file.problems.find(({ level }) => level === 'error') ?? [];
    }),
    sources: judged.map(summaryOf),
    held,
    acceptedElsewhere: elsewhere,
    envFiles: (session) => envFiles.of(session),
    undo() {
      undo();
      keep?.();
      if (keep) cleanup();
    },
  };
}

/** The file that defines the agent instead of this one, if any. A file that is held, dropped or has no hooks (and so needs no consent) does not count. */
function agentBefore(source: ClaudeSource, counting: readonly ClaudeSource[]): string | undefined {
  if (source.yields !== true) return undefined;
  const first = counting.find(({ kind, name }) => kind === 'agent' && name === source.name);
  return first === undefined || first === source ? undefined : first.file.file;
}

/** Registers all hooks or, if it throws, none. */
function registerAll(registrar: Registrar, prepared: readonly PreparedHooks[]): Undo {
  const undos: Undo[] = [];
  const undo = (): void => {
    for (const take of undos.splice(0).reverse()) take();
  };
  const skills: SkillHooks[] = [];
  try {
    for (const { source, hooks, origin } of prepared) {
      if (source.target.for === 'skill') skills.push({ names: source.target.names, hooks, origin });
      else undos.push(...register(registrar, source, hooks, origin));
    }
    if (skills.length > 0) undos.push(watchSkills(registrar, skills));
    return undo;
  } catch (error) {
    undo();
    throw error;
  }
}

function checkEach({ hooks, origin }: PreparedHooks): void {
  for (const group of Object.values(hooks).flat()) for (const hook of group.hooks) origin.trustCheckOf?.(hook);
}

function register(registrar: Registrar, { target }: ClaudeSource, hooks: unknown, origin: Origin): Undo[] {
  switch (target.for) {
    case 'agent':
      return [registrar.register(target.id, hooks, origin)];
    case 'types':
      return target.types.map((type) => registrar.spawnHooks(type, hooks, origin));
    default:
      return [registrar.register(undefined, hooks, origin, target.for === 'managed')];
  }
}

function summaryOf({ source: { kind, name, file }, held }: JudgedSource): LoadedSource {
  const hooks = Object.values(file.hooks).flatMap((groups) => groups.flatMap((group) => group.hooks)).length;
  const asIs = file.dropped === undefined ? 'loaded' : 'dropped';
  const status = held === undefined ? asIs : held.state === 'never' ? 'held' : 'untrusted';
  return { kind, ...(name === undefined ? {} : { name }), file: file.file, status, hooks };
}
