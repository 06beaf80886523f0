import { resolve } from 'node:path';
import { boundAll } from '../../trust/changes.js';
import { type ConsentSource, realOr, type TrustRequest } from '../../trust/consent.js';
import { namedBy } from '../../trust/named/named-files.js';
import type { CommandVariables } from '../../trust/named/variables.js';
import type { HookFile } from '../files/settings.js';

/** A hook file whose hooks run only after they are accepted. */
export interface TrustableFile extends HookFile {
  /** Distinguishes several parts of the same file. */
  readonly part?: string;
}

/** Reads everything that consent binds: the definition, and the bytes of every file that its commands name. */
export function trustRequest(file: TrustableFile, variables: CommandVariables, source?: ConsentSource): TrustRequest {
  const project = resolve(variables.projectDir);
  const { defaults = {} } = variables;
  const definition = { ...file.definition, ...(Object.keys(defaults).length > 0 && { userConfig: defaults }) };
  const handlers = Object.values(file.hooks).flatMap((groups) => groups.flatMap((group) => group.hooks));
  const named = namedBy(handlers, variables);
  return {
    file: keyOf(file),
    project,
    definition: JSON.stringify(definition, undefined, 2),
    files: boundAll(named, project),
    ...(source && { source }),
    unresolved: named.unresolved,
  };
}

function keyOf({ file, part }: TrustableFile): string {
  const real = realOr(file);
  return part === undefined ? real : `${real}#${part}`;
}
