import { clip } from '../../plain.js';
import { bindSet } from '../../server/bound/bind-set.js';
import { namesServed, type ServedSet } from '../../server/served.js';
import { listed } from '../../why/words.js';
import { optionWith } from '../history/again.js';
import { type ConnectedSettings, HOOK_OPTIONS, readIfThere, wordsOf } from './connections.js';
import type { DoctorFinding } from './finding.js';
import { serveAgain } from './serve-again.js';
import { lastServed } from './served.js';

/** At most this many files are named. */
const NAMED = 5;

/** Files that connected commands name and no server has served: whoever edits them changes what they guard, since nothing has bound their bytes. */
export async function unboundFindings(connections: readonly ConnectedSettings[]): Promise<DoctorFinding[]> {
  const options = new Map<string, readonly [flag: string, value: string]>();
  for (const { handlers, file } of connections) {
    const text = readIfThere(file) ?? '';
    for (const handler of handlers.filter((one) => text.includes(JSON.stringify(one).slice(1, -1))))
      for (const [flag, value] of optionsIn(handler)) options.set(`${flag} ${value}`, [flag, value]);
  }
  const served = lastServed();
  const unbound: string[] = [];
  const again: string[] = [];
  for (const [flag, value] of options.values()) {
    const files = await unboundIn(flag, value, served);
    unbound.push(...files);
    if (files.length > 0) again.push(optionWith(flag, value));
  }
  if (unbound.length === 0) return [];
  const names = [...new Set(unbound)];
  const more = names.length - NAMED;
  const some = listed([...names.slice(0, NAMED).map((one) => clip(one, 200)), ...(more > 0 ? [`${more} more`] : [])]);
  const it = names.length === 1 ? 'it' : 'them';
  // Only the last set is kept, so what was served before it is not known.
  const why =
    served === undefined
      ? `No server has served ${some} yet, so nothing binds ${it}`
      : served.dev
        ? `The server that was started last has --dev, so nothing binds ${some}`
        : `The server that was started last did not serve ${some}, so nothing binds ${it}`;
  return [
    {
      level: 'remark',
      about: 'server',
      text: `${why}: whoever edits ${it}, an agent too, changes what is guarded.`,
      fix: `Serve ${it} once: ${served === undefined ? 'hookscope serve' : serveAgain()}${again.join('')}. From then on a change fails as untrusted until you accept it, also while no server runs.`,
    },
  ];
}

function optionsIn(handler: string): [flag: string, value: string][] {
  const words = wordsOf(handler);
  return words.flatMap((value, i) => {
    const flag = words[i - 1] ?? '';
    return HOOK_OPTIONS.includes(flag) ? [[flag.slice(2), value] as [string, string]] : [];
  });
}

async function unboundIn(flag: string, value: string, served: ServedSet | undefined): Promise<string[]> {
  try {
    const named = await bindSet({ [flag]: flag === 'config' ? value : [value] }, '/');
    const files = Object.keys(named).filter((file) => named[file]?.sha256 !== null);
    return served === undefined || served.dev ? files : files.filter((file) => namesServed(served)(file).length === 0);
  } catch {
    // A file that is missing or wrong is reported elsewhere.
    return [];
  }
}
