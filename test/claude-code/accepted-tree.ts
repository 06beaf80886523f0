import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Project } from './project.js';

/** Numbers that look random and are the same for the same seed. */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  /** 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Where a guard stands: a file of the project or its plugin. */
export type Home = 'settings' | 'local' | 'agent' | 'named-agent' | 'skill' | 'plugin' | 'plugin-skill';
const HOMES: readonly Home[] = ['settings', 'local', 'agent', 'named-agent', 'skill', 'plugin', 'plugin-skill'];

const FILES: Readonly<Record<Home, string>> = {
  settings: 'project/.claude/settings.json',
  local: 'project/.claude/settings.local.json',
  agent: 'project/.claude/agents/reviewer.md',
  'named-agent': 'project/.claude/agents/second.md',
  skill: 'project/.claude/skills/deploy/SKILL.md',
  plugin: 'plug/hooks/hooks.json',
  'plugin-skill': 'plug/skills/ship/SKILL.md',
};
/** The name in the frontmatter, where there is one. */
const NAMES: Partial<Record<Home, string>> = { 'named-agent': 'writer', skill: 'release' };
/** Whom the hooks are for. */
export const AGENTS: Partial<Record<Home, string>> = { agent: 'reviewer', 'named-agent': 'writer' };
export const SKILLS: Partial<Record<Home, string>> = { skill: 'release', 'plugin-skill': 'ship' };

/** A hook that denies the calls it matches. */
export interface Guard {
  readonly id: string;
  readonly home: Home;
  readonly matcher: 'Bash' | 'Edit' | '*';
  /** Relative to the project or plugin; absent: the command line is all of it. */
  readonly script?: string;
}

/** What was made, and what can be done to it. */
export interface Tree {
  readonly guards: readonly Guard[];
  readonly plugin: string;
  /** One edit, somewhere; returns what it was, for people. */
  edit(dice: Dice): string;
  undo(): void;
}

const INLINE = (id: string): string => `: ${id}; cat >/dev/null; echo ${id} >&2; exit 2`;

/** A project, a plugin and their guards, each in a place of its own. */
export function plantGuards(project: Project, dice: Dice): Tree {
  const homes = HOMES.filter(() => dice.next() < 0.6);
  const guards: Guard[] = (homes.length === 0 ? (['settings'] as const) : homes).flatMap((home, h) =>
    Array.from({ length: 1 + dice.below(2) }, (_, i) => {
      const id = `g${h}${i}`;
      const script = dice.next() < 0.5 ? {} : { script: `guards/${id}.sh` };
      return { id, home, matcher: dice.pick(['Bash', 'Edit', '*'] as const), ...script };
    }),
  );
  for (const { id, home, script } of guards) {
    const folder = home.startsWith('plugin') ? 'plug' : 'project';
    if (script) project.write(`${folder}/${script}`, `#!/bin/sh\n${INLINE(id)}\n`, 0o755);
  }
  project.write('plug/.claude-plugin/plugin.json', { name: 'plug' });
  for (const home of HOMES) {
    const own = guards.filter((guard) => guard.home === home);
    if (own.length > 0) write(project, home, groupsOf(own));
  }
  const path = (name: string): string => join(project.path, name);
  const backup = path('backup');
  for (const name of ['project', 'plug'])
    cpSync(path(name), join(backup, name), { recursive: true, verbatimSymlinks: true });
  return {
    guards,
    plugin: path('plug'),
    edit: (edits) => editOnce(project, guards, edits),
    undo() {
      for (const name of ['project', 'plug']) {
        rmSync(path(name), { recursive: true, force: true });
        cpSync(join(backup, name), path(name), { recursive: true, verbatimSymlinks: true });
      }
    },
  };
}

type Groups = { matcher: string; hooks: object[] }[];

function groupsOf(guards: readonly Guard[]): Groups {
  return guards.map(({ id, home, matcher, script }) => {
    const root = home.startsWith('plugin') ? 'CLAUDE_PLUGIN_ROOT' : 'CLAUDE_PROJECT_DIR';
    return {
      matcher,
      hooks: [{ type: 'command', command: script ? `: ${id}; "$\{${root}}"/${script}` : INLINE(id) }],
    };
  });
}

function write(project: Project, home: Home, groups: Groups, name = NAMES[home], settings: object = {}): void {
  const hooks = { hooks: { PreToolUse: groups }, ...settings };
  const isMarkdown = FILES[home].endsWith('.md');
  const front = `---\n${JSON.stringify({ ...(name === undefined ? {} : { name }), ...hooks })}\n---\nDo it.\n`;
  project.write(FILES[home], isMarkdown ? front : hooks);
}

