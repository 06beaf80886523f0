import type { FireRecord } from '../emit/record.js';

/** A key for each hook of a fire, which it has in other fires too: its name, where it comes from, and which it is among those of that name there. */
export function hookKeys({ input: { cwd }, handlers }: Pick<FireRecord, 'input' | 'handlers'>): string[] {
  const seen = new Map<string, number>();
  return handlers.map(({ name, plugin, source: { kind, name: of, file } }) => {
    // Without a server, a file is recorded as it was named.
    const place = file === undefined ? [kind, of, plugin] : resolved(String(cwd ?? ''), file);
    const key = JSON.stringify([name, place]);
    const number = seen.get(key) ?? 0;
    seen.set(key, number + 1);
    return number === 0 ? key : `${key}${number}`;
  });
}

/** As `resolve` of node:path, which a page in a browser does not have. */
function resolved(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : folder}/${path}`.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts.join('/');
}
