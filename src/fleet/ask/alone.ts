import type { AskAnswer, AskTeam, OpenAsk } from '../../host/elsewhere.js';
import { timerMs } from '../../values/waiting/timer.js';
import type { FleetEngine, Stop } from '../engine.js';
import { usualHostId } from '../host-id.js';
import type { JoinedFleet } from '../joined.js';
import { natsEngine } from '../nats/engine.js';
import { completeOptions } from '../options.js';
import type { PreparedPolicy } from '../policy/prepare.js';
import { approversIn, masksIn } from './approvers.js';
import { Asker, unasked } from './asker.js';
import { ownKey } from './own-key.js';

/** The most milliseconds to wait for a connection; also at most half of the time that the agent waits. */
const PATIENCE = 3_000;

/** Asks the team from a process that fires once: it connects when there is something to ask, and goes by the policies that its host is under. */
export class AskerAlone implements AskTeam {
  readonly #joined: JoinedFleet;
  #engine: FleetEngine | undefined;
  #asker: Asker | undefined;
  readonly #policies: readonly PreparedPolicy[];

  constructor(joined: JoinedFleet, policies: readonly PreparedPolicy[]) {
    this.#joined = joined;
    this.#policies = policies;
  }

  ask(open: OpenAsk, signal: AbortSignal): Promise<AskAnswer> | undefined {
    const { askElsewhere: when = 'never' } = this.#joined;
    if (when === 'never' || (when === 'unattended' && open.attended)) return undefined;
    return this.#ask(open, signal).catch(unasked);
  }

  async #ask(open: OpenAsk, signal: AbortSignal): Promise<AskAnswer> {
    const { folder, askTimeout } = completeOptions(this.#joined);
    const { servers, team, credentials, tls } = this.#joined;
    const host = this.#joined.host ?? usualHostId(folder);
    const began = performance.now();
    this.#engine ??= natsEngine({ servers, team, name: host, credentials, tls });
    const engine = this.#engine;
    this.#asker ??= new Asker({
      engine,
      team,
      host,
      when: 'first',
      seconds: askTimeout,
      own: ownKey(credentials),
      approvers: () => approversIn(this.#policies),
    });
    this.#asker.mask(masksIn(this.#policies.map(({ redact }) => redact)));
    const { within = Number.POSITIVE_INFINITY } = open;
    await connected(engine, Math.min(PATIENCE, within / 2), signal);
    const left = open.within === undefined ? undefined : within - (performance.now() - began);
    return this.#asker.ask({ ...open, within: left }, signal) as Promise<AskAnswer>;
  }

  async close(): Promise<void> {
    this.#asker?.close();
    await this.#engine?.close();
  }
}

/** Resolves when it is connected, when the signal fires, or after this many milliseconds. */
function connected(engine: FleetEngine, most: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let stop: Stop = () => undefined;
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      stop();
      resolve();
    };
    const timer = setTimeout(done, timerMs(most));
    if (engine.connected || signal.aborted) return done();
    stop = engine.onChange(done);
    signal.addEventListener('abort', done, { once: true });
  });
}
