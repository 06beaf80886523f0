import type * as sdk from '@openai/agents';
import type {
  Agent,
  ClientToolSearchExecutor,
  Handoff,
  HostedTool,
  RunContext,
  run,
  ToolToFinalOutputFunction,
} from '@openai/agents';
import { HookscopeError } from '../../errors.js';
import type { SpawnOptions } from '../../session/options.js';
import type { Steps } from '../steps.js';
import { callText } from '../texts.js';
import type { ToolHow } from '../tool-how.js';
import { type AnyTool, argumentsOf, type Invoke, NO_OBJECT, wrapTool } from './tool.js';

export type Sdk = typeof sdk;
/** An agent of the SDK with any context and output. */
export type AnyAgent = Parameters<typeof run>[0];
type Tools = AnyAgent['tools'][number];

/** A subagent as a tool: the agent and its `spawn` options. */
export interface AgentAsTool {
  readonly agent: AnyAgent;
  readonly spawn: Omit<SpawnOptions, 'agent_type' | 'id' | 'parent' | 'signal'>;
}

export interface CastOptions {
  readonly toolHow: Readonly<Record<string, ToolHow>>;
  /** The agent of a tool made by `agentTool`. */
  readonly agentOf: (tool: object) => AgentAsTool | undefined;
  readonly runAgent: (of: AgentAsTool) => Invoke;
}

/** Copies of a user's agents whose tools and handoffs go through the hooks. The agents themselves are not changed. */
export class Cast {
  readonly #sdk: Sdk;
  readonly #steps: Steps;
  readonly #root: AnyAgent;
  readonly #options: CastOptions;
  readonly #copies = new Map<AnyAgent, AnyAgent>();
  readonly #originals = new Map<AnyAgent, AnyAgent>();
  readonly #isWrapped = new WeakSet<Tools>();

  constructor(sdk: Sdk, steps: Steps, root: AnyAgent, options: CastOptions) {
    this.#sdk = sdk;
    this.#steps = steps;
    this.#root = root;
    this.#options = options;
  }

  /** The user's own agent of a copy. */
  original(agent: AnyAgent): AnyAgent {
    return this.#originals.get(agent) ?? agent;
  }

