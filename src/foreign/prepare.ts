import type { ToolNameTest } from '../agents/as-theirs.js';
import { subjectOf } from '../agents/subjects.js';
import type { AgentTable, EventRow } from '../agents/table.js';
import type { OnFailure } from '../events/failure.js';
import type { EventSpec } from '../events/spec.js';
import type { Path } from '../files/json-file.js';
import type { ExternalCall, HandlerDescription } from '../handlers/handler.js';
import { madeHandler, wrappedHandler } from '../host/register/handler-entry.js';
import type { Origin } from '../host/register/origin.js';
import type { Registration, Skip } from '../scopes/registration.js';
import { guardFiles } from '../trust/guard.js';
import { formatPath } from '../values/problem.js';
import { isText } from '../values/shape.js';
import { type JudgedFile, nameable, remedyFor } from './consent.js';
import { describeForeign } from './describe.js';
import { matcherOf, readMatcher } from './matchers.js';
import type { ForeignHook, ForeignProblem } from './parse.js';
import { foreignHandler } from './reply.js';

interface Prepare {
  readonly projectDir: string;
  readonly onFailure: OnFailure | undefined;
  /** For all hooks except those in `system` and `policy` places. */
  readonly enforce: boolean | number | undefined;
  /** The events of the host. */
  readonly events: Readonly<Record<string, EventSpec>>;
  readonly checksOf: ((file: string) => (handler: HandlerDescription) => Registration['trustCheck']) | undefined;
  variables(call: ExternalCall): Readonly<Record<string, string>>;
}

/** Registrations made from files, and the problems to report. */
export interface PreparedForeign {
  readonly registrations: readonly {
    readonly hooks: Readonly<Record<string, readonly object[]>>;
    readonly origin: Origin;
  }[];
  /** Problems found here and during registration; call it after registering. */
  problems(): Promise<readonly ForeignProblem[]>;
}

/** Turns the hooks of an agent's files into registrations for the host. */
export function prepareForeign(table: AgentTable, files: readonly JudgedFile[], how: Prepare): PreparedForeign {
  const chained = new Set(
    files
      .flatMap(({ read, state }) => (state === 'accepted' ? read.hooks.filter(({ sequential }) => sequential) : []))
      .map(({ event }) => event),
  );
  const all = files.map((judged) => new FilePreparation(table, judged, how, chained));
  return {
    registrations: all.map((file) => file.registration()),
    problems: async () => (await Promise.all(all.map((file) => file.problems()))).flat(),
  };
}

/** A relative path means the script of the session's folder, as in the agent, and is not bound to the folder of the file. */
const AS_IN_THE_AGENT = (): undefined => undefined;

/** Prepares the hooks of one file. */
class FilePreparation {
  readonly #found: { readonly path: Path; readonly message: string }[] = [];
  readonly #table: AgentTable;
  readonly #judged: JudgedFile;
  readonly #how: Prepare;
  readonly #chained: ReadonlySet<string>;
  readonly #skips = new WeakMap<object, Skip>();
  readonly #descriptions = new WeakMap<object, HandlerDescription>();

  constructor(table: AgentTable, judged: JudgedFile, how: Prepare, chained: ReadonlySet<string>) {
    this.#table = table;
    this.#judged = judged;
    this.#how = how;
    this.#chained = chained;
  }

