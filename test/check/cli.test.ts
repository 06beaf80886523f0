import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RULE_IDS } from '../../src/check/rules/rules.js';
import { cli, type Finished } from '../cli/cli.js';
import { ROOT } from '../package/sources.js';

const caseOf = (rule: string, which = 'bad'): string => join(ROOT, 'test/fixtures/check', rule, which);
/** Nobody's own settings count. */
const check = (cwd: string, ...args: string[]): Promise<Finished> =>
  cli(['check', ...args], { cwd, env: { HOME: join(cwd, 'home') } });

describe('hookscope check', () => {
  test.each([
    ['unreadable', 1],
    ['unknown-event', 1],
    ['matcher-never', 1],
    ['script-missing', 1],
    ['sh-syntax', 1],
    ['invalid-hooks', 1],
    ['output-rejected', 1],
    ['milliseconds', 0],
    ['exit-1-guard', 0],
    ['stop-loop', 0],
  ])('%s: exits with %i', async (rule, code) => {
    const finished = await check(caseOf(rule));
    expect(finished).toMatchObject({ code, stderr: '' });
    expect(finished.stdout).toContain(`  ${rule}\n`);
  });

  test('says where, what, why and how to mend it', async () => {
    const { stdout } = await check(caseOf('sh-syntax'));
    expect(stdout).toMatchInlineSnapshot(`
      ".claude/hooks/list.sh:2:1 (.claude/settings.json hooks.Stop[0].hooks[1])  error  sh-syntax
        Bash knows this and sh does not: set -o pipefail  <<< ok. Where sh is dash the hook ends with 2, which blocks on Stop.
        why: Commands are read by /bin/sh. Where that is dash (Debian, Ubuntu and their images) it ends with 2, which on many events blocks what was about to happen.
        fix: Add "shell": "bash", run a script with bash, or write it for sh.

      .claude/settings.json:8:24 (hooks.Stop[0].hooks[0].command)  error  sh-syntax
        Bash knows this and sh does not: (*.ts)  \${files[0]}. Where sh is dash the hook ends with 2, which blocks on Stop.
        why: Commands are read by /bin/sh. Where that is dash (Debian, Ubuntu and their images) it ends with 2, which on many events blocks what was about to happen.
        fix: Add "shell": "bash", run a script with bash, or write it for sh.

      2 errors in .claude/settings.json (project settings) with 2 hooks.
      "
    `);
  });

  test('names the file that was named, and says when there is nothing wrong', async () => {
    const { stdout, code } = await check(caseOf('milliseconds', 'good'), '.claude/settings.json');
    expect({ stdout, code }).toEqual({
      stdout: 'No mistakes in .claude/settings.json (project settings) with 1 hook.\n',
      code: 0,
    });
  });

  test("takes events that only another agent has for known in hookscope's own files, as what runs them does", async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-check-own-')));
    try {
      const group = [{ hooks: [{ type: 'command', command: 'true' }] }];
      const hooks = { BeforeModel: group, UserPromptTransformed: group, PreToolUse: group };
      writeFileSync(join(cwd, 'hooks.json'), JSON.stringify(hooks));
      writeFileSync(join(cwd, 'hookscope.config.json'), JSON.stringify({ hooks }));
      expect(await check(cwd, '--hooks', 'hooks.json')).toMatchObject({ code: 0, stderr: '' });
      expect(await check(cwd, 'hookscope.config.json')).toMatchObject({ code: 0, stderr: '' });
      writeFileSync(join(cwd, 'hooks.json'), JSON.stringify({ BeforeModle: group }));
      const { code, stdout } = await check(cwd, '--hooks', 'hooks.json');
      expect(code).toBe(1);
      expect(stdout).toContain('It is not a known event. Did you mean "BeforeModel"?');
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  test('says when there are no hooks at all', async () => {
    expect(await check(join(ROOT, 'test/fixtures/sessions'))).toMatchObject({
      stdout: 'No files with hooks were found.\n',
      code: 0,
    });
  });

  test('names a configuration that is code, which it does not run', async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-check-')));
    writeFileSync(join(cwd, 'hookscope.config.mjs'), "throw new Error('it ran');");
    const { stdout, code } = await check(cwd, '.');
    rmSync(cwd, { recursive: true });
    expect([stdout, code]).toEqual([
      'No files with hooks were found.\nhookscope.config.mjs runs as code, which a check does not, and is not accepted (hookscope trust): hookscope list --config hookscope.config.mjs says what it registers.\n',
      0,
    ]);
  });

  test('leaves out rules and levels that nobody wants', async () => {
    const cwd = caseOf('exit-1-guard');
    expect((await check(cwd, '--level', 'error')).stdout).toMatch(/^No mistakes/);
    expect((await check(cwd, '--off', 'exit-1-guard')).stdout).toMatch(/^No mistakes/);
    expect((await check(caseOf('unknown-event'), '--off', 'unknown-event')).code).toBe(0);
  });

  test('takes files for --hooks as what they are', async () => {
    const cwd = caseOf('matcher-glob');
    const { stdout, code } = await check(cwd, '--hooks', '.claude/settings.json');
    expect({ stdout, code }).toEqual({
      stdout: 'No mistakes in .claude/settings.json (hooks file) with 1 hook.\n',
      code: 0,
    });
  });

  test.each([
    [['gone.json'], 'gone.json: there is no such file or folder'],
    [['--level', 'warnings'], 'Did you mean "warning"?'],
    [['--off', 'milisecond'], 'Did you mean "milliseconds"?'],
  ])('refuses %j', async (args, message) => {
    const { stdout, stderr, code } = await check(caseOf('milliseconds'), ...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain(message);
  });

  test('prints what it found as JSON', async () => {
    const { stdout, code } = await check(caseOf('milliseconds'), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      files: [{ file: '.claude/settings.json', kind: 'project', hooks: 1 }],
      findings: [
        {
          rule: 'milliseconds',
          level: 'warning',
          file: '.claude/settings.json',
          line: 9,
          column: 24,
          endLine: 9,
          endColumn: 28,
          where: 'hooks.Stop[0].hooks[0].timeout',
          message: expect.stringContaining('5000'),
          why: expect.any(String),
          fix: expect.any(String),
        },
      ],
    });
  });
});

/** Of SARIF 2.1.0, what is used, with what the standard and code scanning ask of it. */
const text = z.strictObject({ text: z.string().min(1) });
const level = z.enum(['none', 'note', 'warning', 'error']);
const region = z.strictObject({
  startLine: z.int().min(1),
  startColumn: z.int().min(1),
  endLine: z.int().min(1),
  endColumn: z.int().min(1),
});
const location = z.strictObject({
  physicalLocation: z.strictObject({
    artifactLocation: z.strictObject({ uri: z.string().regex(/^[\w.%/-]+$/) }),
    region,
  }),
  logicalLocations: z.array(z.strictObject({ fullyQualifiedName: z.string().min(1) })).optional(),
});
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.literal('hookscope'),
          semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              shortDescription: text,
              fullDescription: text,
              help: text,
              defaultConfiguration: z.strictObject({ level }),
            }),
          ),
        }),
      }),
      columnKind: z.literal('utf16CodeUnits'),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0),
          level,
          message: text,
          locations: z.tuple([location]),
        }),
      ),
    }),
  ]),
});

