// Add an event of your own. It is typed, matched and recorded like the built-in ones, and its answers are merged in the same way.
import { ask, createHost, defineEvent, HookscopeError } from 'hookscope';
import { z } from 'zod';

const host = createHost({
  events: {
    Deploy: defineEvent({
      input: z.object({ target: z.string(), version: z.string() }),
      subject: 'target', // what a matcher looks at
      fold: 'gate', // what the answers become: allow, ask, deny
    }),
  },
});

host.register({
  Deploy: [{ matcher: 'prod*', hooks: [(input) => ask(`Ship ${input.version} to ${input.target}?`)] }],
});

for (const target of ['staging', 'prod-eu']) {
  const decision = await host.fire('Deploy', { target, version: '1.4.0' });
  console.log(target, decision.verdict, decision.reason ?? '');
}

try {
  // @ts-expect-error: `version` is missing, which the types know too
  await host.fire('Deploy', { target: 'staging' });
} catch (error) {
  if (!(error instanceof HookscopeError)) throw error;
  console.log(error.code, '-', error.message);
}
await host.close();
