import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../package/sources.js';

/** A user's directory outside the repository. */
export interface Folder {
  readonly path: string;
  /** Writes a file, and the folders it needs; returns its path. What is no text is written as JSON. */
  write(name: string, content: unknown, mode?: number): string;
  /** Writes a plugin package into its node_modules; `manifest` is laid over what a good one has. */
  install(name: string, code: string, manifest?: object): void;
  /** Puts a copy of what was built there, as installed, with what it depends on. */
  installHookscope(): void;
  remove(): void;
}

export function createFolder(): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-user-')));
  const write: Folder['write'] = (name, content, mode = 0o644) => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
    return file;
  };
  return {
    path,
    write,
    install(name, code, manifest = {}) {
      const folder = `node_modules/${name}`;
      const good = { name, version: '1.0.0', type: 'module', exports: './index.js', keywords: ['hookscope-plugin'] };
      write(`${folder}/package.json`, { ...good, peerDependencies: { hookscope: '*' }, ...manifest });
      write(`${folder}/index.js`, code);
    },
    installHookscope() {
      const own = readFileSync(join(ROOT, 'package.json'), 'utf8');
      const { dependencies } = JSON.parse(own) as { dependencies: Record<string, string> };
      write('node_modules/hookscope/package.json', own);
      // A copy, not a link: Node knows modules by their real path.
      for (const file of filesBelow(join(ROOT, 'dist'))) {
        write(`node_modules/hookscope/dist/${file}`, readFileSync(join(ROOT, 'dist', file), 'utf8'));
      }
      for (const name of Object.keys(dependencies)) {
        mkdirSync(dirname(join(path, 'node_modules', name)), { recursive: true });
        symlinkSync(join(ROOT, 'node_modules', name), join(path, 'node_modules', name));
      }
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?js$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** A plugin that needs nothing, as its source: it denies every tool call with this reason. */
export function denying(reason: string): string {
  const said = `{ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: ${JSON.stringify(reason)} } }`;
  return `export default { name: 'denying', apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => (${said})] }] }); } };`;
}

export const LS = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
