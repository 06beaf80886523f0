import { resolve } from 'node:path';
import { isClosed, OPEN_IT } from '../files/regular-file.js';
import { usualDirectory } from '../handlers/command/environment.js';
import type { HandlerDescription } from '../handlers/handler.js';
import type { Registration, UntrustedChange } from '../scopes/registration.js';
import { covers, hasStopped, MEND_BIT } from './changes.js';
import type { Consent } from './consent.js';
import { hashFile, isExecutable, openIt, UNREADABLE, whyUnread } from './file-hash.js';
import { namedFiles } from './named/named-files.js';
import type { CommandVariables } from './named/variables.js';

/**
 * Makes the check that runs before every call of a handler. It resolves the names in the handler's command from the directory in which
 * it would run (`fallback` if the input does not say) and from the project. A file is untrusted if it differs from what was accepted,
 * or if it was accepted and no longer exists in either place.
 */
export function guardFiles(
  handler: HandlerDescription,
  consent: Consent,
  {
    file,
    variables,
    fallback,
    remedy = () => 'hookscope trust',
    byName,
  }: {
    readonly file: string;
    readonly variables: CommandVariables;
    readonly fallback: string;
    /** The command that accepts a change. */
    readonly remedy?: () => string;
    /** The command that binds a file by its name only. */
    readonly byName?: string;
  },
): Registration['trustCheck'] {
  const { files: names, executed } = namedFiles(handler, variables);
  if (names.length === 0) return undefined;
  const untrusted = (what: string, see = remedy()): UntrustedChange => ({ file, why: `${what}; see ${see}` });
  const hint = byName === undefined ? '' : ` (if hooks write to it themselves: ${byName})`;
  return ({ cwd }) => {
    // A command may change to the project first: `cd "$(git rev-parse --show-toplevel)"`.
    const folders = new Set([usualDirectory(cwd, fallback), resolve(variables.projectDir)]);
    for (const name of names) {
      const found = [...folders].map((folder) => resolve(folder, name)).map((path) => ({ path, hash: hashFile(path) }));
      const unread = found.find(({ hash }) => hash === UNREADABLE && !covers(consent, name, hash));
      if (unread) {
        const { path } = unread;
        const why = whyUnread(path);
        if (isClosed(path))
          return { file, why: `${path} cannot be read: ${why}; ${byName === undefined ? OPEN_IT : openIt(path)}` };
        return untrusted(`${path} cannot be bound: ${why}`, byName ?? remedy());
      }
      const other = found.find(({ hash }) => hash !== null && !covers(consent, name, hash));
      if (other) return untrusted(`${other.path} is not what was accepted for ${file}${hint}`);
      const stopped = found.find(
        ({ path, hash }) => hash !== null && executed.has(name) && hasStopped(consent.files[name], isExecutable(path)),
      );
      if (stopped)
        return untrusted(`${stopped.path} could be executed when it was accepted, and cannot now: ${MEND_BIT}`);
      if (found.every(({ hash }) => hash === null) && !covers(consent, name, null))
        return untrusted(`${name}, which ${file} names, is missing`);
    }
    return undefined;
  };
}
