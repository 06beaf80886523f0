// What goes wrong in a hook, and what goes wrong in using the library.
import { setTimeout as sleep } from 'node:timers/promises';
import { command, createHost, HookscopeError } from 'hookscope';

// A hook that fails never throws at you. `onFailure` says what its failure means: go on (default), block or ask.
const host = createHost({ logger: (message) => console.log('log:', message.split(':')[0]) });
host.register({
  PreToolUse: [
    {
      hooks: [
        function broken() {
          throw new Error('database is down');
        },
        { name: 'slow', timeout: 0.1, handler: () => sleep(10_000, undefined, { ref: false }) },
        { name: 'nonsense', handler: () => ({ systemMessage: 42 }) as never },
      ],
    },
    { onFailure: 'block', hooks: [command('exit 3', { name: 'guard.sh' })] },
  ],
});

const call = { tool_name: 'Bash', tool_input: { command: 'ls' } };
const decision = await host.fire('PreToolUse', call);
console.log(decision.verdict, '-', decision.reason);
for (const { name, cause, blocked, message } of decision.failures) {
  console.log(`  ${name} (${cause})${blocked ? ' BLOCKED' : ''}: ${message}`);
}

// Misuse throws a HookscopeError with a stable code, and a message that says what to do.
const mistakes: (() => unknown)[] = [
  () => host.register({ PreToolUse: [{ matcher: '^Bash$', hooks: [() => undefined] }] }),
  () => host.register({ PreToolUse: [{ timout: 5, hooks: [] } as never] }),
  () => host.fire('PreToolUse', { tool_input: {} } as never),
  () => host.fire('PreToolUse', call, { signal: AbortSignal.abort() }),
  () => host.close().then(() => host.fire('PreToolUse', call)),
];
for (const mistake of mistakes) {
  try {
    await mistake();
  } catch (error) {
    if (!(error instanceof HookscopeError)) throw error;
    console.log(`${error.code}: ${error.message}`);
  }
}
