import { ERROR_CODES, type ErrorCode, HookscopeError } from '../src/errors.js';

/** docs/errors.md: every error of the API, with `<name>` where its details go. */
export function errorsPage(): string {
  return [
    '# Errors',
    'This page lists every error of the API. Only misuse of the API throws, always a `HookscopeError` with one of these codes as `code` and the values in its message as `details`. (`snapshot` alone throws what `structuredClone` throws, of a function for instance.) A hook that fails never throws: it is in `decision.failures` and in the record. Generated from `src/errors.ts` by `npm run generate`.',
    ...ERROR_CODES.map((code) => `## ${code}\n\n${message(code)}`),
  ]
    .join('\n\n')
    .concat('\n');
}

function message(code: ErrorCode): string {
  // Every detail answers with its own name, so the message shows its form.
  const details = new Proxy({}, { get: (_, name) => `<${String(name)}>` }) as HookscopeError['details'];
  return new HookscopeError(code, details).message.replaceAll('<', '&lt;');
}
