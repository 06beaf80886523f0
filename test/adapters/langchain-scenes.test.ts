import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type ChatGenerationChunk, type ChatResult, ChatGenerationChunk as Chunk } from '@langchain/core/outputs';
import type { ToolRunnableConfig } from '@langchain/core/tools';
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  createAgent,
  type ReactAgent,
  type StructuredTool,
  tool,
} from 'langchain';
import { expect } from 'vitest';
import { z } from 'zod';
import { type HooksOptions, hooks } from '../../src/adapters/langchain.js';
import { playScenes } from './scenes/play.js';
import type { Cast, Driver, Heard, Outcome, Player, Reply, SceneTool, Stage } from './scenes/scene.js';

type Options = BaseChatModel['ParsedCallOptions'];

/** Does one thing after the other, and notes what it was given. */
class SceneModel extends BaseChatModel {
  readonly heard: Heard[] = [];
  readonly #script: readonly Reply[];
  readonly #stage: Stage;
  #calls = 0;

  constructor(script: readonly Reply[], stage: Stage) {
    super({ maxRetries: 0 });
    this.#script = script;
    this.#stage = stage;
  }

  override _llmType(): string {
    return 'scene';
  }

  override bindTools(): this {
    return this;
  }

  async #next(messages: BaseMessage[], { signal }: Options): Promise<AIMessage> {
    signal?.throwIfAborted();
    const reply = this.#script[this.heard.length] ?? 'nothing more';
    this.heard.push(hear(messages));
    if (reply === 'hangs') {
      this.#stage.onHang();
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    if (typeof reply === 'string') return new AIMessage(reply);
    if ('status' in reply) throw Object.assign(new Error(reply.message), { status: reply.status });
    const tool_calls = reply.map(([name, args]) => ({
      name,
      args: args as Record<string, unknown>,
      id: `call-${++this.#calls}`,
      type: 'tool_call' as const,
    }));
    return new AIMessage({ content: '', tool_calls });
  }

  override async _generate(messages: BaseMessage[], options: Options): Promise<ChatResult> {
    const message = await this.#next(messages, options);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: Options,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, tool_calls = [] } = await this.#next(messages, options);
    const tool_call_chunks = tool_calls.map(({ name, args, id }, index) => ({
      ...{ name, args: JSON.stringify(args), id: id as string, index },
      type: 'tool_call_chunk' as const,
    }));
    yield new Chunk({ text, message: new AIMessageChunk({ content: text, tool_call_chunks }) });
  }
}

function hear(messages: BaseMessage[]): Heard {
  const lines = messages.flatMap((message) => {
    if (message.type === 'human') return [`user: ${message.text}`];
    return message.type === 'tool' ? [`tool: ${message.text}`] : [];
  });
  return { system: messages.find((message) => message.type === 'system')?.text, lines };
}

function play(stage: Stage): Player {
  const models: Record<string, SceneModel> = {};
  const checkpointer = new MemorySaver();
  const { session } = stage;

  const toolOf = ({ name, description, schema, run }: SceneTool) =>
    tool((input, { signal }) => run(input as Record<string, unknown>, { signal }), { name, description, schema });

  const subagent = (name: string, cast: Cast): StructuredTool => {
    const agent = agentOf(name, cast, { agent: { agent_type: name } });
    const task = async ({ prompt }: { prompt: string }) => {
      const { messages } = await agent.invoke({ messages: prompt });
      return said(messages);
    };
    const schema = z.object({ prompt: z.string() });
    return tool(task, { name, description: `Does the work of ${name}.`, schema });
  };

  const handoff = (name: string) =>
    tool(
      async (_, { toolCall }: ToolRunnableConfig) =>
        new Command({
          goto: name,
          graph: Command.PARENT,
          update: {
            messages: [{ role: 'tool', tool_call_id: toolCall?.id, content: JSON.stringify({ assistant: name }) }],
          },
        }),
      { name: `transfer_to_${name}`, description: `Gives the conversation to ${name}.`, schema: z.object({}) },
    );

  const agentOf = (name: string, cast: Cast, how: HooksOptions = {}, own: object = {}): ReactAgent => {
    const model = new SceneModel(cast.script, stage);
    models[name] = model;
    const agents = Object.entries(cast.agents).map(([name, agent]) => subagent(name, agent));
    const handoffs = Object.keys(name === 'main' ? stage.handoffs : {}).map(handoff);
    return createAgent({
      ...{ name, model, tools: [...cast.tools.map(toolOf), ...agents, ...handoffs] },
      ...(name === 'main' && stage.system ? { systemPrompt: stage.system } : {}),
      middleware: [hooks(session, how)],
      ...own,
    });
  };

  const main = agentOf('main', stage, {}, Object.keys(stage.handoffs).length === 0 ? { checkpointer } : {});
  const graph = new StateGraph(MessagesAnnotation);
  const withHandoffs = () => {
    const ends = Object.keys(stage.handoffs);
    graph.addNode('main', main.graph as never, { ends });
    for (const [name, cast] of Object.entries(stage.handoffs))
      graph.addNode(name, agentOf(name, cast, { agent: { agent_type: name } }).graph as never);
    return graph.addEdge(START, 'main' as never).compile({ checkpointer });
  };
  const app = Object.keys(stage.handoffs).length === 0 ? main.graph : withHandoffs();

  const config = {
    configurable: { thread_id: '1' },
    signal: stage.signal,
    // Before the agent, then the model and its tools in each step.
    ...(stage.maxSteps === undefined ? { recursionLimit: 100 } : { recursionLimit: 1 + 2 * stage.maxSteps }),
  };
  const run = async (input: Parameters<typeof main.invoke>[0] | Command): Promise<Outcome> => {
    if (stage.streams) {
      const modes = { ...config, streamMode: ['updates' as const, 'messages' as const] };
      for await (const _ of await app.stream(input as never, modes)) void _;
    } else await app.invoke(input as never, config);
    const { values } = await app.getState(config);
    const { hooks: came, messages = [] } = values as { hooks?: Partial<Outcome>; messages?: BaseMessage[] };
    return { status: 'done', ...came, text: said(messages) };
  };
  return {
    say: (prompt) => run({ messages: prompt }),
    answer: (approves) => run(new Command({ resume: { decisions: [{ type: approves ? 'approve' : 'reject' }] } })),
    heard: (agent) => models[agent]?.heard ?? [],
  };
}