/** Leaves a trace if it ever runs. */
const evil = (project: Project): string => `touch ${join(project.path, 'evil')}`;

function editOnce(project: Project, guards: readonly Guard[], dice: Dice): string {
  const guard = dice.pick(guards);
  const { home } = guard;
  const path = (name: string): string => join(project.path, name);
  const file = path(FILES[home]);
  const own = (): Groups => groupsOf(guards.filter((other) => other.home === home));
  const at = guards.filter((other) => other.home === home).indexOf(guard);
  const script = guard.script && path(`${home.startsWith('plugin') ? 'plug' : 'project'}/${guard.script}`);
  const rewritten = (change: (groups: Groups) => void, settings: object = {}): void => {
    const groups = own();
    change(groups);
    write(project, home, groups, NAMES[home], settings);
  };
  const bad = { type: 'command', command: evil(project) };
  const edits: Record<string, () => void> = {
    'its matcher': () => rewritten((groups) => ((groups[at] as Groups[0]).matcher = 'Never')),
    'an if': () =>
      rewritten((groups) => Object.assign((groups[at] as Groups[0]).hooks[0] as object, { if: 'Bash(never *)' })),
    'its command': () => rewritten((groups) => ((groups[at] as Groups[0]).hooks = [bad])),
    async: () => rewritten((groups) => Object.assign((groups[at] as Groups[0]).hooks[0] as object, { async: true })),
    'a timeout': () =>
      rewritten((groups) => Object.assign((groups[at] as Groups[0]).hooks[0] as object, { timeout: 0.001 })),
    'it removed': () => rewritten((groups) => groups.splice(at, 1)),
    'all removed': () => rewritten((groups) => groups.splice(0)),
    'one added': () => rewritten((groups) => groups.unshift({ matcher: '*', hooks: [bad] })),
    'the order': () => rewritten((groups) => groups.reverse()),
    'hooks turned off': () =>
      rewritten(() => {}, { disableAllHooks: true, allowManagedHooksOnly: true, enabledPlugins: { plug: false } }),
    'no JSON': () => writeFileSync(file, `${existsSync(file) ? readFileSync(file, 'utf8') : ''}}`),
    'an entry that is wrong': () => rewritten((groups) => groups.push({ matcher: 1 as never, hooks: [] })),
    'an empty file': () => writeFileSync(file, ''),
    'the file deleted': () => rmSync(file, { force: true }),
    'the file renamed': () => renameSync(file, join(dirname(file), `other${file.slice(file.lastIndexOf('.'))}`)),
    'the file a link to another': () => {
      project.write('else/file', readFileSync(file, 'utf8').replaceAll('exit 2', 'exit 0'));
      rmSync(file);
      symlinkSync(path('else/file'), file);
    },
    'the file a link to the same': () => {
      project.write('else/same', readFileSync(file, 'utf8'));
      rmSync(file);
      symlinkSync(path('else/same'), file);
    },
    'its folder moved': () => renameSync(dirname(file), `${dirname(file)}-moved`),
    '.claude deleted': () => rmSync(path('project/.claude'), { recursive: true, force: true }),
    'the plugin deleted': () => rmSync(path('plug'), { recursive: true, force: true }),
    'the plugin renamed': () => void project.write('plug/.claude-plugin/plugin.json', { name: 'other' }),
    'the plugin’s hooks elsewhere': () =>
      void project.write('plug/.claude-plugin/plugin.json', { name: 'plug', hooks: './none.json' }),
    'a name': () => write(project, home, own(), 'other'),
    'the name of another': () => write(project, home, own(), home === 'agent' ? 'writer' : 'reviewer'),
    'the guards deleted': () => rmSync(path('project/guards'), { recursive: true, force: true }),
    ...(script && {
      'the script’s bytes': () => writeFileSync(script, `#!/bin/sh\n${evil(project)}\n`),
      'one byte of the script': () => writeFileSync(script, readFileSync(script, 'utf8').replace('exit 2', 'exit 0')),
      'the script deleted': () => rmSync(script),
      'the script a link': () => {
        rmSync(script);
        symlinkSync(project.write('else/evil.sh', `#!/bin/sh\n${evil(project)}\n`, 0o755), script);
      },
      'the script a folder': () => {
        rmSync(script);
        mkdirSync(script);
      },
    }),
  };
  const what = dice.pick(Object.keys(edits));
  try {
    edits[what]?.();
  } catch (error) {
    // An edit before it has taken away what it needs.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return `${what} of ${guard.id} in ${home} (could not be made)`;
  }
  return `${what} of ${guard.id} in ${home}`;
}
