import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHost, deny, validateHooks, validateOutput } from 'hookscope';
import plugin from './index.js';

/** A real host with the plugin in it, and what it decides about a file tool's call. */
async function hostWith(paths, scope = 'host') {
  const host = createHost({ session: { session_id: 's', transcript_path: '', cwd: '/project' } });
  await (scope === 'host' ? host : host.scope(scope)).use(plugin, { paths });
  const write = (file_path, agent_id) =>
    host.fire('PreToolUse', {
      tool_name: 'Write',
      tool_input: { file_path, content: '' },
      tool_use_id: 't',
      ...(agent_id && { agent_id }),
    });
  return { host, write };
}

test('a file that matches is refused, by absolute, relative and roundabout path', async () => {
  const { host, write } = await hostWith(['dist/**', '.env']);
  for (const file of ['/project/dist/a.js', 'dist/deep/b.js', 'src/../.env']) {
    const decision = await write(file);
    assert.equal(decision.verdict, 'deny', file);
    assert.match(decision.reason, /is protected/);
  }
  await host.close();
});

test('it leaves other files alone', async () => {
  const { host, write } = await hostWith(['dist/**']);
  assert.equal((await write('/project/src/dist.js')).verdict, 'none');
  await host.close();
});

test('used in the scope of one agent it leaves the others alone', async () => {
  const { host, write } = await hostWith(['**'], 'agent-1');
  assert.equal((await write('a.txt', 'agent-1')).verdict, 'deny');
  assert.equal((await write('a.txt', 'agent-2')).verdict, 'none');
  await host.close();
});

test('the model is told at the start of a session', async () => {
  const { host } = await hostWith(['dist/**']);
  const { additionalContext } = await host.fire('SessionStart', { source: 'startup' });
  assert.deepEqual(additionalContext, ['Do not change files that match: dist/**']);
  await host.close();
});

test('wrong options are refused with the name of the plugin and the key', async () => {
  const host = createHost();
  await assert.rejects(host.use(plugin, { paths: 'dist' }), {
    code: 'INVALID_PLUGIN',
    message: /hookscope-plugin-protected-paths.*paths/,
  });
  await assert.rejects(host.use(plugin, { paths: ['a'], path: 'b' }), { code: 'INVALID_PLUGIN' });
  await host.close();
});

test('what it registers and what it answers are well formed', async () => {
  const registered = [];
  await plugin.apply({ register: (hooks) => registered.push(hooks) }, { paths: ['dist/**'] });
  assert.deepEqual(
    registered.flatMap((hooks) => validateHooks(hooks)),
    [],
  );
  const { ok, warnings } = validateOutput('PreToolUse', deny('protected'));
  assert.deepEqual({ ok, warnings }, { ok: true, warnings: [] });
});
