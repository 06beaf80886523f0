#!/usr/bin/env node
// A small but whole coding agent on hookscope's session driver.
//   node examples/agent/agent.mjs [--yes] [--permission-mode MODE] [--scenario FILE] [PROMPT]
// Without PROMPT it plays the demo in a temporary directory. With ANTHROPIC_API_KEY set it talks to the real model.
//   node examples/agent/agent.mjs --input-format stream-json --output-format stream-json [--scenario FILE] [FLAGS OF CLAUDE CODE]
// is driven by another program, in the current directory (serve.mjs).
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createHost } from 'hookscope';
import { loadClaudeCode } from 'hookscope/claude-code';
import { listFiles, readAgents } from './files.mjs';
import { registerHooks } from './hooks.mjs';
import { runAgent } from './loop.mjs';
import { openModel } from './model.mjs';
import { createPerson, rules } from './permission.mjs';
import { endProcesses } from './processes.mjs';
import { serve } from './serve.mjs';
import { watchHooks } from './telemetry.mjs';

const driven = parseArgs({ strict: false, options: { 'input-format': { type: 'string' } } }).values['input-format'];
if (driven === 'stream-json') process.exit(await serve());

const here = import.meta.dirname;
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    yes: { type: 'boolean', default: false },
    'permission-mode': { type: 'string', default: 'default' },
    scenario: { type: 'string', default: join(here, 'scenario.json') },
  },
});

const [prompt = 'Survey the sources and build the report.'] = positionals;
const cwd = positionals.length > 0 ? process.cwd() : await makeWorkplace();
const before = await contents(cwd);

const host = createHost({ session: { cwd, permission_mode: given['permission-mode'] } });
const count = watchHooks(host);
await registerHooks(host);
const agents = await readAgents(join(here, 'agents'));
// Their hooks become the scope of each agent of that type. The files are this program's own, so they are trusted.
await loadClaudeCode({
  host,
  projectDir: cwd,
  home: cwd,
  agents: [...agents.values()].map((a) => a.file),
  trust: 'all',
});

const model = await openModel({ scenario: given.scenario });
const person = createPerson({ yes: given.yes });
const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort());

const session = await host.openSession({
  model: model.name,
  permission: rules,
  ask: person.ask,
  signal: stopped.signal,
});
const say = (/** @type {string} */ who, /** @type {string} */ text) => console.log(`${who}: ${text.trim()}`);
say('you', prompt);
try {
  const toolNames = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'Agent', 'TaskCreate', 'TaskDone'];
  const system = 'You are a careful coding agent. Use your tools; hand work to subagents where that helps.';
  await runAgent({ session, model, prompt, system, toolNames, agents, name: 'main', say });
} catch (error) {
  if (!stopped.signal.aborted) throw error;
} finally {
  if (stopped.signal.aborted) {
    console.log('(interrupted)');
    process.exitCode = 130;
  }
  await session.close(stopped.signal.aborted ? 'prompt_input_exit' : 'other');
  endProcesses('SIGKILL');
  const { pending } = await host.close();
  await model.close();
  person.close();
  if (pending.length > 0) console.log(`cancelled: ${pending.join(', ')}`);
}

console.log(
  `\n${count.fires} events, ${count.runs} hook runs, ${count.blocked} denied or blocked, ${count.failed} failed.`,
);
const after = await contents(cwd);
for (const [file, text] of after) {
  if (!file.startsWith('.agent/') && before.get(file) !== text)
    console.log(`${before.has(file) ? 'changed' : 'new'}: ${file}`);
}

/** A folder to work in: two sources, a report to fill in, and the hooks' scripts. */
async function makeWorkplace() {
  const folder = await mkdtemp(join(tmpdir(), 'hookscope-agent-'));
  await cp(join(here, 'workplace'), folder, { recursive: true });
  await cp(join(here, 'hooks'), join(folder, '.agent'), { recursive: true });
  await writeFile(join(folder, '.agent', 'edits.log'), '');
  return folder;
}

/** @returns {Promise<Map<string, string>>} */
async function contents(/** @type {string} */ folder) {
  const files = await listFiles(folder);
  return new Map(
    await Promise.all(
      files.map(async (file) => /** @type {const} */ ([file, await readFile(join(folder, file), 'utf8')])),
    ),
  );
}
