import { expect, test } from 'vitest';
import { handlerSchema } from '../../src/emit/fire-schema.js';
import { SKIP_REASONS } from '../../src/events/skip.js';

/** What docs/architecture.md says under "Adding things": each thing stands in one table, and the rest is taken from there. */
test('the reasons of a skip in records are those of the one table', () => {
  expect(handlerSchema.shape.reason.unwrap().options).toEqual(Object.keys(SKIP_REASONS));
});
