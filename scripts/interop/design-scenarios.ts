// The integration scenarios (by number) and the end-to-end tests of the hooks design, with the real program.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { addContext, allow, deny, type HookCallback } from '../../src/index.js';
import { resultOf, talk } from './sandbox.js';
import { bash, echo, type Scenario, told } from './scenario.js';

const done = { text: 'done' };

const blockRm: HookCallback<'PreToolUse'> = ({ tool_input }) =>
  /\brm -rf\b/.test((tool_input as { command: string }).command) ? deny('rm -rf is blocked') : undefined;

const commandOf = (input: unknown): string => (input as { command: string }).command;

export const designScenarios: readonly Scenario[] = [
  {
    name: 'Integration 1: successful hook execution',
    checked: 'the input had every field of the call; the answer (allow) let a call run that nobody had allowed',
    run: async (programs) => {
      const inputs: unknown[] = [];
      await talk(
        programs,
        {
          mode: 'default',
          script: { main: [bash('echo x > made.txt'), done] },
          hooks: {
            PreToolUse: [
              {
                hooks: [
                  ({ hook_event_name, tool_name, tool_input, tool_use_id, permission_mode }, id) => {
                    inputs.push([hook_event_name, tool_name, commandOf(tool_input), tool_use_id, permission_mode, id]);
                    return allow('it may');
                  },
                ],
              },
            ],
          },
        },
        async (t) => {
          await t.ask('go');
          const id = 'toolu_main_0_0';
          deepEqual(inputs, [['PreToolUse', 'Bash', 'echo x > made.txt', id, 'default', id]]);
          ok(t.has('made.txt'));
        },
      );
    },
  },
  {
    name: 'Integration 2: hook blocks action',
    checked: 'the folder is still there; the model got the reason as an error; the result lists the denial',
    run: (programs) =>
      talk(
        programs,
        {
          files: { 'important/file.txt': 'x' },
          script: { main: [bash('rm -rf important'), done] },
          hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [blockRm] }] },
        },
        async (t) => {
          const result = resultOf(await t.ask('go'));
          ok(t.has('important/file.txt'));
          match(told(t, 1), /rm -rf is blocked/);
          equal((result['permission_denials'] as unknown[]).length, 1);
        },
      ),
  },
  {
    name: 'Integration 3: hook adds context',
    checked: 'PostToolUse’s context was in the next request',
    run: (programs) =>
      talk(
        programs,
        {
          script: { main: [bash('echo hi'), done] },
          hooks: { PostToolUse: [{ hooks: [() => addContext('the disk is nearly full')] }] },
        },
        async (t) => {
          await t.ask('go');
          match(told(t, 1), /the disk is nearly full/);
        },
      ),
  },
  {
    name: 'Integration 4: hook timeout',
    checked:
      'after its timeout (0.3 s; block) the call was refused and the turn ended well; by default (continue) it ran',
    run: async (programs) => {
      for (const onFailure of ['block', 'continue'] as const) {
        const never: HookCallback<'PreToolUse'> = () => new Promise<undefined>(() => undefined);
        await talk(
          programs,
          {
            script: { main: [bash('echo x > made.txt'), done] },
            hooks: { PreToolUse: [{ hooks: [never], timeout: 0.3, onFailure }] },
          },
          async (t) => {
            equal(resultOf(await t.ask('go'))['result'], 'done');
            equal(t.has('made.txt'), onFailure === 'continue', onFailure);
          },
        );
      }
    },
  },
  {
    name: 'Integration 5: hook exception',
    checked: 'the failure was in the record; the call ran and the turn ended well',
    run: async (programs) => {
      const failures: unknown[] = [];
      await talk(
        programs,
        {
          script: { main: [bash('echo x > made.txt'), done] },
          hooks: {
            PreToolUse: [
              {
                name: 'broken',
                hooks: [
                  () => {
                    throw new Error('boom');
                  },
                ],
              },
            ],
          },
        },
        async (t) => {
          t.host.events$.subscribe((event) => {
            if (event.type !== 'hook_fire') return;
            for (const { name, failure } of event.handlers) if (failure) failures.push([name, failure.cause]);
          });
          equal(resultOf(await t.ask('go'))['result'], 'done');
          ok(t.has('made.txt'));
          deepEqual(failures, [['broken', 'threw']]);
        },
      );
    },
  },
  {
    name: 'Integration 6: multiple hooks',
    checked: 'all three ran; the deny won over the allow; its reason reached the model',
    run: async (programs) => {
      const ran: string[] = [];
      const says =
        (name: string, output: ReturnType<HookCallback<'PreToolUse'>>): HookCallback<'PreToolUse'> =>
        () => {
          ran.push(name);
          return output;
        };
      await talk(
        programs,
        {
          script: { main: [bash('echo x > made.txt'), done] },
          hooks: {
            PreToolUse: [
              { hooks: [says('allow', allow()), says('deny', deny('one said no'))] },
              { hooks: [says('nothing', undefined)] },
            ],
          },
        },
        async (t) => {
          await t.ask('go');
          equal(t.has('made.txt'), false);
          match(told(t, 1), /one said no/);
          deepEqual(ran, ['allow', 'deny', 'nothing']);
        },
      );
    },
  },
  {
    name: 'Integration 7: complex workflow',
    checked: 'allowed, ran, reviewed: the model got the output and the review',
    run: (programs) =>
      talk(
        programs,
        {
          mode: 'default',
          script: { main: [bash('echo 42 > made.txt; cat made.txt'), done] },
          hooks: {
            PreToolUse: [{ hooks: [() => allow()] }],
            PostToolUse: [
              {
                hooks: [
                  ({ tool_response }) => addContext(`reviewed: ${(tool_response as { stdout: string }).stdout.trim()}`),
                ],
              },
            ],
          },
        },
        async (t) => {
          await t.ask('go');
          equal(await t.read('made.txt'), '42\n');
          match(told(t, 1), /42[\s\S]*reviewed: 42/);
        },
      ),
  },
  {
    name: 'End to end: PreToolUse blocks dangerous bash command',
    checked: 'the folder is still there; the assistant, which repeats what it is told, says it was blocked',
    run: (programs) =>
      talk(
        programs,
        {
          files: { 'important/file.txt': 'x' },
          script: { main: [bash('rm -rf important'), echo] },
          hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [blockRm] }] },
        },
        async (t) => {
          const messages = await t.ask('Run: rm -rf important');
          ok(t.has('important/file.txt'));
          const said = messages.filter(({ type }) => type === 'assistant').map((message) => JSON.stringify(message));
          ok(
            said.some((text) => text.includes('blocked')),
            said.join('\n'),
          );
        },
      ),
  },
  {
    name: 'End to end: PostToolUse adds monitoring context',
    checked: 'the assistant, which repeats what it is told, says the context',
    run: (programs) =>
      talk(
        programs,
        {
          script: { main: [bash('echo hi'), echo] },
          hooks: {
            PostToolUse: [
              { hooks: [({ duration_ms }) => addContext(`took ${duration_ms === undefined ? 'no' : 'some'} time`)] },
            ],
          },
        },
        async (t) => {
          match(String(resultOf(await t.ask('go'))['result']), /took some time/);
        },
      ),
  },
  {
    name: 'End to end: multiple hooks execute in order',
    checked:
      'three hooks of two events ran in the order of registration; their context reached the model in that order',
    run: async (programs) => {
      const ran: string[] = [];
      const after =
        (name: string, seconds: number): HookCallback<'PostToolUse'> =>
        async () => {
          await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
          ran.push(name);
          return addContext(name);
        };
      await talk(
        programs,
        {
          script: { main: [bash('echo hi'), done] },
          hooks: {
            PreToolUse: [{ hooks: [() => void ran.push('before')] }],
            PostToolUse: [{ hooks: [after('first', 0.2), after('second', 0.1)] }, { hooks: [after('third', 0)] }],
          },
        },
        async (t) => {
          await t.ask('go');
          deepEqual(ran, ['before', 'first', 'second', 'third']);
          match(told(t, 1), /first[\s\S]*second[\s\S]*third/);
        },
      );
    },
  },
];
