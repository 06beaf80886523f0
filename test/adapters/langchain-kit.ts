import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs';
import { ChatGenerationChunk as Chunk } from '@langchain/core/outputs';
import { AIMessage, AIMessageChunk, type BaseMessage } from 'langchain';

/** Words, calls by the tool's name (`weather#2` is a second one), or an error to throw. */
export type Reply = string | Error | { readonly [tool: string]: unknown };

/** A chat model that gives one reply after the other, with ids of calls that count up, and keeps what it got. */
export class Scripted extends BaseChatModel {
  readonly got: BaseMessage[][] = [];
  /** The tools it was given, by name, each time. */
  readonly bound: string[][] = [];
  readonly #replies: readonly Reply[];
  #calls = 0;

  constructor(...replies: readonly Reply[]) {
    super({});
    this.#replies = replies;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: readonly unknown[]): this {
    const given = tools as readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
    this.bound.push(given.map((one) => one.name ?? one.function?.name ?? ''));
    return this;
  }

  /** `extract`: the tool for the form of the answer, which LangChain numbers in a process. */
  #named(name: string): string {
    const form = this.bound.at(-1)?.find((one) => one.startsWith('extract-'));
    return (name === 'extract' ? form : undefined) ?? (name.split('#')[0] as string);
  }

  #next(messages: BaseMessage[]): AIMessage {
    const reply = this.#replies[this.got.length] ?? 'nothing more';
    this.got.push([...messages]);
    if (reply instanceof Error) throw reply;
    if (typeof reply === 'string') return new AIMessage(reply);
    const tool_calls = Object.entries(reply).map(([name, args]) => ({
      name: this.#named(name),
      args: args as Record<string, unknown>,
      id: `call-${++this.#calls}`,
      type: 'tool_call' as const,
    }));
    return new AIMessage({ content: '', tool_calls });
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    options.signal?.throwIfAborted();
    const message = this.#next(messages);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    options.signal?.throwIfAborted();
    const whole = this.#next(messages);
    const pieces =
      whole.tool_calls?.length === 0
        ? (whole.text.match(/\S+\s*/g) ?? []).map((text) => new AIMessageChunk(text))
        : [
            new AIMessageChunk({
              content: '',
              tool_call_chunks: (whole.tool_calls ?? []).map(({ name, args, id }, index) => ({
                name,
                args: JSON.stringify(args),
                id: id as string,
                index,
                type: 'tool_call_chunk' as const,
              })),
            }),
          ];
    for (const message of pieces) {
      yield new Chunk({ text: message.text, message });
      await run?.handleLLMNewToken(message.text);
    }
  }
}

/** What the model got in its nth call. */
export function prompt(model: Scripted, call: number) {
  const given = model.got[call] ?? [];
  return {
    system: given.find((m) => m.type === 'system')?.text,
    users: given.filter((m) => m.type === 'human').map((m) => m.text),
    outputs: given
      .filter((m) => m.type === 'tool')
      .map((m) => ({ text: m.text, status: (m as unknown as { status?: string }).status ?? 'success' })),
  };
}
