import type { Cause } from '../../events/failure.js';
import type { ExternalCall, Reply } from '../handler.js';
import { readShellOutput } from '../output.js';
import { asyncWish, withoutWish } from './async.js';
import type { EndReach } from './process-group.js';
import { type CommandSpec, commandText } from './spec.js';
import { type Ending, OUTPUT_LIMIT, type RunningCommand } from './start.js';

const HELD =
  'It ended without an answer while a process that it started holds its stdout open: what that prints from now on is not read. Wait for the process, or redirect its output.';
const CUT =
  'It ended without an answer, and a process through which it may still print computes on. Wait for the process, or redirect its output.';

/** One run of a shell hook. */
export interface CommandRun {
  readonly spec: CommandSpec;
  readonly call: ExternalCall;
  readonly running: RunningCommand;
  /** Whether the first line of stdout may ask to continue without the hook. */
  readonly wishes: boolean;
}

/** The answer of a hook that has ended. Its children that are still running may run until the host closes. */
export function finishRun({ spec, call, running, wishes }: CommandRun, ending: Ending, background: boolean): Reply {
  const { stdout, stderr } = running;
  const isHeld = stdout.open && !spec.keep && !background && call.spec.fold === 'gate';
  leaveBehind({ spec, call, running, wishes });
  const printed = { stdout: stdout.text(), stderr: stderr.text() };
  const wish = wishes ? asyncWish(printed.stdout) : undefined;
  if (wish && !background) return { ...printed, output: wish };
  const outputLimit = spec.outputLimit ?? OUTPUT_LIMIT;
  const read = readShellOutput(
    call,
    { ...ending, ...printed, stdout: wishes ? withoutWish(printed.stdout) : printed.stdout, tooLarge: stdout.tooLarge },
    { commandText: commandText(spec), shell: !spec.args && spec.shell !== false, outputLimit, background },
  );
  const isOpen = isHeld && !read.output && !read.failure;
  const isCut = isOpen && ending.isCut === true && call.onFailure !== 'continue';
  const reply = isCut ? { ...read, failure: { cause: 'timeout' as const, message: CUT } } : read;
  const warnings = [
    ...(reply.warnings ?? []),
    ...(isOpen && !isCut ? [HELD] : []),
    // Truncated stderr is only a warning, because stderr is never more than a reason.
    ...(stderr.tooLarge ? [`It printed more than ${outputLimit} bytes on stderr; the rest was dropped.`] : []),
  ];
  return { ...reply, ...printed, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** Ends the hook and those of its processes that can be found. Its output is kept for records but is no longer an answer. */
export async function endRun(
  { spec, running }: CommandRun,
  cause: Cause,
  message: string,
  reach: EndReach,
): Promise<Reply> {
  await running.group.end(spec.keep ? 'group' : reach);
  running.stdout.destroy();
  running.stderr.destroy();
  return { failure: { cause, message }, stdout: running.stdout.text(), stderr: running.stderr.text() };
}

function leaveBehind({ spec, call, running }: CommandRun): void {
  const { group, stdout, stderr } = running;
  if (spec.keep) {
    // The server may still print, so its pipes are drained as long as this process lives.
    group.release();
    stdout.abandon();
    stderr.abandon();
    return;
  }
  const release = (): void => {
    stdout.destroy();
    stderr.destroy();
  };
  const lives = group.alive();
  // If the group is empty, a process in another group still holds the pipes.
  if (!lives && !((stdout.open || stderr.open) && group.strays())) {
    release();
    return;
  }
  stdout.abandon();
  stderr.abandon();
  const gone = lives ? group.gone().then(release) : Promise.all([stdout.closed, stderr.closed]);
  const end = async (): Promise<void> => {
    await group.end('tree');
    release();
  };
  call.keep(`${spec.name ?? commandText(spec)} (left behind)`, gone, end, lives ? group.alive : undefined);
}
