import { expect, test } from 'vitest';
import { createHost } from '../../src/index.js';

const reviewer = { agent_id: 'a1', agent_type: 'reviewer' };
const stopped = { ...reviewer, stop_hook_active: false, agent_transcript_path: '' };

test.each(['with nobody watching', 'watched'])(
  'an agent whose type has hooks loses its scope when it stops, also where no hook listens to SubagentStop, %s',
  async (how) => {
    await using host = createHost();
    if (how === 'watched') host.events$.subscribe(() => undefined);
    host.spawnHooks('reviewer', { PreToolUse: [{ hooks: [() => undefined] }] });
    await host.fire('SubagentStart', reviewer);
    expect(String(host.describe())).toContain('agent a1');
    await host.fire('SubagentStop', stopped);
    expect(String(host.describe())).not.toContain('agent a1');
  },
);
