import { createFeed, type Feed } from '../../../emit/bus.js';
import { HookscopeError } from '../../../errors.js';
import { specOf } from '../../../events/catalogue.js';
import { lossesIn } from '../../../handlers/untold.js';
import type { HostCore } from '../../../host/core.js';
import type { AnyDecision } from '../../../host/decide/decision.js';
import { fire as fireIn, takesInput } from '../../../host/fire/fire.js';
import type { Undo } from '../../../host/types.js';
import { describeError } from '../../../values/message.js';
import { linkAbort } from '../../../values/waiting/link-abort.js';
import { timerDelay } from '../../../values/waiting/timer.js';
import { type IncomingRequest, Peer } from '../peer/peer.js';
import { type ControlProblem, clipped, tellProblem } from '../peer/problem.js';
import { ranBySession } from '../peer/results.js';
import type { ControlAsk, Json } from '../peer/wire.js';
import { type ClaudeMessage, Conversation } from './conversation.js';
import { ForeignHooks } from './foreign-hooks.js';
import { type FireEvent, HookCallbacks } from './hook-callbacks.js';
import { type ClaudeClient, type ClaudeInfo, infoOf } from './info.js';
import { askedEvents, listenFor, warm, warnOfNeverSent } from './listening.js';
import { type ConnectSettings, startSource } from './options.js';
import { Permissions } from './permission.js';
import type { ClaudeProcess, ProgramEnd } from './process.js';
import { checkPrompt, promptMessage } from './prompt.js';
import { ClientSessions } from './sessions.js';
import { controlFailed, setUp } from './set-up.js';

/** How many messages are kept for the first reader. */
const KEEP = 10_000;
/** How long, in milliseconds, the output is read after the program has ended. */
const DRAIN = 500;

/** The connection between one program and the host. */
export class ProgramConnection {
  readonly #services: HostCore;
  readonly #options: ConnectSettings;
  readonly #name: string;
  readonly #program: ClaudeProcess;
  readonly #peer: Peer;
  readonly #callbacks: HookCallbacks;
  readonly #permissions: Permissions;
  readonly #sessions: ClientSessions;
  readonly #conversation: Conversation;
  readonly #feed: Feed<ClaudeMessage>;
  readonly #ended: Promise<ProgramEnd>;
  /** Settles when the program's output has ended and all of it was read. */
  readonly #output: Promise<void>;
  readonly #undo: Undo[] = [];
  #failsClosed = false;
  /** The first output line before the program was ready that was not a message. It was meant for the user. */
  #stray = '';
  /** Whether the program has answered `initialize`. */
  #ready = false;
  /** Whether the program's input is closed. */
  #finished = false;
  #closing: Promise<ProgramEnd> | undefined;

