// No production database without approval, and a report at the end of the session.
// In the Claude Agent SDK hooks reference: Example 1, "Enterprise Security Compliance".
import { createHost, definePlugin, deny } from 'hookscope';
import { z } from 'zod';

const compliance = definePlugin({
  name: 'compliance',
  options: z.object({
    forbidden: z.array(z.string()),
    notify: z.custom<(text: string) => void>((f) => typeof f === 'function'),
  }),
  apply(scope, { forbidden, notify }) {
    const blocked = new Map<string, string[]>();
    scope.register({
      PreToolUse: [
        {
          matcher: 'Bash',
          // A guard that breaks must not let anything through.
          onFailure: 'block',
          hooks: [
            function noProductionAccess(input) {
              const { command } = input.tool_input as { command: string };
              if (!command.includes('psql') || !forbidden.some((name) => command.includes(name))) return undefined;
              blocked.set(input.session_id, [...(blocked.get(input.session_id) ?? []), command]);
              notify(`blocked: ${command}`);
              return { ...deny('Production database access needs approval'), systemMessage: 'Security was told' };
            },
          ],
        },
      ],
      SessionEnd: [
        {
          hooks: [
            function report(input) {
              const commands = blocked.get(input.session_id) ?? [];
              console.log(`report of ${input.session_id} (${input.reason}): ${commands.length} blocked`);
              blocked.delete(input.session_id);
            },
          ],
        },
      ],
    });
  },
});

const host = createHost({ session: { session_id: 's-1' } });
const notify = (text: string) => console.log('to the security team:', text);
await host.use(compliance, { forbidden: ['production'], notify });

for (const command of ['psql staging', 'psql -h production.db']) {
  const decision = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command } });
  console.log(command, '->', decision.verdict, decision.decidedBy ?? '', decision.systemMessages);
}
await host.fire('SessionEnd', { reason: 'prompt_input_exit' });
await host.close();
