// The real program under `connectClaude`.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { allow, block, deny, type HookCallback, rewrite } from '../../src/index.js';
import { resultOf, talk } from './sandbox.js';
import { agentCall, bash, type Scenario, told } from './scenario.js';

const done = { text: 'done' };
const pause = (seconds: number): Promise<void> => wait(seconds * 1000);

export const clientScenarios: readonly Scenario[] = [
  {
    name: 'PreToolUse deny',
    checked: 'the file was not made; the model got the reason',
    run: (programs) =>
      talk(
        programs,
        {
          script: { main: [bash('echo x > made.txt'), done] },
          hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [() => deny('not today')] }] },
        },
        async (t) => {
          equal(resultOf(await t.ask('go'))['subtype'], 'success');
          equal(t.has('made.txt'), false);
          match(told(t, 1), /not today/);
        },
      ),
  },
  {
    name: 'PreToolUse updatedInput',
    checked: 'the rewritten command ran, the original did not; PostToolUse saw the rewritten input',
    run: async (programs) => {
      const ran: unknown[] = [];
      await talk(
        programs,
        {
          script: { main: [bash('echo x > original.txt'), done] },
          hooks: {
            PreToolUse: [{ hooks: [() => rewrite({ command: 'echo y > rewritten.txt' })] }],
            PostToolUse: [{ hooks: [({ tool_input }) => void ran.push((tool_input as { command: string }).command)] }],
          },
        },
        async (t) => {
          await t.ask('go');
          deepEqual([t.has('original.txt'), t.has('rewritten.txt')], [false, true]);
          deepEqual(ran, ['echo y > rewritten.txt']);
        },
      );
    },
  },
  {
    name: 'Stop block',
    checked: 'the model was asked once more, with the reason; then it ended; stop_hook_active false, then true',
    run: async (programs) => {
      const active: unknown[] = [];
      const once: HookCallback<'Stop'> = ({ stop_hook_active }) => {
        active.push(stop_hook_active);
        return stop_hook_active ? undefined : block('write the changelog first');
      };
      await talk(
        programs,
        { script: { main: [{ text: 'finished?' }, { text: 'finished!' }] }, hooks: { Stop: [{ hooks: [once] }] } },
        async (t) => {
          equal(resultOf(await t.ask('go'))['result'], 'finished!');
          equal(t.server.asked.length, 2);
          match(told(t, 1), /write the changelog first/);
          deepEqual(active, [false, true]);
        },
      );
    },
  },
  {
    name: 'Hooks for one agent type (spawnHooks)',
    checked: 'of main, code-reviewer and tester at once only the reviewer could not write; its model got the reason',
    run: async (programs) => {
      const saw: unknown[] = [];
      let id = '';
      const readOnly: HookCallback<'PreToolUse'> = (input) => {
        saw.push(input.agent_type);
        id = String(input.agent_id);
        return deny('a reviewer only reads');
      };
      const agents = {
        'code-reviewer': { description: 'reviews', prompt: 'You review.' },
        tester: { description: 'tests', prompt: 'You test.' },
      };
      await talk(
        programs,
        {
          args: ['--agents', JSON.stringify(agents)],
          script: {
            main: [
              { tools: [agentCall('code-reviewer', 'rev'), agentCall('tester', 'tst')] },
              bash('echo x > main.txt'),
              done,
            ],
            rev: [bash('echo x > rev.txt'), { text: 'reviewed' }],
            tst: [bash('echo x > tst.txt'), { text: 'tested' }],
          },
          spawnHooks: { 'code-reviewer': { PreToolUse: [{ hooks: [readOnly] }] } },
        },
        async (t) => {
          await t.ask('go');
          deepEqual([t.has('main.txt'), t.has('rev.txt'), t.has('tst.txt')], [true, false, true]);
          match(told(t, 1, 'rev'), /a reviewer only reads/);
          deepEqual(saw, ['code-reviewer']);
          equal(String(t.host.describe()).includes(id), false, 'its scope is ended');
        },
      );
    },
  },
  {
    name: 'SubagentStart context, SubagentStop block',
    checked: 'the subagent’s first request had the context; it went on once with the reason',
    run: async (programs) => {
      const goOn: HookCallback<'SubagentStop'> = ({ stop_hook_active }) =>
        stop_hook_active ? undefined : block('count the files too');
      await talk(
        programs,
        {
          script: {
            main: [{ tools: [agentCall('general-purpose', 'sub')] }, done],
            sub: [{ text: 'first' }, { text: 'second' }],
          },
          hooks: {
            SubagentStart: [
              {
                hooks: [
                  () => ({ hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'be brief' } }),
                ],
              },
            ],
            SubagentStop: [{ hooks: [goOn] }],
          },
        },
        async (t) => {
          await t.ask('go');
          match(told(t, 0, 'sub'), /be brief/);
          match(told(t, 1, 'sub'), /count the files too/);
          match(told(t, 1), /second/);
        },
      );
    },
  },
  {
    name: 'canUseTool',
    checked: 'denied: no file, the model got the message; allowed with updatedInput: the updated command ran',
    run: async (programs) => {
      const asked: string[] = [];
      await talk(
        programs,
        {
          mode: 'default',
          script: { main: [bash('echo x > first.txt'), bash('echo x > second.txt'), done] },
          canUseTool: (tool, input, { toolUseID }) => {
            asked.push(`${tool} ${toolUseID}`);
            if (input['command'] === 'echo x > first.txt') return { behavior: 'deny', message: 'the person said no' };
            return { behavior: 'allow', updatedInput: { ...input, command: 'echo x > third.txt' } };
          },
        },
        async (t) => {
          await t.ask('go');
          deepEqual([t.has('first.txt'), t.has('second.txt'), t.has('third.txt')], [false, false, true]);
          match(told(t, 1), /the person said no/);
          deepEqual(asked, ['Bash toolu_main_0_0', 'Bash toolu_main_1_0']);
        },
      );
    },
  },
  {
    name: 'PermissionRequest hook before canUseTool',
    checked:
      'allow: the file was made; deny: not; each hook ran once a call, the person was asked only about the third',
    run: async (programs) => {
      const hooks: unknown[] = [];
      const people: unknown[] = [];
      const decide: HookCallback<'PermissionRequest'> = ({ tool_input }) => {
        const { command } = tool_input as { command: string };
        hooks.push(command);
        if (command.includes('yes')) return allow();
        return command.includes('no.txt') ? deny('a hook said no') : undefined;
      };
      await talk(
        programs,
        {
          mode: 'default',
          script: { main: [bash('echo x > yes.txt'), bash('echo x > no.txt'), bash('echo x > who.txt'), done] },
          hooks: { PermissionRequest: [{ hooks: [decide] }] },
          canUseTool: (_tool, input) => {
            people.push(input['command']);
            return { behavior: 'allow' };
          },
        },
        async (t) => {
          await t.ask('go');
          deepEqual([t.has('yes.txt'), t.has('no.txt'), t.has('who.txt')], [true, false, true]);
          match(told(t, 2), /a hook said no/);
          deepEqual(hooks, ['echo x > yes.txt', 'echo x > no.txt', 'echo x > who.txt']);
          deepEqual(people, ['echo x > who.txt']);
        },
      );
    },
  },
  {
    name: 'SessionStart and SessionEnd',
    checked: 'the context was in the first request; each fired once, with the session’s id; exit code 0',
    run: async (programs) => {
      const starts: unknown[] = [];
      const ends: unknown[] = [];
      await talk(
        programs,
        {
          script: { main: [{ text: 'one' }, { text: 'two' }] },
          hooks: {
            SessionStart: [
              {
                hooks: [
                  ({ session_id, source }) => {
                    starts.push([session_id, source]);
                    return {
                      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'the build is red' },
                    };
                  },
                ],
              },
            ],
            SessionEnd: [{ hooks: [({ session_id, reason }) => void ends.push([session_id, reason])] }],
          },
        },
        async (t) => {
          const id = resultOf(await t.ask('go'))['session_id'];
          match(told(t, 0), /the build is red/);
          await t.ask('again');
          deepEqual(starts, [[id, 'startup']]);
          equal((await t.client.close()).exitCode, 0);
          deepEqual(ends, [[id, 'other']]);
        },
      );
    },
  },
  {
    name: 'A new session (/clear)',
    checked: 'SessionEnd(clear), then SessionStart(clear), each once; its context was in the next request',
    run: async (programs) => {
      const told_: unknown[] = [];
      await talk(
        programs,
        {
          script: { main: [{ text: 'one' }, { text: 'two' }] },
          hooks: {
            SessionStart: [
              {
                hooks: [
                  ({ source }) => {
                    told_.push(`start ${source}`);
                    return {
                      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: `began: ${source}` },
                    };
                  },
                ],
              },
            ],
            SessionEnd: [{ hooks: [({ reason }) => void told_.push(`end ${reason}`)] }],
          },
        },
        async (t) => {
          await t.ask('go');
          await t.ask('/clear');
          await t.ask('go on');
          match(told(t, 1), /began: clear/);
          await t.client.close();
          deepEqual(told_, ['start startup', 'end clear', 'start clear', 'end other']);
        },
      );
    },
  },
  {
    name: 'A throw under onFailure',
    checked: 'block: the file was not made, the model was told; continue: it was made',
    run: async (programs) => {
      const boom = (): never => {
        throw new Error('the guard broke');
      };
      for (const onFailure of ['block', 'continue'] as const) {
        await talk(
          programs,
          {
            script: { main: [bash('echo x > made.txt'), done] },
            hooks: { PreToolUse: [{ hooks: [boom], onFailure }] },
          },
          async (t) => {
            await t.ask('go');
            equal(t.has('made.txt'), onFailure === 'continue', onFailure);
            if (onFailure === 'block') match(told(t, 1), /onFailure is "block"/);
          },
        );
      }
    },
  },
  {
    name: 'A blocked prompt',
    checked: 'the model was never asked; the result holds the reason',
    run: (programs) =>
      talk(
        programs,
        {
          script: { main: [{ text: 'never' }] },
          hooks: {
            UserPromptSubmit: [
              { hooks: [({ prompt }) => (prompt.includes('secret') ? block('no secrets') : undefined)] },
            ],
          },
        },
        async (t) => {
          match(String(resultOf(await t.ask('a secret'))['result']), /no secrets/);
          equal(t.server.asked.length, 0);
        },
      ),
  },
  {
    name: 'Output rewritten after the tool',
    checked: 'the model got the rewritten output, not the secret',
    run: (programs) =>
      talk(
        programs,
        {
          script: { main: [bash('echo TOKEN=abc123'), done] },
          hooks: {
            PostToolUse: [
              { hooks: [({ tool_response }) => rewrite({ ...(tool_response as object), stdout: 'TOKEN=[redacted]' })] },
            ],
          },
        },
        async (t) => {
          await t.ask('go');
          match(told(t, 1), /TOKEN=\[redacted\]/);
          equal(told(t, 1).includes('abc123'), false);
        },
      ),
  },
  {
    name: 'interrupt',
    checked:
      'the tool was killed (no file, even when its time had come), the hook that ran got its signal, the next prompt was answered',
    run: async (programs) => {
      let aborted = false;
      const slow: HookCallback<'PreToolUse'> = async ({ tool_input }, _id, { signal }) => {
        if (!(tool_input as { command: string }).command.includes('hooked')) return;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        aborted = true;
      };
      await talk(
        programs,
        {
          script: { main: [bash('sleep 2; echo x > made.txt'), bash('echo hooked > hooked.txt'), { text: 'hello' }] },
          hooks: { PreToolUse: [{ hooks: [slow] }] },
          canUseTool: () => ({ behavior: 'allow' }),
        },
        async (t) => {
          const interrupts: Promise<string>[] = [];
          t.client.messages$.subscribe(({ type }) => {
            if (type !== 'assistant' || interrupts.length === 2) return;
            interrupts.push(
              pause(0.5)
                .then(() => t.client.interrupt())
                .then(() => 'accepted', String),
            );
          });
          equal(resultOf(await t.ask('go'))['subtype'], 'error_during_execution');
          equal(resultOf(await t.ask('go on'))['subtype'], 'error_during_execution');
          equal(resultOf(await t.ask('and?'))['result'], 'hello');
          deepEqual(await Promise.all(interrupts), ['accepted', 'accepted']);
          await pause(2);
          deepEqual([t.has('made.txt'), t.has('hooked.txt'), aborted], [false, false, true]);
        },
      );
    },
  },
  {
    name: 'setPermissionMode',
    checked: 'default: the file was not made; acceptEdits: it was; an unknown mode was refused',
    run: (programs) =>
      talk(
        programs,
        { mode: 'default', script: { main: [bash('echo x > a.txt'), done, bash('echo x > b.txt'), done] } },
        async (t) => {
          await t.ask('go');
          await t.client.setPermissionMode('acceptEdits');
          await t.ask('go');
          deepEqual([t.has('a.txt'), t.has('b.txt')], [false, true]);
          const refused = await t.client.setPermissionMode('nonsense').then(
            () => 'accepted',
            (error: { code?: string }) => error.code,
          );
          equal(refused, 'CONTROL_REFUSED');
        },
      ),
  },
  {
    name: 'setModel',
    checked: 'the next request went to the other model; PreModelSwitch and PostModelSwitch fired',
    run: async (programs) => {
      const switched: string[] = [];
      await talk(
        programs,
        {
          script: { main: [{ text: 'one' }, { text: 'two' }] },
          hooks: {
            PreModelSwitch: [{ hooks: [({ to_model }) => void switched.push(`before ${to_model}`)] }],
            PostModelSwitch: [{ hooks: [({ to_model }) => void switched.push(`after ${to_model}`)] }],
          },
        },
        async (t) => {
          await t.ask('go');
          await t.client.setModel('claude-opus-4-5');
          await t.ask('go');
          deepEqual(
            t.server.asked.map(({ body }) => body.model),
            ['claude-sonnet-4-5', 'claude-opus-4-5'],
          );
          deepEqual(switched, ['before claude-opus-4-5', 'after claude-opus-4-5']);
        },
      );
    },
  },
  {
    name: 'Its own hooks beside ours on events$',
    checked: 'a settings hook really ran; its messages had origin "claude", ours none; SessionStart’s came too',
    run: async (programs) => {
      const settings = {
        hooks: {
          SessionStart: [{ hooks: [{ type: 'command', command: 'true' }] }],
          PreToolUse: [{ hooks: [{ type: 'command', command: 'cat > theirs.json' }] }],
        },
      };
      const seen: string[] = [];
      await talk(
        programs,
        {
          files: { '.claude/settings.json': JSON.stringify(settings) },
          script: { main: [bash('echo x > made.txt'), done] },
          hooks: { PreToolUse: [{ name: 'ours', hooks: [() => undefined] }] },
          watch: (host) => {
            host.events$.subscribe((event) => {
              if (event.type !== 'system' || event.subtype !== 'hook_response') return;
              seen.push(`${event.hook_event} ${event.origin ?? 'ours'}`);
            });
          },
        },
        async (t) => {
          await t.ask('go');
          equal(JSON.parse(await t.read('theirs.json')).tool_name, 'Bash');
          deepEqual(seen.sort(), ['PreToolUse claude', 'PreToolUse ours', 'SessionStart claude']);
          ok(t.has('made.txt'));
        },
      );
    },
  },
  {
    name: 'CwdChanged and FileChanged, where it watches',
    checked: 'with settings hooks for them: ours fired for a file that was changed and for a cd, as theirs did',
    run: async (programs) => {
      const theirs = (name: string): object => ({
        type: 'command',
        command: `echo x >> "$CLAUDE_PROJECT_DIR/${name}"`,
      });
      const settings = {
        hooks: {
          FileChanged: [{ matcher: 'watched.txt', hooks: [theirs('their-file.log')] }],
          CwdChanged: [{ hooks: [theirs('their-cwd.log')] }],
        },
      };
      const ours: string[] = [];
      await talk(
        programs,
        {
          files: { '.claude/settings.json': JSON.stringify(settings), 'watched.txt': 'x', 'sub/file.txt': 'x' },
          script: { main: [done, bash('cd sub'), bash('pwd'), done] },
          hooks: {
            FileChanged: [{ hooks: [({ file_path }) => void ours.push(basename(file_path))] }],
            CwdChanged: [{ hooks: [({ new_cwd }) => void ours.push(basename(new_cwd))] }],
          },
          canUseTool: () => ({ behavior: 'allow' }),
        },
        async (t) => {
          await t.ask('go');
          await writeFile(join(t.project, 'watched.txt'), 'other');
          await pause(2);
          await t.ask('go');
          deepEqual(ours, ['watched.txt', 'sub']);
          deepEqual([t.has('their-file.log'), t.has('their-cwd.log')], [true, true]);
        },
      );
    },
  },
  {
    name: 'Hooks registered while it runs',
    checked: 'the first file was made, the second, after host.register, was not, the third, after undo, was',
    run: (programs) =>
      talk(
        programs,
        {
          script: {
            main: [bash('echo x > a.txt'), done, bash('echo x > b.txt'), done, bash('echo x > c.txt'), done],
          },
        },
        async (t) => {
          await t.ask('go');
          const undo = t.host.register({ PreToolUse: [{ hooks: [() => deny('later')] }] });
          await t.ask('go');
          undo();
          await t.ask('go');
          deepEqual([t.has('a.txt'), t.has('b.txt'), t.has('c.txt')], [true, false, true]);
        },
      ),
  },
  {
    name: 'It is killed in the middle of a turn',
    checked: 'the query ended with CONTROL_FAILED, the running hook got its signal, SessionEnd fired once',
    run: async (programs) => {
      const saw: string[] = [];
      const slow: HookCallback<'PreToolUse'> = async (_input, _id, { signal }) => {
        saw.push('asked');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        saw.push('aborted');
      };
      await talk(
        programs,
        {
          script: { main: [bash('echo x > made.txt'), done] },
          hooks: { PreToolUse: [{ hooks: [slow] }], SessionEnd: [{ hooks: [() => void saw.push('session end')] }] },
        },
        async (t) => {
          const failure = t.ask('go').then(
            () => 'answered',
            (error: { code?: string }) => error.code,
          );
          while (saw.length === 0) await pause(0.05);
          process.kill(Number(t.client.info.response['pid']), 'SIGKILL');
          equal(await failure, 'CONTROL_FAILED');
          equal((await t.client.ended).signal, 'SIGKILL');
          deepEqual(saw, ['asked', 'aborted', 'session end']);
        },
      );
    },
  },
  {
    name: 'Closed in the middle of a call',
    checked: 'by client.close(), host.close() and signal: no file, even when its time had come; SessionEnd fired once',
    run: async (programs) => {
      for (const by of ['client', 'host', 'signal'] as const) {
        const ends: unknown[] = [];
        const stop = new AbortController();
        await talk(
          programs,
          {
            script: { main: [bash('sleep 3; echo x > made.txt'), done] },
            hooks: {
              PreToolUse: [{ hooks: [() => allow()] }],
              SessionEnd: [{ hooks: [({ reason }) => void ends.push(reason)] }],
            },
            closeTimeout: 0.5,
            signal: stop.signal,
          },
          async (t) => {
            const failure = t.ask('go').then(
              () => 'answered',
              (error: { code?: string }) => error.code,
            );
            await pause(1.5);
            if (by === 'client') await t.client.close();
            if (by === 'host') await t.host.close();
            if (by === 'signal') stop.abort();
            equal(await failure, 'CONTROL_FAILED', by);
            await t.client.ended;
            await pause(2.5);
            equal(t.has('made.txt'), false, by);
            deepEqual(ends, ['other'], by);
          },
        );
      }
    },
  },
  {
    name: 'Several prompts in one query',
    checked: 'an async iterable: the model saw them one after the other, in one session; two results',
    run: (programs) =>
      talk(programs, { script: { main: [{ text: 'one' }, { text: 'two' }] } }, async (t) => {
        async function* prompts(): AsyncGenerator<string> {
          yield 'first question';
          yield 'second question';
        }
        const results: unknown[] = [];
        for await (const message of t.client.query(prompts()))
          if (message.type === 'result') results.push(message['result']);
        deepEqual(results, ['one', 'two']);
        match(told(t, 1), /second question/);
        equal(t.server.asked[1]?.body.messages.length, 3);
      }),
  },
  {
    name: 'A prompt while a background agent reports',
    checked: 'the program’s own turn for it ended first; the query got the result of its prompt, not that one',
    run: (programs) =>
      talk(
        programs,
        {
          script: {
            main: [
              { tools: [agentCall('general-purpose', 'sub', { run_in_background: true })] },
              { text: 'started' },
              { text: 'noted', delay: 2 },
              { text: 'second' },
            ],
            sub: [{ text: 'sub done' }],
          },
        },
        async (t) => {
          const results: unknown[] = [];
          t.client.messages$.subscribe((message) => {
            if (message.type === 'result') results.push(message['result']);
          });
          await t.ask('go');
          await pause(0.7);
          equal(resultOf(await t.ask('and?'))['result'], 'second');
          deepEqual(results, ['started', 'noted', 'second']);
        },
      ),
  },
  {
    name: 'No hooks at all',
    checked: 'a call ran and a git worktree was made, as without us; exit code 0',
    run: (programs) =>
      talk(
        programs,
        {
          script: {
            main: [
              bash('echo x > made.txt'),
              { tools: [{ name: 'ToolSearch', input: { query: 'select:EnterWorktree' } }] },
              { tools: [{ name: 'EnterWorktree', input: { name: 'side' } }] },
              done,
            ],
          },
          git: true,
          canUseTool: () => ({ behavior: 'allow' }),
        },
        async (t) => {
          await t.ask('go');
          ok(t.has('made.txt'));
          match(told(t, 3), /Created worktree/);
          equal((await t.client.close()).exitCode, 0);
        },
      ),
  },
];
