import { z } from 'zod';
import { openString } from './base.js';
import { builtIn } from './define.js';
import { PROGRAMS } from './handler-kinds.js';

const watching = () => z.object({ watchPaths: z.array(z.string()).optional() });

export const CwdChanged = builtIn({
  input: () => z.object({ old_cwd: z.string(), new_cwd: z.string() }),
  fold: 'context',
  after: true,
  output: watching,
  claude: { sent: 'watching' },
  types: PROGRAMS,
  group: 'workspace',
  about: 'When the current directory has changed. A hook can name paths to watch.',
});

export const DirectoryAdded = builtIn({
  input: () => z.object({ directory: z.string(), source: openString('slash_command', 'register_repo_root') }),
  subject: 'source',
  fold: 'observe',
  after: true,
  types: PROGRAMS,
  group: 'workspace',
  about: 'When a directory was added to the workspace. A hook can only watch.',
});

export const FileChanged = builtIn({
  input: () => z.object({ file_path: z.string(), event: openString('change', 'add', 'unlink') }),
  // The path may come from another system than ours: both separators count.
  subject: (input) =>
    input.file_path.slice(Math.max(input.file_path.lastIndexOf('/'), input.file_path.lastIndexOf('\\')) + 1),
  subjectField: 'basename of file_path',
  narrowNames: true,
  fold: 'context',
  after: true,
  output: watching,
  claude: { sent: 'watching' },
  types: PROGRAMS,
  group: 'workspace',
  about: 'When a watched file was changed, added or removed. A hook can name other paths to watch.',
});

export const WorktreeCreate = builtIn({
  input: () => z.object({ name: z.string() }),
  fold: 'replace',
  exit2: 'block',
  plainStdout: 'value',
  output: () => z.object({ worktreePath: z.string().optional() }),
  failure: 'fails',
  claude: { answerNeeded: true },
  types: PROGRAMS,
  group: 'workspace',
  about:
    'When a worktree is needed. A hook makes it and says its path (a command: the last line of stdout); any failure fails the creation.',
});

export const WorktreeRemove = builtIn({
  input: () => z.object({ worktree_path: z.string() }),
  fold: 'observe',
  after: true,
  exit2: 'ignore',
  types: PROGRAMS,
  group: 'workspace',
  about: 'When a worktree is to be removed. A hook can clean up after it.',
});
