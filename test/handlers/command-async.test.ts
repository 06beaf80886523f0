import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { asyncWish, withoutWish } from '../../src/handlers/command/async.js';
import { commandHandler } from '../../src/handlers/command/handler.js';
import { type CommandOptions, command } from '../../src/handlers/command/spec.js';
import type { ExternalCall, Reply } from '../../src/handlers/handler.js';
import { HOOKS, type Kept, processes, shellCall, uniqueSeconds } from './shell-call.js';

const hook = (name: string): string => join(HOOKS, name);
const LATE = { hookEventName: 'PostToolUse', additionalContext: 'late context' };

async function start(
  line: string,
  options: CommandOptions = {},
  over: Partial<ExternalCall> = {},
): Promise<{ reply: Reply; kept: Kept[] }> {
  const { call, kept } = shellCall('PostToolUse', over);
  return { reply: await commandHandler(command(line, options)).run(call), kept };
}

/** A line that runs on for half a minute, found by `processes(seconds)`. */
function longLine(): { seconds: string; line: string } {
  const seconds = uniqueSeconds();
  return { seconds, line: `cat >/dev/null; sleep ${seconds}` };
}

describe('the wish to go on without the hook', () => {
  test.each<[string, object | null | undefined]>([
    ['', undefined],
    [' \n', undefined],
    ['{"async":tr', undefined],
    ['{"async":true}', { async: true }],
    ['\uFEFF{"async":true,"asyncTimeout":5}\nmore', { async: true, asyncTimeout: 5 }],
    ['{"async":true} more\n', null],
    ['{"async":true} \r\n', { async: true }],
    ['{"async":false}\n', null],
    ['{"decision":"block"}', null],
    ['{\n"async":true}', null],
    ['text\n{"async":true}\n', null],
    ['[{"async":true}]', null],
    [`{"async":true,"x":"${'x'.repeat(5000)}"}`, null],
  ])('is read from the first line: %j', (stdout, wish) => {
    expect(asyncWish(stdout)).toEqual(wish);
  });

  test('is no part of what the hook says afterwards', () => {
    expect(withoutWish('{"async":true}\n{"a":1}\n')).toBe('{"a":1}\n');
    expect(withoutWish('{"async":true}')).toBe('');
    expect(withoutWish('{"a":1}\n')).toBe('{"a":1}\n');
  });
});

describe('a hook that prints it', () => {
  test('with a verdict beside it is told that nobody reads that', async () => {
    const wish = { async: true, asyncTimeout: 5, decision: 'block', reason: 'no' };
    const { reply } = await start(`cat >/dev/null; echo '${JSON.stringify(wish)}'`);
    expect(reply.warnings).toEqual(['with "async": true nothing else is read (decision, reason)']);
    await reply.later;
  });

  test.each([[-1], ['5'], [null]])('is told of a time limit that is none: %j', async (asyncTimeout) => {
    const wish = JSON.stringify({ async: true, asyncTimeout });
    const { reply } = await start(`cat >/dev/null; echo '${wish}'; sleep 30`, { asyncTimeout: 0.2 });
    const got = JSON.stringify(asyncTimeout);
    expect(reply.warnings).toEqual([`asyncTimeout: expected a number of seconds from 0 on, got ${got}; it is ignored`]);
    expect(await reply.later).toMatchObject({ failure: { cause: 'timeout' } });
  });

  test('lets the fire go on at once, and says the rest when it has ended', async () => {
    const { reply, kept } = await start(`${hook('go-on.sh')} 0.3`);
    expect(reply.output).toEqual({ async: true });
    expect(reply.failure).toBeUndefined();
    expect(kept.map((k) => k.name)).toEqual([`${hook('go-on.sh')} 0.3`]);
    const later = await reply.later;
    expect(later?.output).toEqual({ systemMessage: 'late', hookSpecificOutput: LATE });
    expect(later).toMatchObject({ exitCode: 0 });
    expect(later?.later).toBeUndefined();
    await kept[0]?.done;
  });

  test('need not end the line', async () => {
    const { reply } = await start(`printf '{"async":true}'; sleep 0.2; echo; echo '{"systemMessage":"x"}'`);
    expect(reply.output).toEqual({ async: true });
    expect((await reply.later)?.output).toEqual({ systemMessage: 'x' });
  });

  test('and nothing else says nothing later', async () => {
    const { reply } = await start(`echo '{"async":true}'`);
    expect(reply.output).toEqual({ async: true });
    const later = await reply.later;
    expect(later?.output).toBeUndefined();
    expect(later?.failure).toBeUndefined();
  });

  test('is no longer ended by the signal of its fire', async () => {
    const fire = new AbortController();
    const { reply } = await start(`${hook('go-on.sh')} 0.3`, {}, { signal: fire.signal });
    fire.abort();
    expect((await reply.later)?.output).toMatchObject({ systemMessage: 'late' });
  });

  test.each<[string, CommandOptions, Partial<ExternalCall>]>([
    ['{"async":true,"asyncTimeout":0.3}', { asyncTimeout: 60 }, {}],
    ['{"async":true}', { asyncTimeout: 0.3 }, { asyncTimeout: 60 }],
    ['{"async":true}', {}, { asyncTimeout: 0.3 }],
  ])('is ended when its own time is up: %s %j %j', async (wish, options, over) => {
    const { seconds, line } = longLine();
    const { reply } = await start(`echo '${wish}'; ${line}`, options, over);
    const later = await reply.later;
    expect(later?.failure).toEqual({ cause: 'timeout', message: 'In the background it ran for more than 0.3 s.' });
    expect(processes(seconds)).toEqual([]);
  });

  test.each([0, 1e10])('with %d seconds is not ended', async (asyncTimeout) => {
    const { reply } = await start(`${hook('go-on.sh')} 0.3`, { asyncTimeout });
    expect((await reply.later)?.output).toMatchObject({ systemMessage: 'late' });
  });

  test('is ended with all it started when the host closes', async () => {
    const { seconds, line } = longLine();
    const { reply, kept } = await start(`echo '{"async":true}'; ${line} | cat`);
    await kept[0]?.end();
    expect(processes(seconds)).toEqual([]);
    expect((await reply.later)?.failure?.cause).toBe('aborted');
  });
});

