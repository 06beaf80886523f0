import { describe, expect, test } from 'vitest';
import { handlerSchema } from '../../src/emit/fire-schema.js';
import { kindSchema } from '../../src/emit/schema.js';
import { EXTERNAL_KINDS, HANDLER_KINDS } from '../../src/events/handler-kinds.js';
import { SKIP_REASONS } from '../../src/events/skip.js';
import * as api from '../../src/index.js';

/** What docs/architecture.md says under "Adding things": each thing stands in one table, and the rest is taken from there. */
describe('what can be added stands in one place', () => {
  test('the reasons of a skip in records are those of the table', () => {
    expect(handlerSchema.shape.reason.unwrap().options).toEqual(Object.keys(SKIP_REASONS));
  });

  test('the handler types in records are those of the table', () => {
    expect(kindSchema.options).toEqual([...HANDLER_KINDS, 'tap', 'unknown']);
  });

  test.each(EXTERNAL_KINDS)('the maker of a %s handler is exported', (kind) => {
    const maker = kind.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(api).toHaveProperty(maker, expect.any(Function));
  });
});
