import { describe, expect, it } from 'vitest';
import { ReaderQueue } from '../../../src/claude-code/control/peer/reader-queue.js';
import { anyHooks, fires, sleep, testHost, until } from '../../host/kit.js';
import { isAlive } from './alive.js';
import { quiet } from './ends.js';
import { all, bash, connect, connectPuppet, problems, tapped } from './kit.js';
import { isRequest, isType, type Json, refusal, request, success } from './puppet.js';

const said = (text: string): Json => ({ type: 'assistant', message: { role: 'assistant', content: text } });
const result = (text = ''): Json => ({ type: 'result', subtype: 'success', result: text });
const isUser = isType('user');
const textOf = (message: Json): unknown => ((message['message'] as Json)['content'] as Json[])[0]?.['text'];

describe('query', () => {
  it('sends the text and gives every message up to and with the result', async () => {
    const { client, claude } = await connect(testHost().host);
    const asked = all(client.query('list the files'));
    expect(await claude.hear(isUser)).toEqual({
      type: 'user',
      session_id: '',
      message: { role: 'user', content: [{ type: 'text', text: 'list the files' }] },
      parent_tool_use_id: null,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await claude.say(said('a'), said('b'), result('done'), said('between turns'));
    expect(await asked).toEqual([said('a'), said('b'), result('done')]);
  });

  it('sends a user message as it is', async () => {
    const { client, claude } = await connect(testHost().host);
    const message = { type: 'user', message: { role: 'user', content: '/clear' }, uuid: 'u' };
    const asked = all(client.query(message));
    expect(await claude.hear(isUser)).toEqual(message);
    await claude.say(result());
    expect(await asked).toEqual([result()]);
  });

  it('gives messages as they come, not at the end', async () => {
    const { client, claude } = await connect(testHost().host);
    const messages = client.query('go')[Symbol.asyncIterator]();
    await claude.hear(isUser);
    for (const text of ['a', 'b']) {
      await claude.say(said(text));
      expect(await messages.next()).toEqual({ done: false, value: said(text) });
    }
    await claude.say(result());
    expect(await messages.next()).toEqual({ done: false, value: result() });
    expect(await messages.next()).toMatchObject({ done: true });
  });

  it('control messages are not among them', async () => {
    const { client, claude, fire } = await connect(testHost().host);
    const asked = all(client.query('go'));
    await claude.hear(isUser);
    await fire('PreToolUse', bash('ls'));
    await claude.say(result());
    expect(await asked).toEqual([result()]);
  });

  it('of several prompts, each is sent after the result of the one before', async () => {
    const { client, claude } = await connect(testHost().host);
    async function* prompts() {
      yield 'one';
      yield 'two';
    }
    const asked = all(client.query(prompts()));
    expect(textOf(await claude.hear(isUser))).toBe('one');
    await quiet();
    expect(claude.heard.filter((line) => line.includes('two'))).toEqual([]);
    await claude.say(result('1'));
    expect(textOf(await claude.hear(isUser))).toBe('two');
    await claude.say(said('x'), result('2'));
    expect(await asked).toEqual([result('1'), said('x'), result('2')]);
  });

  it('two at once: each has its own turn, in order', async () => {
    const { client, claude } = await connect(testHost().host);
    const [one, two] = [all(client.query('one')), all(client.query('two'))];
    expect(textOf(await claude.hear(isUser))).toBe('one');
    await quiet();
    expect(claude.heard.filter((line) => line.includes('two'))).toEqual([]);
    await claude.say(said('for one'), result('1'));
    expect(textOf(await claude.hear(isUser))).toBe('two');
    await claude.say(said('for two'), result('2'));
    expect([await one, await two]).toEqual([
      [said('for one'), result('1')],
      [said('for two'), result('2')],
    ]);
  });

  it('a result of a turn that a background task began is not its own', async () => {
    const { client, claude } = await connect(testHost().host);
    const asked = all(client.query('one'));
    const names = async (): Promise<Json> => {
      const { uuid } = await claude.hear(isUser);
      return { user_message_uuid: uuid, user_message_uuids: [uuid] };
    };
    await claude.say({ ...result('1'), ...(await names()) });
    await asked;
    const again = all(client.query('two'));
    const origin = { kind: 'task-notification' };
    const named = await names();
    await claude.say(said('noted'), { ...result('the task'), origin }, { ...result('2'), ...named });
    expect(await again).toEqual([said('noted'), { ...result('2'), ...named }]);
    // It may put a prompt into such a turn.
    const third = all(client.query('three'));
    const folded = { ...result('both'), origin, ...(await names()) };
    await claude.say(folded);
    expect(await third).toEqual([folded]);
    const fourth = all(client.query('four'));
    const other = { ...result('of another'), user_message_uuid: 'another' };
    await claude.hear(isUser);
    await claude.say(other, result('4'));
    expect(await fourth).toEqual([result('4')]);
  });

  it('ends with a prompt that the program is done with, if no result names it', async () => {
    const { client, claude } = await connect(testHost().host);
    for (const state of ['completed', 'cancelled']) {
      const asked = all(client.query(state));
      const { uuid } = await claude.hear(isUser);
      const lifecycle = { type: 'command_lifecycle', command_uuid: uuid };
      const other = { ...lifecycle, command_uuid: 'another', state };
      await claude.say({ ...lifecycle, state: 'started' }, other, { ...lifecycle, state });
      expect(await asked).toEqual([{ ...lifecycle, state: 'started' }, other, { ...lifecycle, state }]);
    }
  });

  it('a program that never names prompts: every result is its own', async () => {
    const { client, claude } = await connect(testHost().host);
    const asked = all(client.query('one'));
    await claude.hear(isUser);
    const its = { ...result('1'), origin: { kind: 'task-notification' } };
    await claude.say(its);
    expect(await asked).toEqual([its]);
  });

  it('whoever stops reading early leaves the turn to its end, and the next query gets only its own', async () => {
    const { client, claude } = await connect(testHost().host);
    const messages = client.query('one')[Symbol.asyncIterator]();
    await claude.hear(isUser);
    await claude.say(said('a'));
    await messages.next();
    await messages.return?.(undefined);
    const two = all(client.query('two'));
    await quiet();
    expect(claude.heard.filter((line) => line.includes('two'))).toEqual([]);
    await claude.say(said('late'), result('1'));
    await claude.hear(isUser);
    await claude.say(result('2'));
    expect(await two).toEqual([result('2')]);
  });

  it('ends with CONTROL_FAILED when the program dies in the middle of a turn, after what it had said', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    const messages = client.query('one')[Symbol.asyncIterator]();
    const waiting = expect(all(client.query('two'))).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await claude.hear(isUser);
    await claude.order({ write: [`${JSON.stringify(said('a'))}\n`], stderr: 'out of memory\n', exit: 7 });
    expect(await messages.next()).toMatchObject({ value: said('a') });
    await expect(messages.next()).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringMatching(/it ended with exit code 7; it wrote: out of memory/),
    });
    await waiting;
    await client.ended;
    await expect(all(client.query('three'))).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });

  it('a long backlog is read in order, in time linear in its length', async () => {
    const queue = new ReaderQueue<number>();
    for (let i = 0; i < 500_000; i++) queue.push(i);
    for await (const item of queue) if (item === 99) break;
    queue.end();
    let next = 100;
    for await (const item of queue) if (item === next) next++;
    expect(next).toBe(500_000);
  });

  it('ends with what the caller’s own iterable throws; the connection goes on', async () => {
    const { client, claude } = await connect(testHost().host);
    async function* prompts() {
      yield 'one';
      throw new Error('no more');
    }
    const asked = expect(all(client.query(prompts()))).rejects.toThrow('no more');
    await claude.hear(isUser);
    await claude.say(result());
    await asked;
    const next = all(client.query('two'));
    await claude.hear(isUser);
    await claude.say(result('2'));
    expect(await next).toEqual([result('2')]);
  });

  it('refuses what is no prompt', async () => {
    const { client } = await connect(testHost().host);
    for (const wrong of [undefined, null, 3, true])
      expect(() => client.query(wrong as never)).toThrow(/query\(prompt\)/);
    expect(() => client.query({ role: 'user' } as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
    async function* wrong() {
      yield 3 as never;
    }
    await expect(all(client.query(wrong()))).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('a refused prompt does not take the next one’s result', async () => {
    const { client, claude } = await connect(testHost().host);
    expect(() => client.query({ role: 'user' } as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
    const asked = all(client.query('go'));
    await claude.hear(isUser);
    await claude.say(said('a'), result());
    expect(await asked).toEqual([said('a'), result()]);
  });
});

describe('messages$', () => {
  it('gives every message, also between turns, and completes with the program', async () => {
    const { client, claude } = await connect(testHost().host);
    const seen: unknown[] = [];
    const done: true[] = [];
    client.messages$.subscribe({ next: (message) => seen.push(message), complete: () => done.push(true) });
    const asked = all(client.query('go'));
    await claude.hear(isUser);
    await claude.say(said('a'), result(), said('b'));
    await asked;
    await until(() => seen.length === 3);
    expect(seen).toEqual([said('a'), result(), said('b')]);
    expect(done).toEqual([]);
    await client.close();
    expect(done).toEqual([true]);
  });

  it('a watcher that throws is told to the logger and harms nobody', async () => {
    const { host, reports } = testHost();
    const { client, claude } = await connect(host);
    client.messages$.subscribe(() => {
      throw new Error('BOOM');
    });
    const seen: unknown[] = [];
    client.messages$.subscribe((message) => seen.push(message));
    await claude.say(said('a'), said('b'));
    await until(() => seen.length === 2);
    expect(reports).toEqual([expect.stringMatching(/subscriber .* threw and was detached/)]);
  });
});

describe('requests of the client', () => {
  it('say what the SDK says, and give the program’s answer', async () => {
    const { client, claude } = await connect(testHost().host);
    const requests: [sent: Json, made: () => Promise<Json>][] = [
      [{ subtype: 'interrupt' }, () => client.interrupt()],
      [{ subtype: 'set_permission_mode', mode: 'plan' }, () => client.setPermissionMode('plan')],
      [{ subtype: 'set_model', model: 'opus' }, () => client.setModel('opus')],
      [{ subtype: 'set_model' }, () => client.setModel()],
    ];
    for (const [sent, make] of requests) {
      const answer = make();
      const ask = await claude.hear(isRequest(sent['subtype'] as string));
      expect(ask['request']).toEqual(sent);
      await claude.say(success(ask['request_id'], { heard: sent }));
      expect(await answer).toEqual({ heard: sent });
    }
  });

  it('reject with CONTROL_REFUSED and the program’s words', async () => {
    const { client, claude } = await connect(testHost().host);
    const refused = expect(client.setModel('gpt')).rejects.toMatchObject({
      code: 'CONTROL_REFUSED',
      message: expect.stringMatching(/refused the request: no such model$/),
    });
    const ask = await claude.hear(isRequest('set_model'));
    await claude.say(refusal(ask['request_id'], 'no such model'));
    await refused;
  });

  it('reject with CONTROL_FAILED when the program goes away, and afterwards', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    const failed = expect(client.interrupt()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await claude.hear(isRequest('interrupt'));
    await claude.order({ kill: 'SIGKILL' });
    await failed;
    await client.ended;
    await expect(client.setModel('x')).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });

  it('answers come in any order', async () => {
    const { client, claude } = await connect(testHost().host);
    const answers = ['a', 'b', 'c'].map((model) => client.setModel(model));
    const asked = [];
    for (const _ of answers) asked.push(await claude.hear(isRequest('set_model')));
    for (const ask of asked.toReversed()) await claude.say(success(ask['request_id'], { said: ask['request'] }));
    expect(await Promise.all(answers)).toMatchObject(['a', 'b', 'c'].map((model) => ({ said: { model } })));
  });
});

describe('the end', () => {
  it('close ends the program’s input, and it ends by itself; twice is once', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    const { pid } = await claude.hello();
    const [first, second] = await Promise.all([client.close(), client.close()]);
    expect([first, second, await client.ended]).toEqual([{ exitCode: 0 }, { exitCode: 0 }, { exitCode: 0 }]);
    expect(await client.close()).toEqual({ exitCode: 0 });
    expect(claude.told.filter(({ ended }) => ended === '')).toHaveLength(1);
    expect(isAlive(pid)).toBe(false);
  });

  it('close ends the turn that is under way before it ends the program’s input', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    const refused = expect(all(client.query('go'))).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await claude.hear(isUser);
    const closing = client.close();
    const asked = await claude.hear(isRequest('interrupt'));
    await claude.say(success(asked['request_id'], {}));
    await sleep(20);
    expect(claude.told.filter(({ ended }) => ended === '')).toEqual([]);
    await claude.say(result('interrupted'));
    expect(await closing).toEqual({ exitCode: 0 });
    expect(claude.told.filter(({ ended }) => ended === '')).toHaveLength(1);
    await refused;
  });

  it('close answers what the program still asks while it ends', async () => {
    const { host } = testHost();
    const { client, claude, asking } = await connectPuppet(host);
    await claude.order({ stay: true });
    const closing = client.close();
    await until(() => claude.told.some(({ ended }) => ended === ''));
    await claude.say(request('q', asking('SessionEnd', { reason: 'other' })));
    await claude.order({ exit: 0 });
    expect(await closing).toEqual({ exitCode: 0 });
  });

  it('one that does not end is killed after closeTimeout, with whatever it started', async () => {
    const { client, claude } = await connectPuppet(testHost().host, { closeTimeout: 0.2 });
    await claude.order({ stay: true, leave: true });
    await until(() => claude.told.some(({ child }) => child !== undefined));
    const child = claude.told.find((frame) => frame['child'] !== undefined)?.['child'] as number;
    const { pid } = await claude.hello();
    expect(await client.close()).toEqual({ signal: 'SIGKILL' });
    await until(() => !isAlive(pid) && !isAlive(child));
  });

  it('a child that holds its output open does not hold the end', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    await claude.order({ leave: true });
    await until(() => claude.told.some(({ child }) => child !== undefined));
    const child = claude.told.find((frame) => frame['child'] !== undefined)?.['child'] as number;
    expect(await client.close()).toEqual({ exitCode: 0 });
    process.kill(child, 'SIGKILL');
  });

  it('nor does one that holds its stderr keep this process running', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    await claude.order({ leave: 'stderr' });
    await until(() => claude.told.some(({ child }) => child !== undefined));
    const child = claude.told.find((frame) => frame['child'] !== undefined)?.['child'] as number;
    expect(await client.close()).toEqual({ exitCode: 0 });
    await until(claude.gone);
    const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
    await sleep(50);
    const held = pipes();
    process.kill(child, 'SIGKILL');
    await until(() => !isAlive(child));
    await sleep(50);
    expect(held).toBe(pipes());
  });

  it('a closeTimeout longer than any timer is waited for', async () => {
    const { client } = await connect(testHost().host, { closeTimeout: 3_000_000, initializeTimeout: 5_000_000 });
    expect(await client.close()).toEqual({ exitCode: 0 });
  });

  it('one that closes its output and stays is killed, and the query under way fails', async () => {
    const { client, claude } = await connectPuppet(testHost().host, { closeTimeout: 0.2 });
    const failed = expect(all(client.query('go'))).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await claude.hear(isUser);
    await claude.order({ stay: true, closeOutput: true });
    await failed;
    expect(await client.ended).toEqual({ signal: 'SIGKILL' });
  });

  it('one that closes its input and goes on is killed: it can be given no answer', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    const failed = expect(all(client.query('go'))).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await claude.hear(isUser);
    await claude.order({ closeInput: true });
    await expect(client.interrupt()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await failed;
    expect(await client.ended).toEqual({ signal: 'SIGTERM' });
  });

  it('after close nothing can be asked', async () => {
    const { client } = await connect(testHost().host);
    await client.close();
    await expect(client.interrupt()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await expect(all(client.query('go'))).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });

  it('`await using` closes it', async () => {
    const { client, claude } = await connectPuppet(testHost().host);
    await client[Symbol.asyncDispose]();
    expect(await client.ended).toEqual({ exitCode: 0 });
    expect(isAlive((await claude.hello()).pid)).toBe(false);
  });

  it('the signal ends it, and a turn under way', async () => {
    const controller = new AbortController();
    const { client, claude } = await connectPuppet(testHost().host, { signal: controller.signal });
    const failed = expect(all(client.query('go'))).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    await claude.hear(isUser);
    const { pid } = await claude.hello();
    controller.abort();
    await failed;
    expect(await client.ended).toEqual({ signal: 'SIGTERM' });
    await until(() => !isAlive(pid));
  });

  it('the signal after the end is nothing', async () => {
    const controller = new AbortController();
    const { host, reports } = testHost();
    const { client } = await connect(host, { signal: controller.signal });
    await client.close();
    controller.abort();
    await sleep(20);
    expect(reports).toEqual([]);
  });

  it('closing the host ends it; its SessionEnd hooks still run, and are told', async () => {
    const { host, reports } = testHost();
    const ended: unknown[] = [];
    host.register({ SessionEnd: [{ hooks: [({ session_id, reason }) => void ended.push([session_id, reason])] }] });
    const seen = tapped(host);
    const { client, claude, fire } = await connectPuppet(host);
    const { pid } = await claude.hello();
    await fire('Stop', { stop_hook_active: false });
    await host.close();
    expect(await client.ended).toEqual({ signal: 'SIGTERM' });
    expect(isAlive(pid)).toBe(false);
    expect(ended).toEqual([['S1', 'other']]);
    expect(fires(seen).map(({ event }) => event)).toEqual(['SessionStart', 'Stop', 'SessionEnd']);
    expect(reports).toEqual([]);
  });

  it('hooks under way are told that it has gone, and nobody is answered', async () => {
    const { host, reports } = testHost();
    const signals: AbortSignal[] = [];
    const hook = (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    host.register(anyHooks({ PreToolUse: [{ timeout: 0, hooks: [hook] }] }));
    const seen = tapped(host);
    const { client, claude, asking } = await connectPuppet(host);
    await claude.say(request('q', asking('PreToolUse', bash('ls'))));
    await until(() => signals.length === 1);
    await claude.order({ kill: 'SIGKILL' });
    await client.ended;
    await until(() => signals[0]?.aborted === true);
    expect(problems(seen).map(({ problem }) => problem)).toEqual([]);
    expect(reports).toEqual([]);
    expect(await host.close()).toEqual({ pending: [] });
  });

  it('what it writes to stderr is told, and is no problem', async () => {
    const { host, reports } = testHost();
    const pieces: string[] = [];
    const { client, claude } = await connectPuppet(host, { stderr: (piece) => pieces.push(piece) });
    await claude.order({ stderr: 'wärning\n' });
    await until(() => pieces.join('') === 'wärning\n');
    await client.close();
    expect(reports).toEqual([]);
  });
});
