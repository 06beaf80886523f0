import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TABLES } from '../../agents/agents.js';
import { checkHookFiles, type HookFinding } from '../../check/check.js';
import { formatProblem } from '../../claude-code/files/findings.js';
import { CLAUDE_PLACES, type ClaudePlace, completeFiles } from '../../claude-code/files/places.js';
import type { HookFile } from '../../claude-code/files/settings.js';
import { findSources } from '../../claude-code/files/sources.js';
import { listHeld } from '../../claude-code/trust/held.js';
import { HookscopeError } from '../../errors.js';
import { HOOK_EVENTS } from '../../events/catalogue.js';
import { formatForeign } from '../../foreign/format.js';
import { findForeign } from '../../foreign/places.js';
import type { DescribedHook, Description } from '../../host/types.js';
import { clip, ended, plain } from '../../plain.js';
import { heldConfigs } from '../../plugins/config-trust.js';
import { createTrustStore, defaultTrustFile } from '../../trust/store.js';
import { homeFolder } from '../../values/user-folders.js';
import { messageOf } from '../../values/waiting/promises.js';
import { shortName } from '../../why/words.js';
import { optionWith } from '../history/again.js';
import { wordsFor } from '../host/claude-flags.js';
import { openHost } from '../host/open-host.js';
import type { DoctorFinding } from './finding.js';
import type { Health } from './health.js';

/** At most this many mistakes are listed one by one. */
const TOLD = 10;

/** Problems in the hook files of this directory and of the user; executes nothing. */
export async function fileFindings(
  hooksFiles: readonly string[],
  connected: ReadonlySet<string>,
): Promise<DoctorFinding[]> {
  const { read, unloaded } = await usersFiles();
  const paths = ['.', ...read.map(({ file }) => file).filter(isFile)];
  const { findings } = await checkHookFiles({ paths, hooksFiles, home: homeFolder() });
  const errors = findings.filter(({ level }) => level === 'error');
  const told = new Set(errors.map(({ file }) => resolve(file)));
  const mistakes = bySame(errors);
  const more = mistakes.length - TOLD;
  return [
    ...(await heldFindings(connected).catch(refused)),
    ...(await othersFindings(connected, new Set(read.map(({ file }) => file)))),
    ...unloaded,
    ...read.filter(({ file }) => !told.has(resolve(file))).flatMap(lost),
    ...mistakes.slice(0, TOLD).map(mistake),
    ...(more > 0
      ? [
          {
            level: 'problem',
            about: 'file',
            text: `${more} more mistakes are in hook files here.`,
            fix: `See hookscope check${hooksFiles.length > 0 ? ' .' : ''}${hooksFiles.map((file) => optionWith('hooks', file)).join('')}.`,
          } as const,
        ]
      : []),
  ];
}

/** What `--claude-code` reads of the user and the machine: if hooks of these files are lost, each call is refused. */
async function usersFiles(): Promise<{ read: HookFile[]; unloaded: DoctorFinding[] }> {
  const read: HookFile[] = [];
  const unloaded: DoctorFinding[] = [];
  const kinds: readonly (readonly ClaudePlace[])[] = [['managed'], ['user', 'agents', 'skills']];
  for (const places of kinds)
    try {
      const sources = await findSources(completeFiles({ projectDir: '.', places }, HOOK_EVENTS));
      read.push(...sources.filter(({ needsTrust }) => !needsTrust).map(({ file }) => file));
    } catch (error) {
      unloaded.push({ level: 'problem', about: 'file', text: ended(plain(messageOf(error))), fix: LOST });
    }
  return { read, unloaded };
}

const LOST = 'Correct it: until then every call that --claude-code asks about is refused.';

/** A file whose hooks are lost and that has no mistake that could be listed, since it cannot be read. */
function lost({ dropped, problems }: HookFile): DoctorFinding[] {
  const wrong = problems.find(({ level }) => level === 'error');
  if (dropped === undefined || wrong === undefined) return [];
  return [{ level: 'problem', about: 'file', text: ended(formatProblem(wrong)), fix: LOST }];
}

const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** The same for the files that `--from` reads, where they are not those of connect. `read`: files that are read in another way. */
async function othersFindings(connected: ReadonlySet<string>, read: ReadonlySet<string>): Promise<DoctorFinding[]> {
  const { readFound } = await import('../../foreign/consent.js');
  const { hasOnly } = await import('../../connect/health.js');
  const findings: DoctorFinding[] = [];
  for (const table of TABLES)
    for (const { file, place } of findForeign(table, { projectDir: '.' }).found) {
      if (place === 'project' || read.has(file) || (await hasOnly(file, connected))) continue;
      const { problems, dropped } = await readFound(table, file);
      const wrong = problems.find(({ level }) => level === 'error');
      if (dropped === undefined || wrong === undefined) continue;
      const fix = `${table.title} drops the file. Correct it: hookscope agents ${table.name} shows how it is written.`;
      findings.push({ level: 'problem', about: 'file', text: ended(formatForeign(wrong)), fix });
    }
  return findings;
}

