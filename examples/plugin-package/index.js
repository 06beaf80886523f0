import { relative, resolve } from 'node:path';
import { addContext, definePlugin, deny } from 'hookscope';
import { Minimatch } from 'minimatch';
import { z } from 'zod';

const FILE_TOOLS = 'Edit|Write|NotebookEdit';

/** Keeps every agent of the scope it is used in from changing the files that match one of the patterns. */
export default definePlugin({
  name: 'hookscope-plugin-protected-paths',
  options: z.strictObject({
    /** Globs, relative to the agent's working directory. */
    paths: z.array(z.string().min(1)).min(1),
  }),
  apply(scope, { paths }) {
    const patterns = paths.map((path) => new Minimatch(path, { dot: true }));

    function protectPaths(input) {
      const file = input.tool_input.file_path ?? input.tool_input.notebook_path;
      if (typeof file !== 'string') return undefined;
      const path = relative(input.cwd, resolve(input.cwd, file));
      const pattern = patterns.find((p) => p.match(path));
      return pattern && deny(`${path} is protected (${pattern.pattern})`);
    }

    // Told at the start, a model need not find out by being refused.
    const sayWhatIsProtected = () => addContext(`Do not change files that match: ${paths.join(', ')}`);

    scope.register({
      PreToolUse: [{ matcher: FILE_TOOLS, onFailure: 'block', hooks: [protectPaths] }],
      SessionStart: [{ hooks: [sayWhatIsProtected] }],
    });
  },
});
