import { describe, expect, test } from 'vitest';
import { block, combine, rewrite } from '../../src/events/output/helpers.js';
import { connect } from '../claude-code/control/kit.js';
import { anyHooks, fires, registerAs, testHost, watch } from './kit.js';

const BASH = { stdout: 'secret', stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
const READ = { type: 'text', file: { filePath: '/a', content: 'secret', numLines: 1, startLine: 1, totalLines: 1 } };
const WRITE = {
  type: 'create',
  filePath: '/a',
  content: 'x',
  structuredPatch: [],
  originalFile: null,
  userModified: false,
};
const GREP = { mode: 'files_with_matches', filenames: ['a'], numFiles: 1, totalFiles: 1 };
const AGENT = { status: 'completed', content: [], totalTokens: 1, usage: { tokens: 1 }, toolsUsed: 2 };
const UNKNOWN = { text: 'secret', size: 6 };

const call = (tool_name: string, tool_response: unknown) => ({
  session_id: 's',
  tool_name,
  tool_input: {},
  tool_use_id: 't1',
  tool_response,
});

/** Tool, its response, what a hook puts in its place, whether Claude Code 2.1.330 takes that. */
const CASES: readonly (readonly [string, unknown, unknown, boolean])[] = [
  ['Bash', BASH, 'REDACTED', false],
  ['Bash', BASH, {}, false],
  ['Bash', BASH, { stdout: 'REDACTED' }, false],
  ['Bash', BASH, { stdout: 'REDACTED', stderr: '' }, false],
  ['Bash', BASH, { stdout: 'REDACTED', stderr: '', interrupted: false }, true],
  ['Bash', BASH, { ...BASH, stdout: 'REDACTED', extra: 1 }, true],
  ['Bash', BASH, { ...BASH, stdout: 5 }, false],
  ['Bash', BASH, { ...BASH, isImage: null }, false],
  ['Bash', BASH, [{ type: 'text', text: 'REDACTED' }], false],
  ['Bash', BASH, null, false],
  ['Bash', BASH, 5, false],
  ['Read', READ, { ...READ, file: { ...READ.file, content: 'REDACTED' } }, true],
  ['Read', READ, { ...READ, file: { content: 'REDACTED' } }, false],
  ['Read', READ, 'REDACTED', false],
  ['Write', WRITE, { ...WRITE, originalFile: 'x' }, true],
  ['Write', WRITE, { ...WRITE, structuredPatch: {} }, false],
  ['Grep', GREP, { filenames: [], numFiles: 0 }, true],
  ['Grep', GREP, { filenames: [] }, false],
  ['Agent', AGENT, { status: 'completed', content: [], totalTokens: 1 }, true],
  ['Agent', AGENT, { content: [], totalTokens: 1 }, false],
  // What is needed of a tool that we do not know, nobody knows.
  ['Later', UNKNOWN, { text: 'REDACTED' }, true],
  ['Later', UNKNOWN, { text: 5 }, false],
  ['Later', UNKNOWN, 'REDACTED', false],
  // Of an MCP tool anything is taken.
  ['mcp__m__say', [{ type: 'text', text: 'secret' }], 'REDACTED', true],
  ['mcp__m__say', [{ type: 'text', text: 'secret' }], { any: 'thing' }, true],
  ['mcp__m__say', [{ type: 'text', text: 'secret' }], null, true],
];

describe('an output that Claude Code is to put in the place of another', () => {
  test('over the control protocol it is in the shape of that, or the hook has failed and nothing was rewritten', async () => {
    const { host } = testHost();
    const seen = watch(host);
    let value: unknown;
    host.register({ PostToolUse: [{ name: 'redact', hooks: [() => combine(rewrite(value), block('look'))] }] });
    const { fire } = await connect(host);
    for (const [tool, response, given, taken] of CASES) {
      const which = `${tool}: ${JSON.stringify(given)}`;
      value = given;
      const { response: answer } = await fire('PostToolUse', call(tool, response));
      const record = fires(seen).findLast(({ event }) => event === 'PostToolUse');
      const handler = record?.handlers[0];
      // What else the hook said is said all the same.
      expect(answer, which).toMatchObject({ decision: 'block', reason: 'look' });
      if (taken) {
        expect(answer, which).toMatchObject({ hookSpecificOutput: { updatedToolOutput: value } });
        expect(handler, which).toMatchObject({ status: 'ran' });
        expect(record?.final_input, which).toMatchObject({ tool_response: value });
      } else {
        expect(answer, which).not.toHaveProperty('hookSpecificOutput');
        expect(handler, which).toMatchObject({ status: 'failed', failure: { cause: 'bad_schema' } });
        expect(handler?.failure?.message, which).toMatch(/^Claude Code ignores updatedToolOutput of another shape/);
        expect(record, which).not.toHaveProperty('final_input');
        expect(record?.decision.failures, which).toMatchObject([{ cause: 'bad_schema' }]);
      }
    }
  });

  test.each([
    [{ content: 'x' }, '"file.filePath" is missing'],
    [{ ...READ.file, content: 5 }, '"file.content" is a number, not a string'],
  ])('the failure names the key, however deep: %j', async (file, message) => {
    const { host } = testHost();
    registerAs(host, anyHooks({ PostToolUse: [{ hooks: [() => rewrite({ ...READ, file })] }] }), { dialect: 'claude' });
    const { failures } = await host.fireAny('PostToolUse', call('Read', READ));
    expect(failures[0]?.message).toContain(message);
  });

  test('of a hook of its own files it is looked at wherever it is fired; of one from code only over the control protocol', async () => {
    const of = async (dialect: 'claude' | 'code') => {
      const { host, reports } = testHost();
      const hooks = anyHooks({ PostToolUse: [{ hooks: [() => rewrite('REDACTED')] }] });
      registerAs(host, hooks, { dialect });
      const { updatedOutput, failures } = await host.fireAny('PostToolUse', call('Bash', BASH));
      return { updatedOutput, failures: failures.map(({ cause }) => cause), reports: reports.length };
    };
    expect(await of('claude')).toEqual({ updatedOutput: undefined, failures: ['bad_schema'], reports: 1 });
    expect(await of('code')).toEqual({ updatedOutput: 'REDACTED', failures: [], reports: 0 });
  });

  test('a session does it itself, so that anything takes effect', async () => {
    const { host } = testHost();
    const hooks = anyHooks({ PostToolUse: [{ hooks: [() => rewrite('REDACTED')] }] });
    for (const dialect of ['claude', 'code']) registerAs(host, hooks, { dialect } as never);
    const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
    const result = await session.tool({ name: 'Bash', input: {}, execute: () => BASH });
    expect(result).toMatchObject({ status: 'ran', content: 'REDACTED', response: 'REDACTED' });
    expect(result.after?.failures).toEqual([]);
  });

  test('under onFailure block the failure is feedback for the model', async () => {
    const { host } = testHost();
    host.register({ PostToolUse: [{ onFailure: 'block', hooks: [() => rewrite('REDACTED')] }] });
    const { fire } = await connect(host);
    const answer = await fire('PostToolUse', call('Bash', BASH));
    expect(JSON.stringify(answer)).toContain('ignores');
  });
});
