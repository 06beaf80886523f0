import { zod } from '../../values/zod.js';
import { openString } from '../base.js';
import { builtIn } from '../define.js';
import { PROGRAMS } from '../handler-kinds.js';

const watching = () => zod().object({ watchPaths: zod().array(zod().string()).optional() });

/** Events about files, settings and directories. */
export const WORKSPACE_EVENTS = {
  ConfigChange: builtIn({
    input: () =>
      zod().object({
        source: openString('user_settings', 'project_settings', 'local_settings', 'policy_settings', 'skills'),
        file_path: zod().string().optional(),
      }),
    subject: 'source',
    fold: 'block',
    unblockable: ['policy_settings'],
    endsLoop: false,
    types: PROGRAMS,
    claude: 'usual',
    group: 'session',
    about:
      'When a settings file or a skill has changed. A hook can keep the change from being applied, but never a managed policy.',
    sample: () => ({ source: 'project_settings', file_path: '/home/dev/project/.claude/settings.json' }),
  }),
  InstructionsLoaded: builtIn({
    input: () =>
      zod().object({
        file_path: zod().string(),
        memory_type: openString('User', 'Project', 'Local', 'Managed'),
        load_reason: openString('session_start', 'nested_traversal', 'path_glob_match', 'include', 'compact'),
        globs: zod().array(zod().string()).optional(),
        trigger_file_path: zod().string().optional(),
        parent_file_path: zod().string().optional(),
      }),
    subject: 'load_reason',
    fold: 'observe',
    afterTheFact: true,
    exit2: 'ignore',
    types: PROGRAMS,
    claude: { sent: 'later' },
    group: 'session',
    about: 'When a file of instructions was loaded. A hook can only watch.',
    sample: () => ({ file_path: '/home/dev/project/CLAUDE.md', memory_type: 'Project', load_reason: 'session_start' }),
  }),
  CwdChanged: builtIn({
    input: () => zod().object({ old_cwd: zod().string(), new_cwd: zod().string() }),
    fold: 'context',
    afterTheFact: true,
    output: watching,
    claude: { sent: 'watching', envFile: true },
    types: PROGRAMS,
    group: 'workspace',
    about: 'When the current directory has changed. A hook can name paths to watch.',
    sample: () => ({ old_cwd: '/home/dev/project', new_cwd: '/home/dev/project/src' }),
  }),
  DirectoryAdded: builtIn({
    input: () => zod().object({ directory: zod().string(), source: openString('slash_command', 'register_repo_root') }),
    subject: 'source',
    fold: 'observe',
    afterTheFact: true,
    types: PROGRAMS,
    claude: 'usual',
    group: 'workspace',
    about: 'When a directory was added to the workspace. A hook can only watch.',
    sample: () => ({ directory: '/home/dev/other', source: 'slash_command' }),
  }),
  FileChanged: builtIn({
    input: () => zod().object({ file_path: zod().string(), event: openString('change', 'add', 'unlink') }),
    // The path may come from another operating system, so both separators count.
    subject: (input) =>
      input.file_path.slice(Math.max(input.file_path.lastIndexOf('/'), input.file_path.lastIndexOf('\\')) + 1),
    subjectField: 'basename of file_path',
    narrowNames: true,
    fold: 'context',
    afterTheFact: true,
    output: watching,
    claude: { sent: 'watching', envFile: true },
    types: PROGRAMS,
    group: 'workspace',
    about: 'When a watched file was changed, added or removed. A hook can name other paths to watch.',
    sample: () => ({ file_path: '/home/dev/project/src/index.ts', event: 'change' }),
  }),
  WorktreeCreate: builtIn({
    input: () => zod().object({ name: zod().string() }),
    fold: 'replace',
    exit2: 'block',
    plainStdout: 'value',
    output: () => zod().object({ worktreePath: zod().string().optional() }),
    value: ['worktreePath'],
    failure: 'fails',
    claude: { answerNeeded: true },
    types: PROGRAMS,
    group: 'workspace',
    about:
      'When a worktree is needed. A hook makes it and says its path (a command: the last line of stdout); any failure fails the creation.',
    sample: () => ({ name: 'feature' }),
  }),
  WorktreeRemove: builtIn({
    input: () => zod().object({ worktree_path: zod().string() }),
    fold: 'observe',
    afterTheFact: true,
    exit2: 'ignore',
    types: PROGRAMS,
    claude: 'usual',
    group: 'workspace',
    about: 'When a worktree is to be removed. A hook can clean up after it.',
    sample: () => ({ worktree_path: '/home/dev/worktrees/feature' }),
  }),
} as const;
