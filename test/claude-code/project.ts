import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadClaudeCodeOptions, type LoadedClaudeCode, loadClaudeCode } from '../../src/claude-code/load.js';
import { listHeld } from '../../src/claude-code/trust/held.js';
import type { Host } from '../../src/create-host.js';
import type { FireRecord, HandlerRecord } from '../../src/emit/record.js';
import type { HookEvent } from '../../src/events/catalogue.js';
import type { HostOptions } from '../../src/host/options.js';
import { acceptTrust } from '../../src/trust/accept.js';
import type { Consent } from '../../src/trust/consent.js';
import type { TrustStore } from '../../src/trust/store.js';
import { fireAny, fires, testHost, watch } from '../host/kit.js';
import { createFolder, type Folder } from '../plugins/folder.js';

/** A shell hook that says its name, and then does what it is told. */
export const hook = (name: string, then = ''): { type: string; command: string } => ({
  type: 'command',
  command: `: ${name}; cat >/dev/null; ${then === '' ? `echo ran ${name} >&2` : then}`,
});

/** Hooks of one event, in a settings file's shape. */
export const hooksOn = (event: string, ...handlers: object[]): { hooks: Record<string, object[]> } => ({
  hooks: { [event]: [{ hooks: handlers }] },
});

/** A deny, printed as JSON. */
export const denies = (reason: string): string =>
  `printf %s '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason } })}'`;

/** A home, a project, plugins and managed settings in one temporary folder. */
export interface Project extends Folder {
  readonly dir: string;
  readonly home: string;
  readonly managedDir: string;
  /** The three, as functions that look for files take them. */
  readonly files: { readonly projectDir: string; readonly home: string; readonly managedDir: string };
  readonly call: Readonly<Record<string, unknown>>;
  /** Accepts everything that is held. */
  acceptAll(store: TrustStore, options?: object): Promise<void>;
  /** Loads what lies there. Nothing outside the folder is looked at. */
  load(options?: Partial<LoadClaudeCodeOptions>, hostOptions?: HostOptions): Promise<Loaded>;
}

export interface Loaded extends LoadedClaudeCode {
  readonly host: Host;
  readonly reports: readonly string[];
  /** Fires an event, a Bash call if nothing else is said, and gives its record. */
  fire(event?: string, input?: Readonly<Record<string, unknown>>): Promise<FireRecord>;
}

const open: { close(): unknown }[] = [];

/** To be called after each test. */
export async function closeAll(): Promise<void> {
  for (const thing of open.splice(0)) await thing.close();
}

export function createProject(): Project {
  const folder = createFolder();
  open.push({ close: folder.remove });
  const [dir, home, managedDir] = ['project', 'home', 'managed'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [dir, home])
    if (!existsSync(path)) folder.write(join(path.slice(folder.path.length + 1), '.keep'), '');
  const call = {
    session_id: 's',
    transcript_path: '',
    cwd: dir,
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 't1',
  };
  return {
    ...folder,
    dir,
    home,
    managedDir,
    files: { projectDir: dir, home, managedDir },
    call,
    async acceptAll(store, options = {}) {
      const held = await listHeld({ projectDir: dir, home, managedDir, ...options, trust: store });
      for (const { request } of held) acceptTrust(request, store);
    },
    async load(options = {}, hostOptions = {}) {
      const { host, reports } = testHost(hostOptions);
      open.unshift({ close: () => host.close() });
      const loaded = await loadClaudeCode({ host, projectDir: dir, home, managedDir, trust: 'all', ...options });
      open.unshift({ close: loaded.undo });
      const seen = watch(host);
      return {
        ...loaded,
        host,
        reports,
        async fire(event = 'PreToolUse', input = {}) {
          const base = event === 'PreToolUse' ? call : { session_id: 's', transcript_path: '', cwd: dir };
          await fireAny(host, event as HookEvent, { ...base, ...input });
          return fires(seen).at(-1) as FireRecord;
        },
      };
    },
  };
}

/** The names of hooks made with `hook`. */
export const nameOf = ({ name }: Pick<HandlerRecord, 'name'>): string => /: (\S+);/.exec(name)?.[1] ?? name;

export const ran = ({ handlers }: FireRecord): string[] =>
  handlers.filter(({ status }) => status !== 'skipped').map(nameOf);

/** By name: why each hook that did not run did not. */
export const skipped = ({ handlers }: FireRecord): Record<string, string> =>
  Object.fromEntries(
    handlers.filter(({ status }) => status === 'skipped').map((h) => [nameOf(h), `${h.reason}: ${h.why ?? ''}`]),
  );

/** A store that keeps consent in memory. */
export function memoryStore(): TrustStore & { readonly consents: Consent[] } {
  const consents: Consent[] = [];
  return {
    consents,
    list: () => consents,
    accepted: (file) => consents.filter((consent) => consent.file === file).reverse(),
    accept: (consent) => void consents.push(consent),
    revoke: () => false,
  };
}
