import { HookscopeError } from '../../../errors.js';
import type { CustomEvents, NoEvents } from '../../../events/catalogue.js';
import { servicesOf } from '../../../host/internals.js';
import { describeError } from '../../../values/message.js';
import { tell } from '../../../values/waiting/promises.js';
import { tellProblem } from '../peer/problem.js';
import { ProgramConnection } from './connection.js';
import type { ClaudeClient } from './info.js';
import { type ConnectOptions, checkConnectOptions, programArgs, TELEMETRY } from './options.js';
import { controlFailed } from './set-up.js';

/**
 * Starts Claude Code, or another program that speaks its control protocol. All hooks of the host apply to it, in the scope of the agent
 * that each event comes from. Rejects with INVALID_OPTIONS, INVALID_HOOKS (`spawnHooks`), CONTROL_FAILED (the program did not start, or
 * ended before it was ready), CONTROL_REFUSED (it refused to be initialized) or ABORTED.
 */
export async function connectClaude<C extends CustomEvents = NoEvents>(
  options: ConnectOptions<C>,
): Promise<ClaudeClient> {
  checkConnectOptions(options);
  const services = servicesOf(options.host);
  if (services.closed) throw new HookscopeError('CLOSED', {});
  const { startProgram } = await import('./process.js');
  const { executable = 'claude', env, signal } = options;
  if (signal?.aborted) throw aborted(signal);
  const cwd = options.cwd ?? services.projectDir ?? process.cwd();
  const begin = async (flags: readonly string[]): Promise<ClaudeClient | 'not these flags'> => {
    const program = await startProgram({
      executable,
      args: programArgs(options, flags),
      env,
      cwd,
      onStderr: stderrOf(options.stderr, services.report),
    });
    if ('problem' in program) throw controlFailed(executable, `it did not start: ${program.problem}`);
    const connection = new ProgramConnection(services, options, executable, program);
    try {
      return await connection.open();
    } catch (error) {
      await connection.kill();
      if (signal?.aborted) throw aborted(signal);
      if (!services.closed && isFailed(error) && flags.some((flag) => connection.rejected(flag)))
        return 'not these flags';
      throw error;
    }
  };
  const client = await begin(TELEMETRY);
  if (client !== 'not these flags') return client;
  const message = `${executable} does not know ${TELEMETRY.join(' ')} and was started without: its own hooks are not told of`;
  tellProblem(services, executable, { problem: 'no_effect', message });
  return (await begin([])) as ClaudeClient;
}

const isFailed = (error: unknown): boolean => error instanceof HookscopeError && error.code === 'CONTROL_FAILED';

const aborted = (signal: AbortSignal): HookscopeError =>
  new HookscopeError('ABORTED', { event: 'connectClaude' }, { cause: signal.reason });

/** Wraps the caller's function so that its errors are reported and do not propagate. */
function stderrOf(told: ConnectOptions['stderr'], report: (message: string) => void): ConnectOptions['stderr'] {
  return (
    told &&
    ((text) => {
      tell(
        () => told(text),
        (error) => report(`The stderr option of connectClaude threw: ${describeError(error)}`),
      );
    })
  );
}
