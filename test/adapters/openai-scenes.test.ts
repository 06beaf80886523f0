import { Agent, type AgentInputItem, type Model, type ModelRequest, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { type AnyAgent, agentTool, drive } from '../../src/adapters/openai-agents.js';
import { playScenes } from './scenes/play.js';
import { Cannot, type Cast, type Heard, type Outcome, type Player, type Reply, type Stage } from './scenes/scene.js';

setTracingDisabled(true);

/** The SDK's own scripted model, which notes what it was given. */
function scripted(script: readonly Reply[], stage: Stage, heard: Heard[], callId: () => string): Model {
  const steps = [...script, ...Array.from({ length: 5 }, () => 'nothing more')].map((reply) =>
    modelResponder(async ({ request }) => {
      request.signal?.throwIfAborted();
      heard.push(hear(request));
      if (reply === 'hangs') {
        stage.onHang();
        await new Promise((_, reject) =>
          request.signal?.addEventListener('abort', () => reject(request.signal?.reason)),
        );
      }
      if (typeof reply === 'string') return [assistantMessage(reply)];
      if ('status' in reply) throw Object.assign(new Error(reply.message), { status: reply.status });
      return reply.map(([name, input]) => {
        const { prompt, ...rest } = input as { prompt?: string };
        const args = prompt === undefined ? rest : { input: prompt };
        return functionCall(name, args, { callId: callId() });
      });
    }),
  );
  return new ScriptedModel(steps);
}

function hear({ systemInstructions, input }: Pick<ModelRequest, 'systemInstructions' | 'input'>): Heard {
  const items = typeof input === 'string' ? [{ role: 'user', content: input } as AgentInputItem] : input;
  const lines = items.flatMap((item): string[] => {
    if ('role' in item && item.role === 'user')
      return [`user: ${typeof item.content === 'string' ? item.content : JSON.stringify(item.content)}`];
    return item.type === 'function_call_result' ? [`tool: ${words(item.output)}`] : [];
  });
  return { system: systemInstructions, lines };
}

function words(output: unknown): string {
  if (typeof output === 'string') return output;
  const { text } = output as { text?: string };
  return text ?? JSON.stringify(output);
}

function play(stage: Stage): Player {
  if (stage.tools.some((one) => one.name === 'askUser')) throw new Cannot(NO_CONTROL_FLOW.why);
  const heard: Record<string, Heard[]> = { main: [] };
  let calls = 0;
  const agentOf = (name: string, cast: Cast, handoffs: Readonly<Record<string, Cast>> = {}): AnyAgent => {
    const given: Heard[] = [];
    heard[name] = given;
    return new Agent({
      name,
      ...(name === 'main' && stage.system !== undefined ? { instructions: stage.system } : {}),
      model: scripted(cast.script, stage, given, () => `call-${++calls}`),
      handoffs: Object.entries(handoffs).map(([other, its]) => agentOf(other, its)),
      tools: [
        ...cast.tools.map(({ name, description, schema, run }) =>
          tool({
            name,
            description,
            parameters: schema,
            // What the tool throws is thrown.
            errorFunction: null,
            execute: (input, _, details) => run(input as Record<string, unknown>, { signal: details?.signal }),
          }),
        ),
        ...Object.entries(cast.agents).map(([other, its]) =>
          agentTool(agentOf(other, its), { toolDescription: `Does the work of ${other}.` }),
        ),
      ],
    });
  };
  let agent = agentOf('main', stage, stage.handoffs);
  let history: readonly AgentInputItem[] = [];
  let last: Awaited<ReturnType<typeof drive>> | undefined;
  const go = async (input: Parameters<typeof drive>[2]): Promise<Outcome> => {
    last = await drive(stage.session, agent, input, {
      signal: stage.signal,
      onAsk: stage.onAsk,
      toolNotFoundBehavior: 'return_error_to_model',
      ...(stage.maxSteps === undefined ? {} : { maxTurns: stage.maxSteps }),
      ...(stage.streams
        ? {
            onStream: async (stream) => {
              for await (const _ of stream);
            },
          }
        : {}),
    });
    agent = last.agent;
    history = last.history;
    const { status, text, reason, capped } = last;
    return { status, text, ...(reason === undefined ? {} : { reason }), ...(capped ? { capped } : {}) };
  };
  return {
    say: (prompt) => go([...history, { role: 'user', content: prompt }]),
    answer: (approves) => {
      const state = last?.state;
      for (const item of last?.interruptions ?? []) approves ? state?.approve(item) : state?.reject(item);
      return go(state as never);
    },
    heard: (name) => heard[name] ?? [],
  };
}

const NO_CONTROL_FLOW = {
  why: 'A tool of the SDK that throws has failed: it has no control flow of this kind.',
  cannot: true,
} as const;

playScenes({
  framework: 'OpenAI Agents',
  differences: {
    "the framework's own control flow passes through a tool, which goes on with the answer": NO_CONTROL_FLOW,
    "the framework's own limit of steps is kept": {
      why: 'The SDK throws at its limit of turns.',
      expect: { outcomes: [{ rejects: 'Max turns (2) exceeded' }] },
    },
    'a call whose rewritten input the tool does not accept does not run': {
      why: 'The SDK parses the input when the tool is called, and does not say what is wrong with it.',
      expect: {
        events: [
          'UserPromptSubmit Go',
          'PreToolUse read a',
          'PostToolUseFailure read 7 -> Invalid JSON input for tool',
          'PostToolBatch read',
          'Stop',
        ],
      },
    },
    'a call with arguments that the tool does not accept does not run, and the model is told so': {
      why: 'The SDK parses the arguments when the tool is called: hooks have judged them by then.',
      expect: {
        events: [
          'UserPromptSubmit Go',
          'PreToolUse read 7',
          'PostToolUseFailure read 7 -> Invalid JSON input for tool',
          'PostToolBatch read',
          'Stop',
        ],
      },
    },
    'a handoff that a hook denies does not happen': {
      why: 'The SDK makes the text that the model reads about a handoff; the reason for the deny is below the system prompt.',
      expect: {
        heard: {
          main: [['user: Go'], ['system: PreToolUse:transfer_to_clerk hook error: stay', 'tool: {"assistant":"main"}']],
        },
      },
    },
  },
  play,
});
