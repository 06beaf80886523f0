import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { addContext, definePlugin } from 'hookscope';
import { z } from 'zod';

const run = promisify(execFile);

/** Runs a formatter on each file that Edit or Write has changed; what it complains of, the model is told. */
export default definePlugin({
  name: 'hookscope-plugin-format-edits',
  options: z.strictObject({
    /** The program and its arguments; the file comes last. */
    command: z.array(z.string().min(1)).min(1).default(['npx', 'prettier', '--write']),
    /** What a file's name has to end in. */
    endings: z.array(z.string()).default(['.js', '.ts', '.json', '.css', '.md']),
  }),
  apply(scope, { command: [program, ...args], endings }) {
    async function format({ tool_input, cwd }, _id, { signal }) {
      const file = tool_input?.file_path;
      if (typeof file !== 'string' || file.startsWith('-') || !endings.some((end) => file.endsWith(end)))
        return undefined;
      try {
        await run(program, [...args, file], { cwd, signal });
        return undefined;
      } catch (error) {
        return addContext(`${program} could not format ${file}: ${(error.stderr || error.message).trim()}`);
      }
    }
    scope.on('PostToolUse', format, { matcher: 'Edit|Write' });
  },
});