  registration(): PreparedForeign['registrations'][number] {
    const hooks: Record<string, object[]> = {};
    for (const hook of this.#judged.read.hooks) {
      for (const ours of new Set(hook.rows.map((row) => row.ours))) {
        const spec = this.#how.events[ours];
        if (spec === undefined)
          this.#say(
            hook,
            `this host has no event "${ours}": createHost({ events: agentEvents('${this.#table.name}') }) has it`,
          );
        else {
          hooks[ours] ??= [];
          hooks[ours].push(this.#group(hook, spec));
        }
      }
    }
    return { hooks, origin: this.#origin() };
  }

  #origin(): Origin {
    const { read, place } = this.#judged;
    const { enforce } = this.#how;
    return {
      source: { kind: this.#table.name, name: place, file: read.file },
      ...(this.#how.onFailure === undefined ? {} : { onFailure: this.#how.onFailure }),
      ...(enforce === undefined || place === 'system' || place === 'policy' ? {} : { enforce }),
      ...(this.#table.runs?.racing ? { racing: true } : {}),
      warn: (message) => void this.#found.push({ path: [], message }),
      skip: (hook) => this.#skips.get(hook),
      trustCheckOf: (hook) => this.#trustCheck(this.#descriptions.get(hook)) ?? AS_IN_THE_AGENT,
      context: { env: (call) => this.#how.variables(call), wishes: false },
    };
  }

  #group(hook: ForeignHook, spec: EventSpec): object {
    const { files, runs } = this.#table;
    const row = hook.rows.find(({ ours }) => ours === spec.name) as EventRow;
    const tool = subjectOf(this.#table, row.name) === 'tool';
    const matcher = readMatcher(this.#table, hook.matcher, tool);
    if (matcher.warning !== undefined) this.#say(hook, matcher.warning);
    const described = describeForeign(this.#table, hook, { file: this.#judged.read.file, place: this.#judged.place });
    const { handler, timeout } = this.#handler(hook, described, spec, matcher.accepts);
    const skip = this.#skipOf(hook, described, spec, matcher.never);
    if (skip) this.#skips.set(handler, skip);
    const called = hook.handler['name'];
    const closed = files.closes === undefined ? undefined : hook.handler[files.closes];
    return {
      matcher: matcherOf(this.#table, row, hook.matcher, matcher),
      mode: runs?.order === 'series' || this.#chained.has(hook.event) ? 'series' : 'parallel',
      ...(timeout === undefined ? {} : { timeout: Math.min(timeout, row.timeout?.most ?? timeout) }),
      ...(files.keys.includes('name') && isText(called) && called !== '' ? { name: called } : {}),
      // Any value but false closes the gate, because a malformed one may have meant true.
      ...(closed === undefined || closed === false ? {} : { onFailure: 'block' }),
      hooks: [handler],
    };
  }

  /** The hook's handler. A hook that cannot run gets one that is only listed. */
  #handler(hook: ForeignHook, described: ReturnType<typeof describeForeign>, spec: EventSpec, isMeant: ToolNameTest) {
    if ('unsupported' in described || !this.#takes(spec, described.description))
      return { handler: madeHandler(listed(hook)), timeout: undefined };
    const { timeout, ...description } = described.description;
    const table = this.#table;
    const handler = wrappedHandler({ description, wrap: (inner) => foreignHandler(table, hook.rows, inner, isMeant) });
    this.#descriptions.set(handler, nameable(table, description));
    return { handler, timeout: timeout as number | undefined };
  }

  #takes({ types }: EventSpec, { type }: HandlerDescription): boolean {
    return (types as readonly unknown[]).includes(type);
  }

  #skipOf(
    hook: ForeignHook,
    described: ReturnType<typeof describeForeign>,
    spec: EventSpec,
    never: string | undefined,
  ): Skip | undefined {
    const { read, state, held } = this.#judged;
    const at = `${formatPath(hook.path)} in ${read.file}`;
    if (state === 'never') return { reason: 'trust', why: held?.why ?? `${read.file} is not accepted` };
    if (state === 'untrusted') return undefined;
    if (read.dropped !== undefined)
      return { reason: 'invalid', why: `${this.#table.title} drops ${read.file}: ${read.dropped}` };
    const off = this.#offBy(hook);
    if (off !== undefined) return { reason: 'disabled', why: off };
    if (hook.invalid !== undefined) return { reason: 'invalid', why: `${at}: ${hook.invalid}` };
    if (never !== undefined) return { reason: 'invalid', why: `${at}: its matcher "${hook.matcher}" ${never}` };
    const unsupported =
      'unsupported' in described
        ? described.unsupported
        : this.#takes(spec, described.description)
          ? undefined
          : `${spec.name} takes no hooks of the type "${String(described.description['type'])}" here`;
    if (unsupported === undefined) return undefined;
    this.#say(hook, `does not run here: ${unsupported}`);
    return { reason: 'unsupported', why: `${at}: ${unsupported}` };
  }

  #offBy({ handler }: ForeignHook): string | undefined {
    const { disabled, file } = this.#judged.read;
    if (disabled === undefined) return undefined;
    if ('all' in disabled) return disabled.why;
    const name = [handler['name'], handler['command']].find((one) => isText(one) && disabled.names.includes(one));
    return name === undefined ? undefined : `"${String(name)}" is switched off in ${file}`;
  }

  #trustCheck(description: HandlerDescription | undefined): Registration['trustCheck'] {
    const { state, held, consent, read, place } = this.#judged;
    const { file } = read;
    if (state === 'untrusted') return () => ({ file, why: held?.why ?? `${file} is not as it was accepted` });
    if (description === undefined) return undefined;
    if (place === 'named') return this.#how.checksOf?.(file)(description);
    if (consent === undefined) return undefined;
    const { projectDir } = this.#how;
    return guardFiles(description, consent, {
      file,
      variables: { projectDir },
      fallback: projectDir,
      remedy: () => remedyFor(this.#table),
    });
  }

  #say({ path }: ForeignHook, message: string): void {
    this.#found.push({ path, message });
  }

  problems(): Promise<ForeignProblem[]> {
    const { file, locate } = this.#judged.read;
    return Promise.all(
      this.#found.map(async ({ path, message }) => ({
        level: 'warning' as const,
        file,
        where: formatPath(path),
        message,
        ...(path.length > 0 ? await locate?.(path) : {}),
      })),
    );
  }
}

/** The description of a hook that never runs; it is only listed. */
function listed({ handler, event }: ForeignHook) {
  const keys = ['command', 'bash', 'powershell', 'url', 'prompt', 'tool'];
  const name =
    (keys.map((key) => handler[key]).find((one) => isText(one) && one !== '') as string | undefined) ?? event;
  return { kind: 'command' as const, name, run: () => Promise.reject(new Error(`${name} never runs`)) };
}
