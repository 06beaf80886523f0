import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventsPage } from '../../scripts/events-page.js';
import { eventSchemas } from '../../scripts/schemas.js';

const ROOT = new URL('../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

it('docs/events.md says what the catalogue says (else: npm run generate)', () => {
  expect(text('docs/events.md')).toBe(eventsPage());
});

it('the schemas are those of the catalogue, no more and no fewer (else: npm run generate)', () => {
  const fresh = eventSchemas();
  const listed = readdirSync(new URL('schemas', ROOT)).filter((file) => file !== 'record.json');
  expect(listed.sort()).toEqual([...fresh.keys()].sort());
  for (const [path, schema] of fresh) expect(JSON.parse(text(`schemas/${path}`))).toEqual(schema);
});