test('prints what it found as SARIF', async () => {
  const { stdout, code } = await check(join(ROOT, 'test/fixtures/check'), '--sarif');
  expect(code).toBe(1);
  const {
    runs: [{ tool, results }],
  } = sarif.parse(JSON.parse(stdout));
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(RULE_IDS);
  for (const { ruleId, ruleIndex, level: of, locations } of results) {
    expect(tool.driver.rules[ruleIndex]).toMatchObject({ id: ruleId, defaultConfiguration: { level: of } });
    const { startLine, startColumn, endLine, endColumn } = locations[0].physicalLocation.region;
    expect(endLine * 1e6 + endColumn).toBeGreaterThanOrEqual(startLine * 1e6 + startColumn);
  }
  expect(new Set(results.map(({ ruleId }) => ruleId)).size).toBeGreaterThan(40);
});

test.each([
  ['#!/usr/bin/env python3\n', ', or name what reads it: python3 .*/g\\.py'],
  ['#! /usr/local/bin/ruby\n', ', or name what reads it: ruby .*/g\\.py'],
  ['import json\n', ''],
  // Without its options or its own place it would be another program.
  ['#!/usr/bin/env -S python3 -u\n', ''],
  ['#!/usr/bin/env -S npx tsx\n', ''],
  ['#!/bin/bash -e\n', ''],
  ['#!/bin/sh\r\n', ''],
  ['#!/usr/bin/awk -f\n', ''],
  ['#!/bin/busybox sh\n', ''],
  ['#!/opt/own/bin/ruby\n', ''],
  ['#!./own\n', ''],
])('what reads a script that is not executable is what its first line names: %j', async (text, advice) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-check-')));
  try {
    writeFileSync(join(folder, 'g.py'), text);
    const hooks = [{ type: 'command', command: join(folder, 'g.py') }];
    writeFileSync(join(folder, 'hooks.json'), JSON.stringify({ PreToolUse: [{ hooks }] }));
    const { stdout } = await check(folder, 'hooks.json');
    expect(stdout).toMatch(new RegExp(`fix: chmod \\+x g\\.py${advice}\\.\\n`));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([[{ BeforeTool: [] }], [{ hooks: { BeforeTool: [] } }], [{ model: {}, hooks: { BeforeTool: [] } }]])(
  'a file of another agent in place of ours is checked without an option: %j',
  async (content) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-check-')));
    try {
      writeFileSync(join(folder, 'x.json'), JSON.stringify(content));
      const { stdout } = await check(folder, '--hooks', 'x.json');
      expect(stdout).toMatch(/It is Gemini's name of PreToolUse; for Gemini's own file use hookscope check FILE\.\n/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
