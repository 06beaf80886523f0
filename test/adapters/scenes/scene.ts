import type { z } from 'zod';
import type { HookEvent } from '../../../src/events/catalogue.js';
import type { Session } from '../../../src/session/types.js';

/** A call as the model makes it. */
export type Call = readonly [tool: string, input: unknown];
/** What a model does when it is called: words, calls, an error of its API, or nothing until it is aborted. */
export type Reply = string | readonly Call[] | { readonly status: number; readonly message: string } | 'hangs';

/** A hook: what it says when it is called for the first time, for the second …, and then nothing; or what it always says. */
export interface SceneHook {
  readonly on: HookEvent;
  readonly matcher?: string;
  /** Of the agents of this type alone. */
  readonly agent?: string;
  readonly say?: readonly unknown[];
  readonly always?: unknown;
  readonly throws?: string;
  readonly onFailure?: 'block' | 'ask' | 'continue';
}

export interface SceneAgent {
  readonly script: readonly Reply[];
  readonly tools?: readonly string[];
  /** Agents that it starts itself: by name, as tools. */
  readonly agents?: Readonly<Record<string, SceneAgent>>;
}

/** What a caller gets of a turn, or what it rejects with. */
export type Outcome =
  | {
      readonly status: 'done' | 'blocked' | 'ended' | 'unfinished';
      readonly text?: string;
      readonly reason?: string;
      readonly capped?: boolean;
    }
  | { readonly rejects: string };

export interface Expected {
  /**
   * Every event after SessionStart, in order, each as `agent: Event what`: `PreToolUse read a`, `reader: SubagentStop`. Calls of one model turn are listed one
   * after the other, whatever their order in time was.
   */
  readonly events: readonly string[];
  /** By agent (`main`) what is new in each of its model calls: `system: …`, `user: …`, `tool: …`. */
  readonly heard: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Of each turn, and of what came of the user's answers. */
  readonly outcomes: readonly Outcome[];
  /** What the tools did: `read a`. */
  readonly did: readonly string[];
}

export interface Scene extends SceneAgent {
  readonly name: string;
  /** Default: one, `Go`. */
  readonly prompts?: readonly string[];
  readonly system?: string;
  /** Agents that the conversation can be handed to. */
  readonly handoffs?: Readonly<Record<string, SceneAgent>>;
  readonly hooks?: readonly SceneHook[];
  /** What the session's own rules say. Default `allow`; `none`: it has none, and hooks that say nothing are asked about. */
  readonly rules?: 'allow' | 'deny' | 'ask' | 'none';
  /** What the user says who can be asked at once; absent: nobody; `hangs`: nothing. */
  readonly person?: 'allow' | 'deny' | 'hangs';
  /** What the user says when the turn waits for it. */
  readonly answer?: 'approve' | 'reject';
  /** The program shows the user the inputs as hooks leave them, and not as the framework does. */
  readonly shows?: true;
  readonly maxStops?: number;
  readonly maxSteps?: number;
  /** Done before the first turn. */
  readonly before?: Deed;
  /** Done when the tool `wait` has begun, or the model or the user that hangs is asked. */
  readonly meanwhile?: Deed;
  /** Agents work at the same time: events are compared agent by agent. */
  readonly apart?: boolean;
  /** Stands neither in what a model hears nor in a file of records. */
  readonly secret?: string;
  readonly expect: Expected;
}

export type Deed = 'abort' | 'interrupt' | 'close the host';

/** A tool as a scene has it; the driver makes the framework's own of it. */
export interface SceneTool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  run(input: Record<string, unknown>, context: { readonly signal?: AbortSignal | undefined }): Promise<string>;
}

/** An agent as a driver gets it. */
export interface Cast {
  readonly script: readonly Reply[];
  readonly tools: readonly SceneTool[];
  readonly agents: Readonly<Record<string, Cast>>;
}

/** All that a driver needs for a scene. */
export interface Stage extends Cast {
  readonly session: Session;
  readonly handoffs: Readonly<Record<string, Cast>>;
  readonly system: string | undefined;
  readonly maxSteps: number | undefined;
  readonly onAsk: (() => void) | undefined;
  readonly signal: AbortSignal;
  readonly streams: boolean;
  /** Called by a model that hangs, once it is called. */
  readonly onHang: () => void;
}

/** What one model call was given: its system prompt, and every message of the user and of tools, as `user: …` and `tool: …`. */
export interface Heard {
  readonly system: string | undefined;
  readonly lines: readonly string[];
}

/** A scene under way. */
export interface Player {
  /** One turn. Rejects with what the caller of the framework gets. */
  say(prompt: string): Promise<Outcome>;
  /** The user's answer to what the last turn waits for. */
  answer(approves: boolean): Promise<Outcome>;
  /** What an agent's models were given, call by call; `main`: the main agent's. */
  heard(agent: string): readonly Heard[];
}

/** Where an adapter differs: what it gives instead, or that it cannot be done. Each is checked. */
export type Difference = { readonly why: string } & (
  | { readonly expect: Partial<Expected> }
  | { readonly cannot: true }
);

/** The framework, with its real package and a scripted model. What it cannot do at all it throws as a `Cannot`. */
export interface Driver {
  readonly framework: string;
  /** By the scene's name. */
  readonly differences: Readonly<Record<string, Difference>>;
  play(stage: Stage): Player;
  /** The framework's own way to ask its user in the middle of a tool; what is thrown is its control flow. */
  readonly interrupt?: (question: string) => unknown;
}

/** A scene needs what the framework does not have. */
export class Cannot extends Error {}
