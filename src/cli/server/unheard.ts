import { fstatSync, readSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { plainLines } from '../../plain.js';
import { type CommandAnswer, type FailurePolicy, REASONS } from '../../server/agent-protocol.js';
import { CLAUDE, type Protocol } from '../../server/protocol.js';
import { UNANSWERED } from './alarm.js';
import { markOwn } from './own-answer.js';

/**
 * Whether nobody reads standard output. If it is closed, Node opens the null device for reading and writing in its place, and so does a parent that
 * ignores the output. A shell that discards it (`>/dev/null`) opens it for writing alone, and reads the exit code. Call it before `keepStdout`.
 */
export function isStdoutLost(): boolean {
  // Standard output may be a stream of another kind.
  if (process.stdout.fd !== 1) return false;
  try {
    const [ours, none] = [fstatSync(1), statSync(devNull)];
    return ours.isCharacterDevice() && ours.rdev === none.rdev && canBeRead();
  } catch {
    return false;
  }
}

/** Whether standard output can be read; the null device is always empty. */
function canBeRead(): boolean {
  try {
    return readSync(1, Buffer.alloc(1)) === 0;
  } catch {
    return false;
  }
}

/** Moves an answer to the exit code and standard error, which are all that the agent gets. An answer without a decision stays as it is. */
export function unheard(said: CommandAnswer, protocol: Protocol, policy: FailurePolicy): CommandAnswer {
  if (said.code !== 0 || said.stdout === protocol.quiet) return said;
  const reason = REASONS.lost(said.stdout.trim());
  if (policy === 'allow')
    return markOwn({ stdout: '', stderr: `hookscope: ${plainLines(reason)}\n`, code: 1 }, { reason });
  const failed = protocol.fail(reason, policy);
  // Exit 2 blocks any event. On events that a failure does not block, such as Stop, it is used only if the answer was a block.
  const isBlock = protocol.agent !== CLAUDE || said.stdout.includes('"decision":"block"');
  return markOwn({ stdout: '', stderr: failed.stderr, code: isBlock ? UNANSWERED : failed.code }, { reason });
}
