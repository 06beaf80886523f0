import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Host } from '../../create-host.js';
import type { Sink } from '../../emit/sink.js';
import { isHookscopeError } from '../../errors.js';
import { hasJoined } from '../../fleet/has-joined.js';
import type { Background } from '../../host/call/background.js';
import { fire } from '../../host/fire/fire.js';
import { servicesOf } from '../../host/internals.js';
import { plain } from '../../plain.js';
import { AcceptedFolders } from '../../server/accepted-folders.js';
import { askedAs, type CommandAnswer, REASONS } from '../../server/agent-protocol.js';
import {
  BESIDE_SERVER,
  Binding,
  type Remedy,
  whyChanged,
  whyScriptChanged,
  withoutServer,
} from '../../server/bound/binding.js';
import type { EventQuestion } from '../../server/client/ask.js';
import { foundProject } from '../../server/found-project.js';
import { isSafe } from '../../server/http/head.js';
import { isNamed, type NamedSet } from '../../server/named-set.js';
import { waitingAlone } from '../../server/nobody.js';
import { makeOwnFolder } from '../../server/owned.js';
import { placesOf } from '../../server/places.js';
import { changesFor, namesServed, readServed, type ServedSet } from '../../server/served.js';
import { unansweredRecord } from '../../server/unanswered.js';
import { rootOf } from '../../server/warm.js';
import { describeError } from '../../values/message.js';
import { keptOutputs } from '../../values/user-folders.js';
import { doneWithin, timerDelay, timerUntil } from '../../values/waiting/timer.js';
import { commandFor } from '../doctor/serve-again.js';
import { happeningOf } from '../host/claude-flags.js';
import { type OpenHostOptions, openHost } from '../host/open-host.js';
import { partOfCaller } from '../host/part-of-caller.js';
import { type Terminal, unlessInterrupted } from '../terminal.js';
import type { Alarm } from './alarm.js';
import { unansweredBy } from './keep-own.js';
import { markOwn } from './own-answer.js';
import { whyEnded } from './own-process.js';
import { keepRecords } from './record-sink.js';

/** Seconds for records to reach the disk. */
const KEEPING = 2;
/** Seconds for background hooks: as long as a host waits for them when it closes. */
const BACKGROUND = 5;
/** Seconds for hooks that are not enforced. */
const SHADOWS = 0.5;

/** The answer, and the work to do once it is written, which cannot change the answer any more. */
interface HookAloneResult {
  readonly answer: CommandAnswer;
  /** Mistakes in files whose hooks nobody has accepted: these hooks are lost, and the others were asked. */
  readonly mistakes?: readonly string[];
  /** Resolves to why the record could not be kept; undefined: it was. */
  finish(): Promise<string | undefined>;
}

/** Fires once without a server, with the hooks that the command names, else with those that the last server served. */
export async function fireStateless(
  question: EventQuestion,
  terminal: Terminal,
  alarm: Alarm,
): Promise<HookAloneResult> {
  const { protocol, policy, deadline, cwd } = question;
  const told = protocol.read(question.body, process.env);
  const { input } = told;
  const places = placesOf();
  // Without this folder, it is unknown what was served, and no record is kept.
  makeOwnFolder(places.state);
  const served = readServed(places);
  const { set, from } = setOf(question, served);
  const [changed] = served === undefined ? [] : await changesFor({ set, cwd: from }, served);
  if (served && changed !== undefined) {
    const bound = served.bindings.files[changed];
    const remedy = await remedyNow(served);
    const why = bound
      ? whyChanged(changed, { bound, remedy })
      : whyScriptChanged(changed, remedy, served.bindings.scripts);
    return { answer: protocol.fail(why, policy, told), finish: nothing };
  }
  const project = projectOf(cwd, served);
  const mistakes: string[] = [];
  // Reading a named pipe, or loading a module, may never end.
  const opening = openHost(set, {
    executes: true,
    strict: true,
    // Standard error is for the reason, and mistakes are told only after an answer without one.
    tell: (text) => void (text.startsWith('error: ') && mistakes.push(text)),
    beforeCode: () => alarm.watchFromThread(),
    happening: happeningOf(input),
    directory: from,
    finds: project ?? (countsFound(question, served) && cwd),
    ...(served && !served.dev
      ? { checksOf: checksOf(served, { from, cwd, project, remedy: await remedyNow(served) }) }
      : {}),
  });
  const { host } = await unlessInterrupted(terminal, opening);
  // From now on the host's own log is told.
  const known = mistakes.slice();
  let keeper: Awaited<ReturnType<typeof keepRecords>> | undefined;
  const services = servicesOf(host);
  const place = hasJoined() ? await placeOf(host) : undefined;
  services.elsewhere = place?.asker;
  let unkept: string | undefined;
  const finish = async (): Promise<string | undefined> => {
    // No hook has longer, since an agent reads the answer only when the process has ended.
    const over = setTimeout(() => void services.background.endAll(), timerUntil(deadline));
    try {
      await endBackground(services.background, alarm, keeper, { interrupted: terminal.signal, deadline });
    } finally {
      await host.close();
      clearTimeout(over);
      await place?.asker.close();
      await place?.log.close(0);
      if (keeper && !(await doneWithin(timerDelay(KEEPING), keeper.close())))
        unkept ??= `Records were not written to ${keeper.name} within ${KEEPING} s`;
    }
    return unkept;
  };
  const ask = async (): Promise<CommandAnswer> => {
    services.stateless = true;
    services.projectOf = project === undefined ? foundProject : () => project;
    partOfCaller(host);
    services.largeOutput.keep(keptOutputs());
    if (!isNamed(set)) {
      const waiting = waitingAlone(services.registrar);
      if (waiting !== undefined) return protocol.fail(whyNobody(waiting), policy, told);
    }
    keeper = await keepRecords(host, places, (message) => {
      unkept ??= message;
    });
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), Math.max(0, deadline - performance.now()));
    terminal.signal.addEventListener('abort', () => over.abort(), { once: true });
    try {
      const decision = await fire(services, told.event, input, {
        signal: over.signal,
        env: envOf(project),
        ...protocol.settings(told, policy),
        asked: askedAs(protocol.attended === true, (deadline - performance.now()) / 1000, policy),
      });
      return protocol.say(decision, told);
    } catch (error) {
      const why = isHookscopeError(error) ? error.message : describeError(error);
      const ended = over.signal.aborted ? REASONS.alone : why;
      const reason = whyEnded(terminal) ?? ended;
      const failed = protocol.fail(reason, policy, told);
      // A second record, beside that of the rejected fire, which has the same host.
      services.bus.emit(() => unansweredRecord(unansweredBy({ reason, told }, failed, protocol)));
      return markOwn(failed, { reason, isRecorded: true });
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    return { answer: await ask(), finish, mistakes: known };
  } catch (error) {
    await finish();
    throw error;
  }
}

