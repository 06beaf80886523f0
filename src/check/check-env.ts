import { envOf, lackingIn, sayLacking } from '../claude-code/files/settings-env.js';
import { isText } from '../values/shape.js';
import { atKey, type FileCheck } from './checking.js';
import type { SourceFile } from './files/source-file.js';
import { entryOf, plainData } from './files/tree.js';

/** Reports hooks that use a variable which Claude Code's settings set for its sessions. Hooks may not get these. */
export const checkEnv: FileCheck = function* (file, { files, machine, name }) {
  if (file.dialect === 'code') return;
  const env = files
    .filter((other) => isSettings(other) && countsFor(other, file))
    .flatMap((other) => (other.parsed.root === undefined ? [] : envOf(plainData(other.parsed.root), other.path)));
  if (env.length === 0) return;
  for (const handler of file.handlers) {
    for (const key of ['command', 'args', 'headers']) {
      const value = entryOf(handler.node, key)?.value;
      const data: unknown = value === undefined ? undefined : plainData(value);
      const texts = isText(data) ? [data] : Object.values((data ?? {}) as object).filter(isText);
      for (const variable of lackingIn(texts, env, machine.env ?? {}))
        yield {
          rule: 'settings-env',
          ...atKey(handler, key),
          message: `${sayLacking(variable, name(variable.file))}.`,
        };
    }
  }
};

const isSettings = ({ kind }: SourceFile): boolean => /^(managed|user|project|local|settings)$/.test(kind);

/** Whether a settings file applies to a hook file. A project's settings apply only in that project, but a plugin may be used in any. */
const countsFor = ({ project }: SourceFile, file: SourceFile): boolean =>
  project === undefined || file.project === undefined || project === file.project;
