import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeOptions } from '../../../src/claude-code/control/server/server.js';
import type { Host } from '../../../src/create-host.js';
import type { HookRecord } from '../../../src/emit/record.js';
import { anyHooks, deferred, testHost, until } from '../../host/kit.js';
import { BASE, connectPuppet, problems, serve, tapped } from './kit.js';
import { type Json, type Puppet, puppet } from './puppet.js';

/** One end of ours, with a puppet at the other; what is the same for both. */
export interface End {
  readonly which: 'client' | 'server';
  readonly peer: Puppet;
  readonly host: Host;
  /** What was told: on the stream, or to the logger where nobody watches. */
  problems(): string[];
  readonly reports: readonly string[];
  readonly seen: readonly HookRecord[];
  /** A request that is answered with `{}`, or, `slow`, when `release` is called; `wrong`: with something that JSON cannot hold. */
  request(kind: 'quick' | 'slow' | 'wrong', input?: Json): Json;
  /** Lets the slow ones go on. */
  release(): void;
  /** How many slow ones are under way, and how many were withdrawn. */
  readonly slow: { began: number; aborted: number };
  /** Asks the other side something. */
  ours(): Promise<Json>;
  /** The same, with something that JSON cannot hold. */
  oursWrong(): Promise<Json>;
  /** The message of that type, once it has come. */
  message(type: string): Promise<Json>;
  /** The end of the connection has been noticed. */
  readonly over: Promise<unknown>;
}

export interface EndOptions {
  readonly maxLine?: number;
  /** Nobody watches `events$`. */
  readonly unwatched?: boolean;
}

export type MakeEnd = (options?: EndOptions) => Promise<End>;

/** What both hosts' slow work does. */
function slowWork() {
  const gate = deferred<void>();
  const slow = { began: 0, aborted: 0 };
  const work = async (signal: AbortSignal): Promise<Json> => {
    slow.began++;
    signal.addEventListener('abort', () => slow.aborted++);
    await gate.promise;
    return {};
  };
  return { slow, work, release: () => gate.resolve() };
}

function collector(messages: AsyncIterable<Json>) {
  const list: Json[] = [];
  const reading = (async () => {
    for await (const message of messages) list.push(message);
  })();
  return {
    reading,
    async message(type: string): Promise<Json> {
      await until(() => list.some((one) => one['type'] === type), 15);
      return list.find((one) => one['type'] === type) as Json;
    },
  };
}

const told = (host: Host, reports: readonly string[], unwatched: boolean | undefined) => {
  const seen = unwatched ? [] : tapped(host);
  // The reports name the problem in parentheses.
  const named = () => reports.flatMap((text) => /\((\w+)\)$/.exec(text)?.[1] ?? []);
  return { seen, problems: () => (unwatched ? named() : problems(seen).map(({ problem }) => problem)) };
};

const clientEnd: MakeEnd = async ({ maxLine, unwatched } = {}) => {
  const { host, reports } = testHost({ closeTimeout: 1 });
  const { slow, work, release } = slowWork();
  const signalOf = (context: unknown) => (context as { signal: AbortSignal }).signal;
  host.register(
    anyHooks({
      PreToolUse: [
        {
          matcher: 'slow',
          timeout: 0,
          hooks: [(_: unknown, __: unknown, context: unknown) => work(signalOf(context))],
        },
      ],
    }),
  );
  const { seen, problems: names } = told(host, reports, unwatched);
  const { client, claude, asking } = await connectPuppet(host, {
    closeTimeout: 1,
    canUseTool: () => ({ behavior: 'allow', updatedInput: { n: 1n } }),
    ...(maxLine === undefined ? {} : { maxLine }),
  });
  const messages: Json[] = [];
  client.messages$.subscribe((message) => messages.push(message));
  return {
    which: 'client',
    peer: claude,
    host,
    reports,
    seen,
    problems: names,
    request: (kind, input = {}) =>
      kind === 'wrong'
        ? { subtype: 'can_use_tool', tool_name: 'wrong', input, tool_use_id: 'toolu_1' }
        : asking('PreToolUse', { ...BASE, tool_name: kind, tool_input: input, tool_use_id: 'toolu_1' }),
    release,
    slow,
    ours: () => client.interrupt(),
    oursWrong: () => client.setModel(1n as never),
    async message(type) {
      await until(() => messages.some((one) => one['type'] === type), 15);
      return messages.find((one) => one['type'] === type) as Json;
    },
    over: client.ended,
  };
};

const serverEnd: MakeEnd = async ({ maxLine, unwatched } = {}) => {
  const { host, reports } = testHost({ closeTimeout: 1 });
  const { slow, work, release } = slowWork();
  const { seen, problems: names } = told(host, reports, unwatched);
  const requests: ServeOptions['requests'] = {
    quick: () => undefined,
    slow: (_, { signal }) => work(signal),
    wrong: () => ({ n: 1n }),
  };
  const { server, sdk } = await serve(host, { requests, ...(maxLine === undefined ? {} : { maxLine }) }, puppet);
  const { message } = collector(server.messages);
  return {
    which: 'server',
    peer: sdk,
    host,
    reports,
    seen,
    problems: names,
    request: (kind, input = {}) => ({ subtype: kind, input }),
    release,
    slow,
    ours: () => server.request({ subtype: 'interrupt' }),
    oursWrong: () => server.request({ subtype: 'set_model', model: 1n }),
    message,
    over: server.ended,
  };
};

export const ENDS: Readonly<Record<End['which'], MakeEnd>> = { client: clientEnd, server: serverEnd };

/** Long enough for a line that should not come to come. */
export const quiet = (): Promise<void> => sleep(100);