/** Background hooks go first: a hook that is not enforced may compute until the alarm ends the process. */
async function endBackground(
  background: Background,
  alarm: Alarm,
  keeper: Sink | undefined,
  { interrupted, deadline }: { readonly interrupted: AbortSignal; readonly deadline: number },
): Promise<void> {
  const begin = background.takePostponed();
  if (begin === undefined) return;
  await doneWithin(timerDelay(BACKGROUND), background.followed());
  // Nobody waits for hooks that are not enforced.
  if (interrupted.aborted) return background.endAll();
  if (keeper) await doneWithin(timerDelay(KEEPING), keeper.flush());
  alarm.hurry();
  begin();
  await doneWithin(Math.min(timerDelay(SHADOWS), timerUntil(deadline)), background.followed());
  await background.endAll();
  alarm.calm();
}

const nothing = async (): Promise<undefined> => undefined;

/** In a joined fleet: how to ask the team, and the log of decisions, which the next connected process sends. */
async function placeOf(host: Host) {
  const [{ readJoined }, { keepForLater, policiesOver }, { AskerAlone }] = [
    await import('../../fleet/joined.js'),
    await import('../../fleet/offline.js'),
    await import('../../fleet/ask/alone.js'),
  ];
  const joined = readJoined();
  return joined && { log: keepForLater(host, joined), asker: new AskerAlone(joined, policiesOver(host)) };
}

/** The set that the command names, else the one that was served last, else what is found here and accepted. */
function setOf(
  { set, cwd }: EventQuestion,
  served: ServedSet | undefined,
): { readonly set: NamedSet; readonly from: string } {
  if (isNamed(set) || served === undefined) return { set, from: cwd };
  return { set: served.set, from: served.cwd };
}

/** Whether the configuration of the call's folder is used. If it was accepted, it is, even if the last server was started for something else. */
function countsFound({ set, cwd }: EventQuestion, served: ServedSet | undefined): boolean {
  if (isNamed(set) || set.config === false) return false;
  return served === undefined || new AcceptedFolders(served.set.config).has(cwd);
}

/** The variable with the project folder for commands: the registered one, else the agent's. Without either, the host looks for one. */
function envOf(registered: string | undefined): Readonly<Record<string, string>> {
  const project = registered ?? process.env['CLAUDE_PROJECT_DIR'];
  return project !== undefined && isSafe('CLAUDE_PROJECT_DIR', project) ? { CLAUDE_PROJECT_DIR: project } : {};
}

function projectOf(cwd: string, served: ServedSet | undefined): string | undefined {
  return served && rootOf(served.projects, cwd, process.env['CLAUDE_PROJECT_DIR']);
}

/** Binds the commands of served files to the scripts of that time, whatever else the command line names and wherever it runs. */
function checksOf(
  served: ServedSet,
  {
    from,
    cwd,
    project = served.cwd,
    remedy,
  }: {
    readonly from: string;
    readonly cwd: string;
    readonly project: string | undefined;
    readonly remedy: Remedy;
  },
): NonNullable<OpenHostOptions['checksOf']> {
  const binding = new Binding(served.bindings, project, { remedy });
  const namesOf = namesServed(served);
  return (file, variables) => {
    const [found] = namesOf(resolve(from, file));
    return found === undefined ? () => undefined : binding.commandsOf(found[0], { variables, fallback: cwd });
  };
}

/** What helps after a change: only a server that runs can be told. One that was killed leaves its socket behind. */
async function remedyNow(served: ServedSet): Promise<Remedy> {
  const { socket } = placesOf();
  // Loaded only here, because usually there is no socket.
  const runs = existsSync(socket) && (await (await import('../../server/take-socket.js')).isAnswered(socket));
  return runs ? BESIDE_SERVER : withoutServer(() => commandFor(served));
}

const whyNobody = (waiting: ReadonlySet<string>): string =>
  waiting.size === 0 ? REASONS.nothing : REASONS.held([...waiting].map(plain).join(', '));
