/** Hooks of every type that do what they are told, for `outside-model.test.ts`: real commands, a real server, tools and models that the host asks. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { HostOptions } from '../../src/host/options.js';
import { turn } from './kit.js';
import type { Answer, Handler } from './reference.js';

export const KINDS = ['callback', 'command', 'http', 'mcp_tool', 'prompt', 'agent', 'rule'] as const;
export type Kind = (typeof KINDS)[number];
export const LETTERS = ['a', 'b', 'c'] as const;

/** How it fails, beside running out of time. */
export type Failing = 'nonsense' | 'fail' | 'crash';
/** How it runs out of time: it ends at once when it is told to, is ended by that, or has to be killed. */
export type Slow = 'yields' | 'killed' | 'stubborn';

/** What it does when it is asked about one letter; `throws` of the reference, with how. */
export interface Does extends Omit<Answer, 'throws'> {
  readonly fails?: Failing;
}

export interface Hook extends Omit<Handler, 'on'> {
  readonly kind: Kind;
  readonly on: Readonly<Record<string, Does>>;
  readonly slow: Slow | undefined;
  /** `async: true` where it is registered. */
  readonly async: boolean;
  readonly once: boolean;
  /** It wants to run before the one registered before it, where both have one scope and stage. */
  readonly before: boolean;
  /** A command denies by exit 2; a callback answers at once. */
  readonly plainly: boolean;
  /** Whether it is filtered by a predicate, not by a rule, where both can say it. */
  readonly predicate: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Why it failed, in the words of docs/semantics.md 8. */
export function causeOf({ kind, slow }: Hook, { fails }: Does): string | undefined {
  if (slow !== undefined) return 'timeout';
  if (fails === undefined) return undefined;
  return CAUSES[fails][kind];
}

const CAUSES: Readonly<Record<Failing, Partial<Record<Kind, string>>>> = {
  nonsense: {
    callback: 'bad_schema',
    command: 'bad_json',
    http: 'bad_json',
    mcp_tool: 'bad_json',
    prompt: 'bad_json',
    agent: 'bad_json',
  },
  fail: {
    callback: 'threw',
    command: 'exit_code',
    http: 'http_status',
    mcp_tool: 'threw',
    prompt: 'threw',
    agent: 'threw',
  },
  crash: {
    callback: 'threw',
    command: 'signal',
    http: 'connection',
    mcp_tool: 'threw',
    prompt: 'bad_schema',
    agent: 'bad_schema',
  },
};

/** Who was asked about what: `h1:a`. */
export type Told = (name: string, letter: string) => void;

const SCRIPT = fileURLToPath(new URL('../fixtures/hooks/told.sh', import.meta.url));

/** What one fire's hooks need of the outside: a server, tools, a model. */
export class Outside implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => this.#serve(request.url ?? '', body, response));
  });
  readonly #hooks = new Map<string, { readonly hook: Hook; readonly told: Told }>();

  static async open(): Promise<Outside> {
    const outside = new Outside();
    await new Promise<void>((resolve) => outside.#server.listen(0, '127.0.0.1', resolve));
    return outside;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Of a host: what it asks for its hooks. */
  readonly options: Pick<HostOptions, 'callTool' | 'model'> = {
    callTool: (_, id, { letter }, { signal }) => this.#inside(id, String(letter), signal),
    model: ({ prompt, input, signal }) => this.#inside(prompt.split(' ')[0] as string, letterOf(input), signal),
  };

  /** As it is registered; `id` is its own among all hooks of all hosts, `log` the file that a command says in that it was asked. */
  made(hook: Hook, id: string, told: Told, log: string): unknown {
    this.#hooks.set(id, { hook, told });
    const { kind, name, slow, plainly, async } = hook;
    const timeout = slow === undefined ? 60 : 0.04;
    const outside = { name, timeout, ...(async ? { async } : {}) };
    const { port } = this.#server.address() as AddressInfo;
    switch (kind) {
      case 'callback':
        return { name, timeout, handler: plainly ? this.#callback(id, false) : this.#callback(id, true), async };
      case 'command': {
        const words = LETTERS.map((letter) => wordOf(hook, letter));
        return { type: 'command', command: 'sh', args: [SCRIPT, log, name, ...words], ...outside };
      }
      case 'http':
        return { type: 'http', url: `http://127.0.0.1:${port}/${id}`, ...outside };
      case 'mcp_tool':
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the hook's own variable
        return { type: 'mcp_tool', server: 's', tool: id, input: { letter: '${tool_input.command}' }, ...outside };
      case 'rule': {
        const { verdict } = Object.values(hook.on)[0] as Does;
        return { type: 'rule', decision: verdict, reason: `${name} says ${verdict}`, name };
      }
      default: {
        const { continueOnBlock } = { continueOnBlock: Object.values(hook.on).every(({ bails }) => !bails) };
        return { type: kind, prompt: `${id} $ARGUMENTS`, name, timeout, continueOnBlock };
      }
    }
  }

  #callback(id: string, later: boolean) {
    const { hook, told } = this.#hooks.get(id) as { hook: Hook; told: Told };
    const act = (input: Json): unknown => {
      const letter = letterOf(input);
      told(hook.name, letter);
      const does = hook.on[letter] as Does;
      if (does.leaves) return { async: true, result: Promise.resolve() };
      if (does.fails === 'nonsense') return { systemMessage: 5 };
      if (does.fails !== undefined) throw new Error(does.fails);
      return outputOf(hook, does);
    };
    const late = (input: Json): Promise<never> => {
      told(hook.name, letterOf(input));
      return new Promise(() => undefined);
    };
    const soon = async (input: Json): Promise<unknown> => {
      await turn();
      return act(input);
    };
    return hook.slow !== undefined ? late : later ? soon : act;
  }

  /** A tool's, or a model's, answer. */
  async #inside(id: string, letter: string, signal: AbortSignal): Promise<string> {
    const { hook, told } = this.#hooks.get(id) as { hook: Hook; told: Told };
    told(hook.name, letter);
    if (hook.slow === 'yields')
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
    if (hook.slow !== undefined) return new Promise(() => undefined);
    await turn();
    const does = hook.on[letter] as Does;
    if (does.fails === 'fail') throw new Error('broken');
    if (hook.kind === 'mcp_tool') {
      if (does.fails === 'crash') throw new Error('crashed');
      return does.fails === 'nonsense' ? '{ no' : textOf(hook, does);
    }
    if (does.fails === 'nonsense') return 'no verdict';
    if (does.fails === 'crash') return '{ "ok": 1 }';
    return JSON.stringify(does.verdict === 'deny' ? { ok: false, reason: reasonOf(hook, 'deny') } : { ok: true });
  }

  #serve(path: string, body: string, response: ServerResponse): void {
    const { hook, told } = this.#hooks.get(path.slice(1)) as { hook: Hook; told: Told };
    const letter = letterOf(JSON.parse(body) as Json);
    told(hook.name, letter);
    const does = hook.on[letter] as Does;
    if (hook.slow === 'stubborn') response.writeHead(200).write('{');
    if (hook.slow !== undefined) return;
    if (does.fails === 'crash') response.destroy();
    else if (does.fails === 'fail') response.writeHead(500).end(textOf(hook, { verdict: 'allow' }));
    else response.end(does.fails === 'nonsense' ? 'no' : textOf(hook, does));
  }
}