  constructor(services: HostCore, options: ConnectSettings, name: string, program: ClaudeProcess) {
    this.#services = services;
    this.#options = options;
    this.#name = name;
    this.#program = program;
    const problem = (found: ControlProblem): void => {
      // If the program exits before it is ready, connecting rejects with that error, so it is not reported here as well.
      if (this.#ready || found.problem !== 'connection') tellProblem(services, name, found);
    };
    this.#feed = createFeed<ClaudeMessage>({
      logger: services.report,
      keep: KEEP,
      dropped: () => problem({ problem: 'failed', message: `nobody reads messages$; the last ${KEEP} are kept` }),
    });
    this.#sessions = new ClientSessions({
      services,
      source: startSource(options.args ?? []),
      fire: (event, input, how) => fireIn(services, event, input, { ...how, last: event === 'SessionEnd' }),
    });
    const { alarms } = services;
    const { canUseTool } = options;
    this.#permissions = new Permissions({ fire: this.#fire, canUseTool, base: this.#sessions.base, alarms });
    this.#callbacks = new HookCallbacks({
      fire: this.#decide,
      beside: (spec, input) => this.#sessions.beside(spec, input),
      inVain: (message) => problem({ problem: 'no_effect', message: `${name}: ${message}` }),
      failsClosed: () => this.#failsClosed,
      timeout: options.timeout ?? 600,
    });
    let outputEnded: () => void = () => undefined;
    this.#output = new Promise<void>((resolve) => {
      outputEnded = resolve;
    });
    void this.#output.then(() => this.#endWithin(options.closeTimeout ?? 5));
    this.#ended = Promise.all([program.ended, this.#output]).then(([end]) => this.#over(end));
    // A child process that was left behind may hold the output open forever.
    void program.ended.then(() => setTimeout(() => setImmediate(() => program.stdout.destroy()), DRAIN).unref());
    const foreign = new ForeignHooks(services.bus, 'claude');
    this.#conversation = new Conversation({
      message: promptMessage,
      send: (message) => this.#peer.send(message),
      keep: KEEP,
    });
    this.#peer = new Peer({
      input: program.stdout,
      output: program.stdin,
      name,
      maxLine: options.maxLine,
      answer: (ask, how) => this.#answer(ask, how),
      message: (message) => {
        foreign.take(message);
        if (message['type'] === 'system' && message['subtype'] === 'init') void this.#sessions.seen(message, false);
        ranBySession(services, message);
        this.#conversation.take(message as ClaudeMessage);
        this.#feed.send(message as ClaudeMessage);
      },
      stray: (text) => {
        if (!this.#ready) this.#stray ||= clipped(text.trim());
      },
      problem,
      gone: outputEnded,
      cut: () => {
        this.#finished = true;
        this.#endWithin(DRAIN / 1000);
      },
    });
  }

  async open(): Promise<ClaudeClient> {
    // If the host was closed while the program started, nothing else would end the program.
    if (this.#services.closed) throw new HookscopeError('CLOSED', {});
    const { spawnHooks = {}, signal, initializeTimeout = 60 } = this.#options;
    const { registrar } = this.#services;
    const within = (session?: string): boolean => session !== undefined && this.#sessions.has(session);
    for (const [type, hooks] of Object.entries(spawnHooks)) {
      const origin = { source: { kind: 'spawn', name: type } };
      this.#undo.push(registrar.spawnHooks(type, hooks, origin, { within }));
    }
    if (signal) this.#undo.push(linkAbort(signal, { end: () => void this.kill() }));
    if (signal?.aborted) void this.kill();
    this.#undo.push(registrar.atClose(`connectClaude(${this.#name})`, () => this.kill()));
    const response = await this.#initialize(initializeTimeout);
    this.#ready = true;
    this.#failsClosed = response['hook_on_failure_supported'] === true;
    warnOfNeverSent(this.#services, this.#name);
    return this.#client(infoOf(response));
  }

  #initialize(seconds: number): Promise<Json> {
    const asked = askedEvents(this.#services, this.#options.listen ?? 'all');
    this.#undo.push(listenFor(this.#services, this.#name, asked, this.#sessions.has));
    const hooks = this.#callbacks.config(asked);
    // Runs while the program starts, which takes longer, so that its first turn is not delayed.
    setImmediate(() => warm(this.#services, asked));
    return setUp({
      peer: this.#peer,
      name: this.#name,
      ask: { subtype: 'initialize', hooks, ...this.#options.initialize },
      seconds,
      end: () => this.#endSoon(),
      said: () => this.#said(),
    });
  }

  /** Waits a short time for the program's end and the rest of its output. A broken pipe is often noticed before the end itself. */
  async #endSoon(): Promise<ProgramEnd> {
    const timer = new Promise<ProgramEnd>((resolve) => setTimeout(resolve, 500, {}).unref());
    await Promise.race([this.#output, timer]);
    return Promise.race([this.#program.ended, timer]);
  }

  /** The program's output, to be appended to an error message: stderr, or else the line that was not a message. */
  #said(): string {
    const text = (this.#program.stderr() || this.#stray).replace(/\.$/, '');
    return text === '' ? '' : `; it wrote: ${text}`;
  }

  /** Whether the program ended because of a flag, which its output then names. */
  rejected(flag: string): boolean {
    return !this.#ready && `${this.#program.stderr()}\n${this.#stray}`.includes(flag.replace(/^-+/, ''));
  }

  #client(info: ClaudeInfo): ClaudeClient {
    const ask = (request: ControlAsk): Promise<Json> => this.#peer.request(request);
    return {
      info,
      query: (prompt) => this.#conversation.ask(checkPrompt(prompt)),
      messages$: this.#feed.feed$,
      interrupt: () => ask({ subtype: 'interrupt' }),
      setPermissionMode: (mode) => ask({ subtype: 'set_permission_mode', mode }),
      setModel: (model) => ask({ subtype: 'set_model', ...(model === undefined ? {} : { model }) }),
      close: () => this.close(),
      ended: this.#ended,
      [Symbol.asyncDispose]: async () => {
        await this.close();
      },
    };
  }

  #answer(ask: ControlAsk, how: IncomingRequest): Promise<Json> {
    // The program would take a missing answer for consent, so it is killed.
    if (this.#finished) void this.kill();
    if (ask.subtype === 'hook_callback') return this.#callbacks.answer(ask, { signal: how.ending });
    if (ask.subtype === 'can_use_tool') return this.#permissions.answer(ask, how);
    throw new TypeError(`Unsupported control request subtype: ${ask.subtype}`);
  }

  /** Decides one event about which the program asks. */
  readonly #decide: FireEvent = (event, input, how) =>
    specOf(event).claude?.askedTwice
      ? this.#permissions.decide('hook_callback', input, how)
      : this.#fire(event, input, how);

  readonly #fire: FireEvent = async (event, input, how): Promise<AnyDecision> => {
    const spec = specOf(event);
    const { scope, claude, callRole } = spec;
    // Before the first await, because the client may ask again while its session starts.
    const doing = this.#sessions.doing(callRole);
    await this.#sessions.seen(input, claude?.bounds !== undefined);
    if (claude?.bounds === 'end') return this.#sessions.finish(input);
    if (scope === 'open' && takesInput(this.#services, event, input)) this.#sessions.agentStarts(input);
    const canAsk = this.#options.canUseTool !== undefined;
    const losses = (decision: AnyDecision) => lossesIn(spec, decision, input);
    return fireIn(this.#services, event, input, { ...how, ...doing, canAsk, losses });
  };

  close(): Promise<ProgramEnd> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the current turn before closing the input: afterwards the program gets no answers and would continue without them. */
  async #close(): Promise<ProgramEnd> {
    this.#endWithin(this.#options.closeTimeout ?? 5);
    this.#conversation.refuse(controlFailed(this.#name, 'it was closed'));
    if (this.#conversation.busy) {
      await this.#peer.request({ subtype: 'interrupt' }).catch(() => undefined);
      await this.#conversation.settled();
    }
    this.#peer.finish();
    this.#finished = true;
    return this.#ended;
  }

  /** Kills the program if it does not end on its own within this many seconds. */
  #endWithin(seconds: number): void {
    const timer = setTimeout(() => void this.kill(), timerDelay(seconds));
    void this.#program.ended.then(() => clearTimeout(timer));
  }

  /** Kills the program and everything that it started. Its input stays open, because it may ask until it has ended. */
  async kill(): Promise<void> {
    await this.#program.group.end();
    await this.#ended;
    this.#peer.finish();
  }

  /** Called when the program has ended and all of its output was read. */
  async #over(end: ProgramEnd): Promise<ProgramEnd> {
    const how = end.exitCode === undefined ? `by ${end.signal ?? 'a signal'}` : `with exit code ${end.exitCode}`;
    const error = controlFailed(this.#name, `it ended ${how}${end.exitCode === 0 ? '' : this.#said()}`);
    this.#peer.fail(error);
    this.#peer.abandon(error);
    this.#conversation.fail(error);
    try {
      await this.#sessions.end();
    } catch (cause) {
      this.#services.report(`The end of ${this.#name} was not told: ${describeError(cause)}`);
    }
    for (const undo of this.#undo.splice(0)) undo();
    this.#feed.close();
    return end;
  }
}
