// How a session begins: what is asked about, what may be said, and what is said where it cannot begin.
import { deepEqual, equal, match } from 'node:assert/strict';
import { connectClaude } from '../../src/claude-code.js';
import { createHost, deny, type HookRecord } from '../../src/index.js';
import { openSandbox, resultOf, talk } from './sandbox.js';
import { bash, type Scenario, told } from './scenario.js';

const done = { text: 'done' };
const codeOf = async (what: () => unknown): Promise<unknown> => {
  try {
    await what();
    return 'no error';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

export const startScenarios: readonly Scenario[] = [
  {
    name: "listen: 'needed'",
    checked:
      'one prompt with a call: two events were asked about, not six; the hook’s denial held; a Stop hook that came later threw, one for Notification was told',
    run: async (programs) => {
      const seen: HookRecord[] = [];
      const fired = (): string[] =>
        seen.flatMap((record) =>
          record.type === 'hook_fire' && record.event !== 'SessionStart' ? [record.event] : [],
        );
      await talk(
        programs,
        {
          listen: 'needed',
          script: { main: [bash('echo x > a.txt'), done, bash('echo x > denied.txt'), done] },
          hooks: {
            PreToolUse: [
              {
                hooks: [
                  ({ tool_input }) => (JSON.stringify(tool_input).includes('denied') ? deny('not this') : undefined),
                ],
              },
            ],
          },
          watch: (host) => void host.events$.subscribe((record) => seen.push(record)),
        },
        async (t) => {
          await t.ask('go');
          deepEqual([fired(), t.has('a.txt')], [['PreToolUse', 'PostToolUse'], true]);
          await t.ask('go');
          equal(t.has('denied.txt'), false);
          match(told(t, 3), /not this/);
          equal(await codeOf(() => t.host.register({ Stop: [{ hooks: [() => undefined] }] })), 'NOT_LISTENED');
          t.host.register({ Notification: [{ hooks: [() => undefined] }] });
          equal(seen.filter((r) => 'problem' in r && r.problem === 'not_listened').length, 1);
        },
      );
    },
  },
  {
    name: 'Prompts that make no sense',
    checked: 'each was refused at once; the same program answered the prompt that came after them',
    run: (programs) =>
      talk(programs, { script: { main: [{ text: 'still here' }] } }, async (t) => {
        const cycle: Record<string, unknown> = { type: 'user', message: { role: 'user', content: 'x' } };
        cycle['self'] = cycle;
        const user = (message: unknown) => ({ type: 'user', message });
        const wrong = [
          { type: 'user' },
          user({ role: 'assistant', content: 'x' }),
          user({ role: 'user', content: 5 }),
          user({ role: 'user', content: [{ type: 'text' }] }),
          cycle,
        ];
        for (const prompt of wrong) equal(await codeOf(() => t.client.query(prompt)), 'INVALID_OPTIONS');
        equal(resultOf(await t.ask('go'))['result'], 'still here');
      }),
  },
  {
    name: 'It cannot start',
    checked:
      'the error named the folder that is missing, and quoted what the program said of an argument it does not know',
    run: async ({ claude }) => {
      const sandbox = await openSandbox({ main: [] });
      const start = (options: object) =>
        connectClaude({
          host: createHost(),
          executable: claude,
          env: sandbox.env,
          cwd: sandbox.project,
          ...options,
        }).then(
          (client) => client.close().then(() => 'it started'),
          (error: Error) => error.message,
        );
      try {
        match(await start({ cwd: '/no/such/folder' }), /the folder \/no\/such\/folder is not there/);
        match(await start({ executable: `${claude}-missing` }), /the executable .*-missing was not found/);
        match(await start({ args: ['--no-such-flag'] }), /unknown option '--no-such-flag'/);
      } finally {
        await sandbox.close();
      }
    },
  },
];
