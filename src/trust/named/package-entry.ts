import { join } from 'node:path';
import { readText } from '../../files/json-file.js';
import { isObject, isText } from '../../values/shape.js';

/** The maximum number of entry points; real packages have fewer. */
const MOST = 20;

/** The files that a package's manifest names as its entry points. */
export function entriesOf(folder: string): string[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readText(join(folder, 'package.json')).replace(/^\uFEFF/, ''));
  } catch {
    // There is no manifest that Node could use.
    return [];
  }
  if (!isObject(manifest)) return [];
  const { main, exports, bin } = manifest;
  const found = [main, isObject(exports) && '.' in exports ? exports['.'] : exports, bin].flatMap(textsIn);
  return [...new Set(found)].filter((path) => !path.includes('*')).slice(0, MOST);
}

function textsIn(value: unknown): string[] {
  if (isText(value)) return [value];
  return isObject(value)
    ? Object.values(value)
        .slice(0, MOST)
        .flatMap((v) => (isText(v) ? [v] : isObject(v) ? Object.values(v).filter(isText) : []))
    : [];
}
