import { fstatSync, readSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { plainLines } from '../../plain.js';
import { type CommandAnswer, type FailurePolicy, REASONS } from '../../server/agent-protocol.js';
import { CLAUDE, type Protocol } from '../../server/protocol.js';
import { UNANSWERED } from './alarm.js';
import { markOwn } from './own-answer.js';

/**
 * Nobody hears standard output: it was closed, and Node opens the null device in its place, to read and to write. Whoever starts a program and
 * ignores its output does the same; a shell that discards it (`>/dev/null`) opens it to write alone, and has the exit code. Asked before `keepStdout`.
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

/** Nothing is in the null device. */
function canBeRead(): boolean {
  try {
    return readSync(1, Buffer.alloc(1)) === 0;
  } catch {
    return false;
  }
}

/** What is left of an answer there: the exit code, and standard error. One that says nothing is heard all the same. */
export function unheard(said: CommandAnswer, protocol: Protocol, policy: FailurePolicy): CommandAnswer {
  if (said.code !== 0 || said.stdout === protocol.quiet) return said;
  const reason = REASONS.lost(said.stdout.trim());
  if (policy === 'allow')
    return markOwn({ stdout: '', stderr: `hookscope: ${plainLines(reason)}\n`, code: 1 }, { reason });
  const failed = protocol.fail(reason, policy);
  // Exit 2 is a block of any event. On those that a failure does not block, such as Stop, the answer must have been one.
  const isBlock = protocol.agent !== CLAUDE || said.stdout.includes('"decision":"block"');
  return markOwn({ stdout: '', stderr: failed.stderr, code: isBlock ? UNANSWERED : failed.code }, { reason });
}
