import type { HandlerNode } from '../files/source-file.js';
import { execWords, shellOf } from './runs.js';
import { isOnPath } from './scripts.js';

/** Shell builtins. */
const BUILTINS = new Set(
  '. : [ alias bg break builtin case cd command continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source test time times trap true type typeset ulimit umask unalias unset until wait while'.split(
    ' ',
  ),
);

/** Returns a function that tells whether a command name is known. Each name is searched only once, since a line may repeat it ten thousand times. */
export function knownPrograms(handler: HandlerNode, path: string): (name: string) => boolean {
  const asked = new Map<string, boolean>();
  const shell = shellOf(handler);
  // What they define, or where programs are then looked for, is not known.
  const isOpen =
    shell?.assigned.has('PATH') === true || shell?.commands.some(({ name }) => /^(?:\.|source|eval|alias)$/.test(name));
  let own: ReadonlySet<string> | undefined;
  const isOwn = (name: string): boolean => {
    own ??= new Set(shell?.nodes.flatMap(({ node }) => (node.type === 'Function' ? [node.name.value] : [])));
    return isOpen === true || BUILTINS.has(name) || own.has(name);
  };
  return (name) => {
    const known =
      asked.get(name) ?? (!/^[\w.+-]+$/.test(name) || isOnPath(name, path) || (!execWords(handler) && isOwn(name)));
    asked.set(name, known);
    return known;
  };
}
