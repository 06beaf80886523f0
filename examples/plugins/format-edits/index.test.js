import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { contract, expectFired, fireHook, payload } from 'hookscope/testing';
import plugin from './index.js';

const cwd = mkdtempSync(join(tmpdir(), 'format-edits-'));
const trims =
  "const fs = require('fs'), [f] = process.argv.slice(1); fs.writeFileSync(f, fs.readFileSync(f, 'utf8').trim())";
const use = [plugin, { command: [process.execPath, '-e', trims], endings: ['.txt'] }];
const file = join(cwd, 'a.txt');
const edited = (path) => payload.postToolUse.edit(path, 'a', 'b', { cwd });

test('a file that was edited is formatted', async () => {
  writeFileSync(file, '  text  ');
  expectFired(await fireHook(use, 'PostToolUse', edited(file))).toStaySilent();
  assert.equal(readFileSync(file, 'utf8'), 'text');
});

test('a relative path counts from the agent, and other files and tools are left alone', async () => {
  writeFileSync(file, ' again ');
  await fireHook(use, 'PostToolUse', edited(join(cwd, 'a.md')));
  expectFired(await fireHook(use, 'PostToolUse', payload.postToolUse.read(file))).toBeSkipped('matcher');
  assert.equal(readFileSync(file, 'utf8'), ' again ');
  await fireHook(use, 'PostToolUse', edited('a.txt'));
  assert.equal(readFileSync(file, 'utf8'), 'again');
});

test('the model is told what the formatter complains of', async () => {
  expectFired(await fireHook(use, 'PostToolUse', edited(join(cwd, 'none.txt')))).toAddContext(
    /could not format .*ENOENT/s,
  );
});

for (const { name, run } of contract(use)) test(name, run);
