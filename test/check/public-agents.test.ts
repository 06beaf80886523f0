import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TABLES } from '../../src/agents/agents.js';
import type { AgentTable } from '../../src/agents/table.js';
import { checkSources } from '../../src/check/check.js';
import { readSource, type SourceFile } from '../../src/check/files/source-file.js';
import { readForeign } from '../../src/foreign/parse.js';
import { ROOT } from '../package/sources.js';

// Hook files of public repositories, their structure alone (test/fixtures/agents/README.md). Nothing of them runs.

interface PublicFile {
  readonly agent: string;
  readonly file: string;
  readonly text: string;
}

const FILES = readFileSync(join(ROOT, 'test/fixtures/agents/public.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line, i) => ({ ...(JSON.parse(line) as PublicFile), path: `/public/${i}` }));
const tableOf = (agent: string): AgentTable => TABLES.find(({ name }) => name === agent) as AgentTable;

test('there are fifty, ten of each agent at least', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(50);
  for (const agent of ['codex', 'copilot', 'cursor', 'gemini'])
    expect(FILES.filter((one) => one.agent === agent).length, agent).toBeGreaterThanOrEqual(10);
});

describe('each is read', () => {
  test.each(FILES)(
    '$path ($agent): its hooks, or an error that names the line',
    async ({ agent, file, text, path }) => {
      const read = await readForeign(tableOf(agent), text, `${path}/${file}`);
      for (const { line, column } of read.problems) expect(Math.min(line ?? 0, column ?? 0)).toBeGreaterThan(0);
      if (read.dropped === undefined) expect(read.hooks.length + read.problems.length).toBeGreaterThan(0);
      else expect(read.problems.some(({ level }) => level === 'error')).toBe(true);
      // Every hook that stands there is listed, or there is a problem that says why not.
      const written = text.match(/"(?:command|bash|powershell)": "\.\/hook"/g)?.length ?? 0;
      if (written > 0 && read.problems.length === 0) expect(read.hooks.length).toBeGreaterThan(0);
    },
  );
});

test('what check has against them was read by hand', async () => {
  const machine = { cwd: '/public', home: '/home/nobody', path: '', managed: '/none' };
  const sources = FILES.map(({ agent, file, text, path }) =>
    readSource(`${path}/${file}`, text, { kind: 'agent-hooks', project: path, plugin: undefined, agent }),
  );
  const { findings } = await checkSources(sources as SourceFile[], machine);
  const said = findings.map(({ file, line, rule, message }) => `${file}:${line} ${rule}: ${message}`);
  expect(said).toMatchSnapshot();
});
