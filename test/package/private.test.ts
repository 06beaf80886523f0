import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathOf, ROOT, readSources } from './sources.js';

/** Classes that are made so often that `#` members would cost too much; CONTRIBUTING.md says why. */
const HOT = [
  'emit/record-copy',
  'events/output/meant',
  'events/output/meant-outcome',
  'host/call/handler-call',
  'host/fire/fire-run',
  'host/fire/notes',
  'host/fire/screen',
  'host/fire/slot',
  'host/fire/walk',
  'host/fire/wave',
  'host/tell/reporter',
  'values/copies/view',
  'values/waiting/lazy-signal',
];

test('private members are #private, but in the few files whose classes are hot', () => {
  const withKeyword = readSources()
    .filter(({ name }) => /^ {2}private (?!constructor\b)/m.test(readFileSync(pathOf(name), 'utf8')))
    .map(({ name }) => name);
  expect(withKeyword).toEqual(HOT);
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const rule = /^Private members are[\s\S]*?\n\n/m.exec(contributing)?.[0] ?? '';
  expect([...rule.matchAll(/`src\/([^`]+)\.ts`/g)].map(([, name]) => name).sort()).toEqual(HOT);
});