describe('a hook registered as async', () => {
  test('is not waited for', async () => {
    const { reply, kept } = await start(`sleep 0.2; ${hook('go-on.sh')} 0`, { async: true, name: 'notifier' });
    expect(reply.output).toEqual({ async: true });
    expect(kept.map((k) => k.name)).toEqual(['notifier']);
    expect((await reply.later)?.output).toEqual({ systemMessage: 'late', hookSpecificOutput: LATE });
  });

  test('says nothing with plain text', async () => {
    const { reply } = await start(hook('context.sh'), { async: true }, { spec: CATALOGUE.SessionStart });
    expect(await reply.later).toEqual({ stdout: 'It is raining.\n', stderr: '', exitCode: 0 });
  });

  test('that cannot be started says so at once', async () => {
    const { reply } = await start('no-such-program', { async: true, args: [] });
    expect(reply.failure?.cause).toBe('spawn_failed');
    expect(reply.later).toBeUndefined();
  });

  test('that fails later is a failure then', async () => {
    const { reply } = await start('no-such-program', { async: true });
    expect(reply.failure).toBeUndefined();
    expect((await reply.later)?.failure?.cause).toBe('spawn_failed');
  });

  test('with asyncRewake ends with its code and its words', async () => {
    const { reply } = await start(hook('block.sh'), { asyncRewake: true });
    expect(reply.output).toEqual({ async: true });
    expect(await reply.later).toMatchObject({ exitCode: 2, stderr: 'not allowed\n' });
  });

  test('is waited for when its registration says so, and the other way round', async () => {
    const waited = await start(hook('context.sh'), { async: true }, { async: false });
    expect(waited.reply).toMatchObject({ exitCode: 0, stdout: 'It is raining.\n' });
    const gone = await start(hook('context.sh'), {}, { async: true });
    expect(gone.reply.output).toEqual({ async: true });
    await gone.reply.later;
  });

  test('in two phases runs to its end first and is not followed', async () => {
    const { reply, kept } = await start(`${hook('go-on.sh')} 0.1`, { async: 'two-phase' });
    expect(reply.output).toEqual({ async: true });
    expect(reply.stdout).toContain('late');
    expect(reply.later).toBeUndefined();
    expect(kept).toEqual([]);
    const decided = await start(hook('block.sh'), { async: 'two-phase' });
    expect(decided.reply.output).toMatchObject({ decision: 'block' });
  });

  test('in its second phase runs to its end, whatever it asks for', async () => {
    for (const options of [{ async: 'two-phase' }, { async: true }, {}] as const) {
      const { reply, kept } = await start(`${hook('go-on.sh')} 0.1`, options, { call: 'async' });
      expect(reply.output).toEqual({ systemMessage: 'late', hookSpecificOutput: LATE });
      expect(kept).toEqual([]);
    }
  });
});
