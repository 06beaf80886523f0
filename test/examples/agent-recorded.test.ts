import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../claude-code/control/alive.js';
import { type Recording, recording } from '../claude-code/control/recordings.js';
import { ARGS, acceptEdits, bash, type Driven, drive, type Json, place, running, until } from './driven.js';

const scriptOf = (command: string) => ({ main: [{ tools: [bash(command)] }, { text: 'after' }] });
const isCallback = (event: string) => (message: Json) =>
  message['type'] === 'control_request' &&
  ((message['request'] as Json)['input'] as Json | undefined)?.['hook_event_name'] === event;
const isResult = ({ type }: Json): boolean => type === 'result';

/** The recorded SDK's first lines: `initialize` and the prompt. */
function begin(driven: Driven, name: string): void {
  const first = recording(name)
    .entries.filter(({ dir }) => dir === 'host>cli')
    .slice(0, 2);
  for (const { msg } of first) driven.say(msg);
}
const reply = (driven: Driven, { request_id }: Json, response: Json): void =>
  driven.say({ type: 'control_response', response: { subtype: 'success', request_id, response } });

test('a recorded SDK drives it: its hook is asked with the call, its denial holds, its end of input is the end', async () => {
  const there = await place(scriptOf('echo original > made.txt'));
  const driven = drive(there, acceptEdits);
  begin(driven, 'deny');
  const asked = await driven.hear(isCallback('PreToolUse'));
  const recorded = recording('deny').asked[0] as Recording['asked'][number];
  const { input, ...request } = asked['request'] as Json;
  expect(request).toEqual({ subtype: 'hook_callback', callback_id: 'hook_0', tool_use_id: 'toolu_main_0_0' });
  expect(Object.keys(input as Json)).toEqual(Object.keys(recorded.request['input'] as Json));
  const { response } = recorded.reply as Json;
  reply(driven, asked, (response as Json)['response'] as Json);

  const fields = ['type', 'subtype', 'is_error', 'num_turns', 'result', 'stop_reason', 'terminal_reason'];
  const recordedResult = recording('deny').entries.at(-1)?.msg as Json;
  const said = await driven.hear(isResult);
  for (const field of fields) expect(said[field]).toEqual(recordedResult[field]);
  expect(there.has('made.txt')).toBe(false);
  expect(there.asked[1]?.text).toContain('SDK-DENY');
  expect(driven.lines[0]).toMatchObject({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'g6havjzpydn', response: { hooks_applied: true } },
  });
  driven.child.stdin.end();
  expect(await driven.ended).toBe(0);
});

test('a recorded SDK that does not answer in time: the request is withdrawn and the call does not run', async () => {
  const there = await place(scriptOf('echo original > made.txt'));
  const driven = drive(there, acceptEdits);
  begin(driven, 'timeout');
  const asked = await driven.hear(isCallback('PreToolUse'));
  await driven.hear((m) => m['type'] === 'control_cancel_request' && m['request_id'] === asked['request_id']);
  reply(driven, asked, {});
  expect(await driven.hear(isResult)).toMatchObject({ subtype: 'success', result: 'after' });
  expect(there.has('made.txt')).toBe(false);
});

test('a recorded SDK that blocks the prompt: the model is not asked', async () => {
  const there = await place({ main: [{ text: 'Never said.' }] });
  const driven = drive(there);
  begin(driven, 'ups-block');
  reply(driven, await driven.hear(isCallback('UserPromptSubmit')), { decision: 'block', reason: 'SDK-B' });
  expect(await driven.hear(isResult)).toMatchObject({
    subtype: 'success',
    num_turns: 0,
    result: 'UserPromptSubmit operation blocked by hook:\nSDK-B\n\nOriginal prompt: go',
  });
  expect(there.asked).toEqual([]);
});

test('a driver that has no more to say still gets the result of what it asked for', async () => {
  const there = await place({ main: [{ tools: [bash('sleep 1; echo slow')] }, { text: 'after' }] });
  const driven = drive(there, ['--permission-mode', 'bypassPermissions']);
  begin(driven, 'plain-host-interrupt');
  driven.child.stdin.end();
  expect(await driven.hear(isResult)).toMatchObject({ subtype: 'success', result: 'after' });
  expect(await driven.ended).toBe(0);
});

test('a prompt that makes no sense is an error, and the next one is played', async () => {
  const there = await place({ main: [{ text: 'after' }] });
  const driven = drive(there);
  driven.say({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } });
  driven.say({ type: 'user', message: { role: 'user', content: 7 } });
  driven.say({ type: 'user', message: { role: 'user', content: 'go' } });
  driven.child.stdin.end();
  expect(await driven.ended).toBe(0);
  expect(driven.lines.filter(isResult)).toMatchObject([
    { subtype: 'error_during_execution', errors: [expect.stringContaining('content')] },
    { subtype: 'success', result: 'after' },
  ]);
});

test('SIGTERM ends it while it waits to be set up', async () => {
  const driven = drive(await place({ main: [] }));
  driven.say({ type: 'control_request', request_id: 'x', request: { subtype: 'interrupt' } });
  await driven.hear(({ type }) => type === 'control_response');
  driven.child.kill('SIGTERM');
  expect(await driven.ended).toBe(143);
});

test('SIGTERM ends what runs and tells the driver’s SessionEnd hook', async () => {
  const marker = `sleep 44.${process.pid}`;
  const there = await place(scriptOf(marker));
  const driven = drive(there, ['--permission-mode', 'bypassPermissions']);
  const hooks = { SessionEnd: [{ hookCallbackIds: ['hook_0'] }] };
  driven.say({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize', hooks } });
  driven.say({ type: 'user', message: { role: 'user', content: 'go' } });
  await until(() => running(marker));
  driven.child.kill('SIGTERM');
  reply(driven, await driven.hear(isCallback('SessionEnd')), {});
  expect(await driven.ended).toBe(143);
  expect(running(marker)).toBe(false);
});

test('a driver that dies in the middle of a turn leaves no process behind', async () => {
  const marker = `sleep 45.${process.pid}`;
  const there = await place(scriptOf(marker));
  const driver = join(there.folder, 'driver.mjs');
  writeFileSync(
    driver,
    `import { spawn } from 'node:child_process';
    const args = ${JSON.stringify([there.program, ...ARGS, '--permission-mode', 'bypassPermissions'])};
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdout.resume();
    child.stdin.write('{"type":"control_request","request_id":"i","request":{"subtype":"initialize"}}\\n');
    child.stdin.write('{"type":"user","message":{"role":"user","content":"go"}}\\n');
    console.log(child.pid);`,
  );
  const child = spawn(process.execPath, [driver], {
    cwd: there.folder,
    env: there.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = Number(await new Promise((resolve) => child.stdout.once('data', (line) => resolve(String(line)))));
  onTestFinished(() => {
    for (const one of [pid, child.pid as number]) if (isAlive(one)) process.kill(one, 'SIGKILL');
  });
  await until(() => running(marker));
  child.kill('SIGKILL');
  await until(() => !isAlive(pid));
  expect(running(marker)).toBe(false);
});

test('it says nothing but messages: a driver that leaves before it has set it up is told on stderr', async () => {
  const driven = drive(await place({ main: [] }));
  let stderr = '';
  driven.child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  driven.child.stdin.end();
  expect(await driven.ended).toBe(1);
  expect(driven.lines).toEqual([]);
  expect(stderr).toContain('CONTROL_FAILED');
});
