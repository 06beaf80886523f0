import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { createHost } from '../../src/create-host.js';
import { CLAUDE_EVENTS, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { connect, problems, tapped } from '../claude-code/control/kit.js';
import { scratch } from '../claude-code/control/puppet.js';

// One entry more in the catalogue, as somebody who adds an event would write it. Nothing else is replaced.
vi.mock('../../src/events/groups/team.js', async (original) => {
  const { TEAM_EVENTS } = await original<typeof import('../../src/events/groups/team.js')>();
  const { builtIn } = await vi.importActual<typeof import('../../src/events/define.js')>('../../src/events/define.js');
  const { z } = await import('zod');
  const PreReview = builtIn({
    input: () => z.object({ diff: z.string() }),
    fold: 'gate',
    claude: { sent: 'unknown' },
    group: 'agent',
    sample: () => ({ diff: '+1' }),
  });
  return { TEAM_EVENTS: { ...TEAM_EVENTS, PreReview } };
});

const deny = { hookSpecificOutput: { hookEventName: 'PreReview', permissionDecision: 'deny' } };
const review = { PreReview: [{ hooks: [() => deny] }] } as object;

test('an event that Claude Code does not have is an event of hosts like any other', async () => {
  expect(HOOK_EVENTS).toContain('PreReview');
  expect(CLAUDE_EVENTS).not.toContain('PreReview');
  await using host = createHost();
  host.register(review);
  expect(await host.fire('PreReview' as never, { diff: '+1' } as never)).toMatchObject({ verdict: 'deny' });
});

test('Claude Code is not asked to put it to us, and who has hooks for it is told', async () => {
  await using host = createHost({ logger: () => undefined });
  host.register(review);
  const seen = tapped(host);
  const { client, setUp } = await connect(host);
  const { hooks } = setUp['request'] as { hooks: object };
  expect(Object.keys(hooks)).toContain('PreToolUse');
  expect(Object.keys(hooks)).not.toContain('PreReview');
  expect(client.info.neverSent).toContain('PreReview');
  expect(problems(seen)).toEqual([
    expect.objectContaining({ problem: 'never_sent', message: expect.stringContaining('PreReview') }),
  ]);
});

test('check finds hooks for it wrong in the files of Claude Code', async () => {
  const cwd = scratch();
  const file = join(cwd, '.claude/settings.json');
  mkdirSync(dirname(file));
  writeFileSync(file, JSON.stringify({ hooks: { PreReview: [{ hooks: [{ type: 'command', command: 'true' }] }] } }));
  const places = { cwd, home: join(cwd, 'home'), managedDir: join(cwd, 'managed') };
  const { findings } = await checkHookFiles({ paths: ['.'], ...places });
  expect(findings.map(({ rule, where }) => [rule, where])).toEqual([['unknown-event', 'hooks.PreReview']]);
});