const letterOf = (input: Json): string => (input['tool_input'] as { command: string }).command;
export const reasonOf = ({ name }: Hook, verdict: string): string => `${name} says ${verdict}`;

/** Nothing, where it has nothing to say. */
function outputOf(hook: Hook, { verdict, to, bails }: Does): Json | undefined {
  if (verdict === undefined && to === undefined && !bails) return undefined;
  const said = verdict && { permissionDecision: verdict, permissionDecisionReason: reasonOf(hook, verdict) };
  return {
    ...(bails ? { continue: false, stopReason: reasonOf(hook, 'stop') } : {}),
    hookSpecificOutput: { hookEventName: 'PreToolUse', ...said, ...(to && { updatedInput: { command: to } }) },
  };
}

function textOf(hook: Hook, does: Does): string {
  const output = outputOf(hook, does);
  return output === undefined ? '' : JSON.stringify(output);
}

/** What told.sh is told to do. */
function wordOf(hook: Hook, letter: string): string {
  const does = hook.on[letter];
  if (does === undefined) return 'unexpected';
  if (hook.slow !== undefined) return hook.slow;
  if (does.leaves) return '{"async":true}';
  if (does.fails !== undefined) return does.fails;
  const denies = does.verdict === 'deny' && does.to === undefined && !does.bails;
  return hook.plainly && denies ? `exit2 ${reasonOf(hook, 'deny')}` : textOf(hook, does);
}
