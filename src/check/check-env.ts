import { envOf, hookTexts, lackingIn, sayLacking } from '../claude-code/files/settings-env.js';
import { isObject } from '../values/shape.js';
import { atKey, type FileCheck } from './checking.js';
import type { SourceFile } from './files/source-file.js';
import { entryOf, plainData } from './files/tree.js';

/** Reports hooks that use a variable which Claude Code's settings set for its sessions. Hooks may not get these. */
export const checkEnv: FileCheck = function* (file, { files, machine, name }) {
  if (file.dialect === 'code') return;
  const settings = files.filter((other) => isSettings(other) && countsFor(other, file));
  if (settings.some((other) => turnsOff(other, file))) return;
  const env = settings.flatMap((other) =>
    other.parsed.root === undefined ? [] : envOf(plainData(other.parsed.root), other.path),
  );
  if (env.length === 0) return;
  for (const handler of file.handlers) {
    const hook: unknown = plainData(handler.node);
    if (!isObject(hook)) continue;
    for (const key of ['command', 'args', 'headers']) {
      for (const variable of lackingIn(hookTexts(hook, key), env, machine.env ?? {}))
        yield {
          rule: 'settings-env',
          ...atKey(handler, key),
          message: `${sayLacking(variable, name(variable.file))}.`,
        };
    }
  }
};

const isSettings = ({ kind }: SourceFile): boolean => /^(managed|user|project|local|settings)$/.test(kind);

/** Whether a settings file turns the hooks of a file off; only managed policy does so for its own. */
const turnsOff = ({ kind, parsed }: SourceFile, file: SourceFile): boolean => {
  const value = parsed.root === undefined ? undefined : entryOf(parsed.root, 'disableAllHooks')?.value;
  return (file.kind !== 'managed' || kind === 'managed') && value !== undefined && plainData(value) === true;
};

/** Whether a settings file applies to a hook file. A project's settings apply only in that project, but a plugin may be used in any. */
const countsFor = ({ project }: SourceFile, file: SourceFile): boolean =>
  project === undefined || file.project === undefined || project === file.project;
