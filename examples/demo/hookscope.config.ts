import { join } from 'node:path';
import { addContext, command, defineConfig } from 'hookscope';
import { inTime, onlyTheReport, readOnlyShell } from './guard.js';

/** Three kinds of hooks for everyone, and for each type of subagent its own. `npm run demo` shows who got which. */
export default defineConfig({
  // An npm package, found by its name: nobody changes what is below out/.
  plugins: [['hookscope-plugin-protected-paths', { paths: ['out/**'] }]],

  // A bash script, for the shell commands of every agent.
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        onFailure: 'block',
        hooks: [command(join(import.meta.dirname, 'no-inline-node.sh'), { args: [], name: 'no-inline-node.sh' })],
      },
    ],
  },

  // Functions in TypeScript, each for the agents of one type alone.
  spawnHooks: {
    surveyor: {
      SubagentStart: [{ name: 'briefing', hooks: [() => addContext('You survey. You change nothing.')] }],
      PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [readOnlyShell] }],
      PostToolUseFailure: [
        { matcher: 'Read', name: 'hint', hooks: [() => addContext('List a folder before you read from it.')] },
      ],
    },
    builder: {
      SubagentStart: [{ name: 'briefing', hooks: [() => addContext('You build report.md, and nothing else.')] }],
      PreToolUse: [
        { matcher: 'Edit|Write', onFailure: 'block', hooks: [onlyTheReport] },
        { matcher: 'Bash', hooks: [inTime] },
      ],
    },
  },
});