const said = (messages: readonly BaseMessage[]): string => {
  const last = messages.at(-1);
  return last?.type === 'ai' ? last.text : '';
};

/** Pauses, and goes on whatever the answer is. */
const askUser = (question: string) => {
  interrupt(question);
  return 'yes';
};

const GO = 'UserPromptSubmit Go';
const DIFFERENCES: Driver['differences'] = {
  "the framework's own limit of steps is kept": {
    why: 'LangGraph throws at its recursionLimit, and no longer asks middleware.',
    expect: {
      events: [
        GO,
        'PreToolUse read a',
        'PostToolUse read a -> text of a',
        'PostToolBatch read',
        'PreToolUse read b',
        'PostToolUse read b -> text of b',
      ],
      outcomes: [{ rejects: expect.stringMatching(/^Recursion limit of 5 reached/) as string }],
    },
  },
  'a call of a tool that does not exist goes through no gate, and the model is told so': {
    why: 'Middleware may provide the tool, so the call is judged before it is known that no tool exists.',
    expect: {
      events: [
        GO,
        'PreToolUse fly a',
        'PostToolUseFailure fly a -> Error: fly is not a valid tool, try one of [read, write].',
        'PostToolBatch fly',
        'Stop',
      ],
    },
  },
  'a call with arguments that the tool does not accept does not run, and the model is told so': {
    why: 'Middleware gets the call with any arguments, and PostToolBatch lists it.',
    expect: { events: [GO, 'PostToolBatch read', 'Stop'] },
  },
  'one of two calls waits for the user, the other runs at once and only once': {
    why: 'The model turn is over once the last of its calls is: both are one batch.',
    expect: {
      events: [
        GO,
        'PreToolUse read b',
        'PostToolUse read b -> text of b',
        'PreToolUse write a',
        'PermissionRequest write a',
        'PostToolUseFailure write a -> (interrupt)',
        'PreToolUse write a',
        'PermissionRequest write a',
        'PostToolUse write a -> wrote a',
        'PostToolBatch read, write',
        'Stop',
      ],
    },
  },
  'a call that a hook defers ends the turn before it': {
    why: 'An agent with a checkpointer pauses, to go on with this very call.',
    expect: { outcomes: [{ status: 'unfinished', text: '' }] },
  },
  'the caller aborts before the first model call': {
    why: 'LangGraph does not start if the signal has already aborted.',
    expect: { events: [] },
  },
  'a handoff gives the conversation to an agent with a scope of its own': {
    why: 'The graph does not return to the agent that handed over: the session stops when your program stops it.',
    expect: {
      events: [
        GO,
        'PreToolUse transfer_to_clerk',
        'PostToolUse transfer_to_clerk -> {"assistant":"clerk"}',
        'PostToolBatch transfer_to_clerk',
        'clerk: SubagentStart',
        'clerk: PreToolUse read a',
        'clerk: PostToolBatch read',
        'clerk: SubagentStop',
      ],
    },
  },
};

playScenes({ framework: 'LangChain', differences: DIFFERENCES, play, interrupt: askUser });
