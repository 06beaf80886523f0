import { z } from 'zod';
import { command, defineConfig, defineEvent, deny } from '../../src/index.js';

// Hooks in a configuration are typed by their event, custom events too.
export const typed = defineConfig({
  events: { Deploy: defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' }) },
  plugins: ['a', ['b', { x: 1 }]],
  hooks: {
    PreToolUse: [{ hooks: [(input) => deny(input.tool_name), command('./x.sh')] }],
    Deploy: [{ hooks: [(input) => (input.target === 'prod' ? deny('not now') : undefined)] }],
  },
  spawnHooks: { reviewer: { Stop: [{ hooks: [(input) => void input.stop_hook_active] }] } },
});

export const wrong = defineConfig({
  // @ts-expect-error: no such option
  timout: 5,
  hooks: {
    // @ts-expect-error: no such field
    PreToolUse: [{ hooks: [(input) => deny(input.toolName)] }],
  },
});

export const unknown = defineConfig({
  // @ts-expect-error: an event nobody declared
  hooks: { Deploy: [] },
});