  /** The copy of an agent. Throws INVALID_OPTIONS if a tool would run without hooks. */
  copy(agent: AnyAgent): AnyAgent {
    if (this.#originals.has(agent)) return agent;
    if ('capabilities' in agent) throw refused('agent', agent.name, 'a sandbox gives it tools while it runs');
    const known = this.#copies.get(agent);
    if (known) return known;
    const copy: AnyAgent = agent.clone({ tools: [], handoffs: [], toolUseBehavior: this.#afterTools(agent) });
    this.#copies.set(agent, copy);
    this.#originals.set(copy, agent);
    const tools = new WeakMap<object, Tools>();
    const toolOf = (tool: Tools): Tools => {
      const known = tools.get(tool) ?? this.#tool(copy, tool);
      tools.set(tool, known);
      return known;
    };
    const handoffs = new WeakMap<object, Handoff>();
    const handoffOf = (one: Agent | Handoff): Handoff => {
      const known = handoffs.get(one) ?? this.#handoff(agent, one);
      handoffs.set(one, known);
      return known;
    };
    // Getters, so that tools added to the agent while it runs go through the hooks too. Changes of the copy have no effect.
    Object.defineProperties(copy, {
      tools: { enumerable: true, get: () => agent.tools.map(toolOf) },
      handoffs: { enumerable: true, get: () => agent.handoffs.map(handoffOf) },
    });
    copy.getMcpTools = async (...given) => (await agent.getMcpTools(...given)).map(toolOf);
    // Listeners of the agent get the copy's events, with the original agents as arguments.
    copy.emit = (...given) =>
      agent.emit(...(given.map((one) => this.#originals.get(one as never) ?? one) as typeof given));
    agent.tools.forEach(toolOf);
    // Agents may hand over to each other in a circle.
    agent.handoffs.forEach(handoffOf);
    return copy;
  }

  /** Notes that the agent has the conversation now. */
  async enter(agent: AnyAgent): Promise<void> {
    const who = this.original(agent);
    await this.#steps.handTo(who === this.#root ? undefined : { agent_type: who.name });
  }

  #tool(copy: AnyAgent, tool: Tools): Tools {
    const made = this.#isWrapped.has(tool) ? tool : this.#wrap(copy, tool);
    this.#isWrapped.add(made);
    return made;
  }

  #wrap(copy: AnyAgent, tool: Tools): Tools {
    const search = this.#sdk.getClientToolSearchExecutor(tool);
    if (search) return this.#search(copy, tool as HostedTool, search);
    if (tool.type === 'hosted_tool' || (tool.type === 'shell' && tool.shell === undefined)) return tool;
    if (tool.type !== 'function')
      throw refused('tool', tool.name, 'it runs beside the function tools: let a function tool do it');
    const how = this.#options.toolHow[tool.name];
    const agent = this.#options.agentOf(tool);
    const of = { steps: this.#steps, sdk: this.#sdk, owner: copy, how };
    if (agent) return wrapTool(of, tool, this.#options.runAgent(agent));
    if ('on' in tool)
      throw refused('tool', tool.name, 'it runs an agent: make it with agentTool() in place of agent.asTool()');
    return wrapTool(of, tool as AnyTool);
  }

  /** Wraps a tool search that the program runs itself, so that the tools it finds go through the hooks too. */
  #search(copy: AnyAgent, tool: HostedTool, search: ClientToolSearchExecutor): Tools {
    return this.#sdk.attachClientToolSearchExecutor({ ...tool }, async (given) => {
      const found = await search(given);
      return [found ?? []].flat().map((one: Tools) => this.#tool(copy, one));
    });
  }

  /** Ends the batch before the agent's own `toolUseBehavior`; a hook that ends the loop ends it here. */
  #afterTools({ toolUseBehavior: own }: AnyAgent): ToolToFinalOutputFunction {
    return async (context, results) => {
      await this.#steps.endBatch(results.flatMap(({ runItem }) => callIdOf(runItem.rawItem)));
      if (this.#steps.over !== undefined) return final('');
      if (typeof own === 'function') return await own(context, results);
      const [first] = own === 'stop_on_first_tool' ? results : [];
      const names = typeof own === 'object' ? own.stopAtToolNames : [];
      const last = first ?? results.find(({ tool }) => names.includes(tool.name));
      return last?.type === 'function_output' ? final(last.output) : { isFinalOutput: false, isInterrupted: undefined };
    };
  }

  /** Wraps a handoff, which is a call of its tool. If the call does not run, the agent that made it keeps the conversation. */
  #handoff(from: AnyAgent, one: Agent | Handoff): Handoff {
    const own = this.#sdk.getHandoff(one) as Handoff;
    const invoke = async (context: RunContext, args: string): Promise<AnyAgent> => {
      let taken: AnyAgent | undefined;
      const made = argumentsOf(args);
      const result = await this.#steps.run({
        name: own.toolName,
        input: made ?? {},
        invalid: made ? undefined : NO_OBJECT,
        execute: async (input) => {
          taken = this.copy(await own.onInvokeHandoff(context, args === '' ? '' : JSON.stringify(input)));
          return { assistant: taken.name };
        },
      });
      await this.#steps.endBatch();
      const to = this.#steps.over === undefined ? taken : undefined;
      if (to) await this.enter(to);
      else this.#steps.tell(callText(result));
      return to ?? this.copy(from);
    };
    return own.clone({ agent: this.copy(own.agent), onInvokeHandoff: invoke });
  }
}

const final = (output: unknown) => ({
  isFinalOutput: true as const,
  isInterrupted: undefined,
  finalOutput: typeof output === 'string' ? output : JSON.stringify(output),
});

function callIdOf(item: object): string[] {
  return 'callId' in item && typeof item.callId === 'string' ? [item.callId] : [];
}

function refused(what: 'agent' | 'tool', name: string, why: string): HookscopeError {
  return new HookscopeError('INVALID_OPTIONS', {
    where: what === 'agent' ? `drive: agent ${name}` : `drive: agent.tools: ${name}`,
    expected: `no hook would see what it does, since ${why}`,
  });
}
