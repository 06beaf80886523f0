// Run in a process of its own by late.test.ts: node late-process.mjs PACKAGE WHEN. Prints what every way to a failure comes to while what is loaded late cannot be loaded.
import { once } from 'node:events';
import { closeSync, openSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [, , folder, when] = process.argv;
const { createHost, deny, formatFire } = await import(join(folder, 'dist/index.js'));
const warnings = [];
process.on('warning', ({ message }) => warnings.push(message));

const late = join(folder, 'dist/late');
const taken = [];
function take() {
  if (when !== 'full') return renameSync(late, `${late}-gone`);
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {}
}
function giveBack() {
  if (when !== 'full') return renameSync(`${late}-gone`, late);
  for (const one of taken) closeSync(one);
}

const host = createHost();
if (when === 'created') take();
const said = [];
const long = `SECRETTEXT ${'word '.repeat(2000)}`;
let bad = false;
const throwing = () => {
  if (bad) throw new Error(long);
};
const tool = (tool_name, tool_input) => host.fire('PreToolUse', { tool_name, tool_input });
/** A shell line of an agent whose shell knows apply_patch. */
const fromCodex = (command) =>
  host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, via: { may: ['Edit'], patches: 'command' } });
host.on('PreToolUse', throwing, { name: 'flaky', matcher: 'Throws' });
host.on('PreToolUse', () => deny('no'), { name: 'behind', matcher: 'Throws', stage: 5 });
host.on('PreToolUse', () => wait(5000, undefined, { ref: false }), {
  name: 'slow',
  matcher: 'Waits',
  timeout: 0.1,
  onFailure: 'block',
});
host.on('PreToolUse', () => deny('ps'), { name: 'ps', if: 'PowerShell(Remove-Item *)' });
host.on('PreToolUse', () => deny('edit'), { name: 'edit', if: 'Edit(/src/**)' });
host.on('PostToolUse', throwing, { name: 'post' });
host.on('Notification', () => ({ async: true, result: wait(100).then(() => Promise.reject(new Error(long))) }), {
  name: 'later',
});
host.events$.subscribe((record) => {
  if (record.type === 'hook_fire' && record.event === 'Stop') said.push(formatFire(record));
});
if (when !== 'created') {
  await tool('Throws', {});
  const first = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
  await first.tool({ name: 'Read', input: { file_path: 'a' }, execute: () => 'first' });
  await first.close();
}
const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
if (when !== 'created') take();
bad = true;

const results = {};
async function see(name, read) {
  try {
    results[name] = await read();
  } catch (error) {
    results[name] = `rejected: ${error.message}`;
  }
}
await see('a hook throws', async () => (await tool('Throws', {})).verdict);
await see('a guard times out', async () => (await tool('Waits', {})).verdict);
await see(
  'a tool ran',
  async () => (await session.tool({ name: 'Read', input: { file_path: 'a' }, execute: () => 'out' })).content,
);
await see('a rule of PowerShell', async () => (await tool('PowerShell', { command: 'Remove-Item y' })).verdict);
await see('a line that may be an edit', async () => (await fromCodex('cat $X')).verdict);
await see('a rule of Bash', async () => {
  host.on('PreToolUse', () => deny('rm'), { name: 'bash', if: 'Bash(rm *)' });
  return (await tool('Bash', { command: 'rm x' })).verdict;
});
await see('a server answers what is no JSON', async () => {
  // No socket can be opened without descriptors.
  if (when === 'full') return ['bad_json'];
  const server = createServer((_, response) => response.end(`{ ${long}`)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/`;
  const undo = host.register({ UserPromptSubmit: [{ hooks: [{ type: 'http', url, name: 'asking' }] }] });
  const { failures } = await host.fire('UserPromptSubmit', { prompt: 'x' });
  undo();
  server.close();
  return failures.map(({ cause }) => cause);
});
await see('a hook in the background', async () => {
  await host.fire('Notification', { message: 'x', notification_type: 'y' });
  await wait(300);
  return 'alive';
});
await see('a subscriber', async () => {
  await host.fire('Stop', { stop_hook_active: false });
  await host.fire('Stop', { stop_hook_active: false });
  return said.length;
});
giveBack();
await see('a subscriber, later', async () => {
  await host.fire('Stop', { stop_hook_active: false });
  return said.length;
});
await see('a rule of PowerShell, later', async () => (await tool('PowerShell', { command: 'Get-Item y' })).verdict);
await see('a rule of Bash, later', async () => {
  host.on('PreToolUse', () => deny('rm'), { name: 'bash', if: 'Bash(rm *)' });
  return (await tool('Bash', { command: 'rm x' })).verdict;
});
await see('a line that may be an edit, later', async () => (await fromCodex('cat $Y')).verdict);
await wait(10);
console.log(JSON.stringify({ results, warnings, said }));
process.exit(0);
