// A host whose hook never answers; it says when it is asked. Somebody kills it then.
import { connectClaude } from '../../src/claude-code.js';
import { createHost } from '../../src/index.js';

const host = createHost();
host.register({
  PreToolUse: [
    {
      onFailure: 'block',
      hooks: [
        () => {
          process.stdout.write('asked\n');
          return new Promise<never>(() => undefined);
        },
      ],
    },
  ],
});
const client = await connectClaude({
  host,
  ...(JSON.parse(process.argv[2] as string) as { executable: string; env: Record<string, string>; cwd: string }),
  args: ['--model', 'claude-sonnet-4-5', '--permission-mode', 'acceptEdits'],
});
for await (const _ of client.query('go'));
