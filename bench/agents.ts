// A call of each agent's, in its own words, through the warm server by the thin command: against the same hook as a Node process.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_NAMES, agentCodec } from '../src/agents/agents.js';
import type { Case } from './harness.js';
import { preToolUse } from './recorded.js';
import { serveBoth } from './server.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The agent's name of the event, and what it was recorded to tell; of one that was not, what its documents say. */
function payloadOf(name: string): { readonly event: string; readonly body: string } {
  const { name: event = '' } = agentCodec(name).events.find(({ ours }) => ours === 'PreToolUse') ?? {};
  if (name === 'claude-code') return { event, body: JSON.stringify(preToolUse) };
  if (agentCodec(name).source === 'seen')
    return { event, body: readFileSync(join(ROOT, `test/fixtures/agents/${name}/${event}.json`), 'utf8') };
  const call = { tool_name: 'Shell', tool_input: { command: 'echo hello-from-tool' }, cwd: '/home/dev/project' };
  const about = { conversation_id: 'c', generation_id: 'g', model: 'm', workspace_roots: ['/home/dev/project'] };
  return { event, body: JSON.stringify({ hook_event_name: event, ...about, ...call }) };
}

export const cases: Case[] = AGENT_NAMES.map((as) => ({
  name: `a call of ${as} by the thin command`,
  goal: 0.3,
  candidates: async () => {
    const { folder, env } = await serveBoth();
    const { event, body } = payloadOf(as);
    const call = (program: string, args: readonly string[]) => () => spawnSync(program, args, { env, input: body });
    const thin = join(ROOT, 'dist/hookscope-hook.sh');
    const { status, stderr } = spawnSync('sh', [thin, '--as', as, event], { env, input: body, encoding: 'utf8' });
    if (status !== 0 || stderr !== '') throw new Error(`${as}: ${status} ${stderr}`);
    return [
      { name: 'the hook as a Node process', run: call(process.execPath, [join(folder, 'hook.mjs')]) },
      { name: 'hookscope-hook.sh', run: call('sh', [thin, '--as', as, event]) },
    ];
  },
  floor: 'the hook as a Node process',
  subject: 'hookscope-hook.sh',
  rounds: 30,
  wall: true,
}));
