import { type Ending, OUTPUT_LIMIT, type Running } from './command.js';
import { asyncWish, withoutWish } from './command-async.js';
import type { CommandSpec } from './command-spec.js';
import { commandText } from './command-text.js';
import type { Call, Cause, Reply } from './handler.js';
import { readShell } from './output.js';

/** One run of a shell hook. */
export interface Run {
  readonly spec: CommandSpec;
  readonly call: Call;
  readonly running: Running;
}

/** What the hook said, once it has ended. Children of it that live on are left behind, until the host closes. */
export function finish({ spec, call, running }: Run, ending: Ending, background: boolean): Reply {
  leaveBehind({ spec, call, running });
  const { stdout, stderr } = running;
  const printed = { stdout: stdout.text(), stderr: stderr.text() };
  const wish = asyncWish(printed.stdout);
  if (wish && !background) return { ...printed, output: wish };
  const outputLimit = spec.outputLimit ?? OUTPUT_LIMIT;
  const reply = readShell(
    call,
    { ...ending, ...printed, stdout: withoutWish(printed.stdout), tooLarge: stdout.tooLarge },
    { commandText: commandText(spec), shell: !spec.args && spec.shell !== false, outputLimit, background },
  );
  return { ...reply, ...printed, ...(stderr.tooLarge ? cut(reply, outputLimit) : {}) };
}

/** Ends the hook and all it started. What it had printed is for people to look at: it says nothing any more. */
export async function stop({ running }: Run, cause: Cause, message: string): Promise<Reply> {
  await running.group.end();
  running.stdout.destroy();
  running.stderr.destroy();
  return { failure: { cause, message }, stdout: running.stdout.text(), stderr: running.stderr.text() };
}

function leaveBehind({ spec, call, running }: Run): void {
  const { group, stdout, stderr } = running;
  const release = (): void => {
    stdout.destroy();
    stderr.destroy();
  };
  if (!group.alive()) {
    release();
    return;
  }
  stdout.abandon();
  stderr.abandon();
  const gone = group.gone().then(release);
  call.keep(`${spec.name ?? commandText(spec)} (left behind)`, gone, async () => {
    await group.end();
    release();
  });
}

/** Stderr is never more than a reason: that it was cut is worth saying, and no failure. */
function cut(reply: Reply, limit: number): Reply {
  return {
    warnings: [...(reply.warnings ?? []), `It printed more than ${limit} bytes on stderr; the rest was dropped.`],
  };
}
