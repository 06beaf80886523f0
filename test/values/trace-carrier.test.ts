import { expect, test } from 'vitest';
import { carrierOf } from '../../src/values/trace-carrier.js';

const IDS = `${'a'.repeat(32)}-${'b'.repeat(16)}`;

test.each([
  ['the fields of version 00', `00-${IDS}-01`, true],
  ['version 00 with more behind them', `00-${IDS}-01-xx`, false],
  ['version 00 with a dash behind them', `00-${IDS}-01-`, false],
  ['a later version with the same fields', `01-${IDS}-01`, true],
  ['a later version with more fields', `cc-${IDS}-01-what.the-future`, true],
  ['a later version with more that is no field', `cc-${IDS}-01.what`, false],
  ['the version that there is not', `ff-${IDS}-01`, false],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, false],
  ['a span of zeros', `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`, false],
  ['capital letters', `00-${IDS.toUpperCase()}-01`, false],
])('a traceparent with %s: %s is valid: %s', (_, traceparent, isValid) => {
  expect(carrierOf(traceparent, undefined)).toEqual(isValid ? { traceparent } : undefined);
});
