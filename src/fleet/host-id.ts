import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readText } from '../files/json-file.js';
import { replaceFile } from '../files/replace-file.js';
import { FLEET_NAME } from './engine.js';

/** The name of this machine's user in a fleet: made once, and kept. */
export function usualHostId(folder: string): string {
  const file = join(folder, 'host-id');
  if (existsSync(file)) {
    const kept = readText(file).trim();
    if (FLEET_NAME.test(kept)) return kept;
  }
  const own = hostname()
    .split('.')[0]
    ?.replace(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 40);
  const id = `${own || 'host'}-${randomUUID().slice(0, 8)}`;
  replaceFile(file, `${id}\n`, 0o600);
  return id;
}