/** A mistake in the commands of several hooks of a file, such as a script that is gone, is told once. */
function bySame(errors: readonly HookFinding[]): (readonly [HookFinding, ...HookFinding[]])[] {
  const found = new Map<string, [HookFinding, ...HookFinding[]]>();
  for (const error of errors) {
    const place = /\.command$/.test(error.where) ? '' : error.where;
    const key = JSON.stringify([error.file, error.rule, error.message, error.fix, place]);
    const same = found.get(key);
    if (same) same.push(error);
    else found.set(key, [error]);
  }
  return [...found.values()];
}

function mistake([{ file, line, where, message, fix }, ...same]: readonly [
  HookFinding,
  ...HookFinding[],
]): DoctorFinding {
  // A message such as "expected seconds" is about a key, which is therefore added.
  const more = same.length === 0 ? '' : `, and ${same.length} more`;
  const key = where === '' ? '' : ` (${clip(where, 100)}${more})`;
  const text = `${plain(file)}:${line}: ${plain(message).replace(/(?<!\.\.)\.$/, '')}${key}`;
  return { level: 'problem', about: 'file', text: ended(text), fix: plain(fix) };
}

/** A file of consent that cannot be read, or may not be used, such as one in this folder. */
function refused(error: unknown): DoctorFinding[] {
  if (!isOfConsent(error)) throw error;
  const fix = 'Until this is mended, hooks that need consent do not run here.';
  return [{ level: 'problem', about: 'file', text: ended(plain(error.message)), fix }];
}

const isOfConsent = (error: unknown): error is HookscopeError =>
  error instanceof HookscopeError && (error.details as { file?: unknown }).file === defaultTrustFile();

/** `connected`: handlers that connect has written. A file with no others needs no consent here, since its agent runs them. */
async function heldFindings(connected: ReadonlySet<string>): Promise<DoctorFinding[]> {
  const store = createTrustStore();
  // Managed files need no consent, and a wrong one, which is told of beside this, would be an error here.
  const places = CLAUDE_PLACES.filter((place) => place !== 'managed');
  const found = await listHeld({ projectDir: process.cwd(), places });
  const all = [...(await heldConfigs(process.cwd(), store)), ...found];
  const held: typeof all = [];
  const { hasOnly } = await import('../../connect/health.js');
  for (const file of all) if (file.state !== 'never' || !(await hasOnly(file.file, connected))) held.push(file);
  return held.map((file) => ({
    level: 'problem',
    about: 'file',
    text: ended(plain(wordsFor(file))),
    fix: 'Look at it and accept or forget it: hookscope trust.',
  }));
}

/** Hooks that are registered here and that records of this folder's fires never list. */
export async function unlistedFindings(
  health: Health,
  fired: ReadonlySet<string>,
  { hooksFiles, handlers }: { readonly hooksFiles: readonly string[]; readonly handlers: ReadonlySet<string> },
): Promise<DoctorFinding[]> {
  if (fired.size === 0) return [];
  const found = await registered(hooksFiles, health.readsClaude);
  if ('problem' in found) return [found.problem];
  return (
    found.hooks
      .filter(({ event, name, skip }) => skip === undefined && fired.has(event) && !health.lists(event, name))
      // Records do not list the command by which an agent asks hookscope.
      .filter(({ name }) => !handlers.has(name))
      .map(({ event, name, source }) => ({
        level: 'remark',
        about: 'hook',
        text: `${shortName(name)} (${plain(source.file ?? source.kind)}) is registered for ${plain(event)}, and no fire of it here lists it.`,
        fix: 'Those fires were made before it was registered, or by a host that does not read this file: restart the agent, or the server (hookscope serve).',
      }))
  );
}

type RegisteredHooks = { readonly hooks: readonly DescribedHook[] } | { readonly problem: DoctorFinding };

/** The hooks registered for everyone, as `list` shows them. `readsClaude`: with those of Claude Code's files, which otherwise only Claude Code runs. */
async function registered(hooks: readonly string[], readsClaude: boolean): Promise<RegisteredHooks> {
  try {
    const { host } = await openHost(
      { hooks, ...(readsClaude && { claudeCode: true }) },
      { executes: false, tell: () => undefined },
    );
    const found = everybodys(host.describe());
    await host.close();
    return { hooks: found };
  } catch (error) {
    if (!(error instanceof HookscopeError)) throw error;
    // That is told where consent is looked up.
    if (isOfConsent(error)) return { hooks: [] };
    const fix = 'Correct it; until then none of its hooks are registered.';
    return { problem: { level: 'problem', about: 'file', text: messageOf(error), fix } };
  }
}

/** Leaves out hooks in agents' scopes: they apply only once such an agent starts. */
function everybodys({ kind, hooks, children }: Description): DescribedHook[] {
  return /^agent/.test(kind) ? [] : [...hooks, ...children.flatMap(everybodys)];
}
