import { plainLines } from '../../plain.js';
import { type CommandAnswer, REASONS } from '../../server/agent-protocol.js';
import { claudeProtocol } from '../../server/protocol.js';
import { type Terminal, UncaughtError } from '../terminal.js';
import { type Alarm, setAlarm, UNANSWERED } from './alarm.js';

/** Why the command ends before its hooks have answered; undefined: nothing ends it. */
export function whyEnded({ signal }: Pick<Terminal, 'signal'>): string | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason instanceof UncaughtError ? REASONS.uncaught(signal.reason.message) : REASONS.ended;
}

/** For a command that answers an agent and has no time limit of its own: if the process ends before the answer, what can be blocked is blocked. */
export function blockUnlessAnswered(event: string, terminal: Terminal): Alarm {
  let reason: string | undefined;
  process.on('uncaughtException', (error) => {
    reason = REASONS.uncaught(new UncaughtError(error).message);
    process.exit(UNANSWERED);
  });
  const ended = (): CommandAnswer => refusal(event, reason ?? whyEnded(terminal) ?? REASONS.exited);
  return setAlarm(undefined, { late: ended, exited: ended });
}

function refusal(event: string, reason: string): CommandAnswer {
  try {
    return claudeProtocol(event).fail(reason, 'block');
  } catch {
    // An event of the host's own, or of another agent.
    return { stdout: '', stderr: `hookscope: ${plainLines(reason)}\n`, code: UNANSWERED };
  }
}
