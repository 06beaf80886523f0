/** The undo of a subscription; safe to call twice. */
export type Stop = () => void;

/** A version of a channel's content. */
export interface Posted {
  readonly bytes: Uint8Array;
  /** The engine's own number, which grows with every post of the team, whatever its channel: it says which of two came first. */
  readonly version: number;
  /** When it was posted, ISO 8601, by the engine's own clock; absent: the engine does not say. */
  readonly at?: string;
}

/** One record that a host has sent. */
export interface SentRecord {
  readonly host: string;
  /** The key for deduplication: a fire's id, or a record's place in its host's stream. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The engine's own number: entries come in its order. */
  readonly place: number;
}

/** The last state that a host has shared. */
export interface Shared {
  readonly host: string;
  readonly bytes: Uint8Array;
  /** Milliseconds since then, by the engine's own clock: hosts may have another time. */
  readonly age?: number;
}

/** A question that waits for an answer, or has been settled. */
export interface OpenQuestion {
  readonly host: string;
  readonly id: string;
  /** Absent: it does not wait any more. */
  readonly bytes?: Uint8Array;
}

/**
 * What the fleet asks of whatever carries it: four verbs (watch policy, append decisions, share state, ask), each with what an operator does at the other
 * end. A team is part of the engine. `memoryEngine()` and NATS pass one table of tests. Hosts, channels and ids of questions are names of letters, digits,
 * `_` and `-`.
 */
export interface FleetEngine {
  /** Where it connects to, for people. */
  readonly place: string;
  /** The other side is there now. */
  readonly connected: boolean;
  /** While it is not there: what came of the last attempt, for people; absent where that was told already. */
  readonly problem?: string | undefined;
  /** Calls it whenever `connected` has changed. */
  onChange(call: () => void): Stop;
  /** Beside each channel there are two more of its name, with `.canary` and `.keys` behind it. */
  readonly policy: {
    /** Calls `seen` with the channel's content (undefined: nothing), then with every change; after a loss of the connection with what is there then, changed or not. */
    watch(channel: string, seen: (posted: Posted | undefined) => void): Stop;
    /** Replaces version `after` (0: there was none). Rejects if another version is there now. */
    post(channel: string, bytes: Uint8Array, after: number): Promise<number>;
    /** Throws where so much can never be posted; absent: `post` says so. */
    fits?(bytes: Uint8Array): void;
    /** Earlier contents of the channel, as far back as the engine keeps them, the oldest first. */
    history(channel: string): Promise<readonly Posted[]>;
    /** Those after a version (0: all), with the rights of a host; absent: `history` is. Rejects where they cannot be read now. */
    past?(channel: string, after: number): Promise<readonly Posted[]>;
  };
  readonly decisions: {
    /** Resolves when it is kept. The same id twice within the engine's window is one entry. Rejects where that is not certain. */
    append(host: string, id: string, bytes: Uint8Array): Promise<void>;
    /** Entries in order, after a place (0: from the first on). Ends with the last entry, or continues until the signal fires. */
    read(after: number, follow?: AbortSignal): AsyncIterable<SentRecord>;
  };
  readonly state: {
    /** Replaces the state that the host shared before. */
    share(host: string, bytes: Uint8Array): Promise<void>;
    /** The last state of every host. */
    all(): Promise<readonly Shared[]>;
  };
  readonly ask: {
    /** Opens a question until it is closed or its host is gone; replaces one with the same id. `answered` gets each answer and returns the reply to its sender. */
    open(host: string, id: string, question: Uint8Array, answered: (answer: Uint8Array) => Uint8Array): Stop;
    /** Calls it with each question that waits now, each that is opened, and each that waits no longer. `failed` gets the reason if nothing can be seen. */
    watch(seen: (question: OpenQuestion) => void, failed?: (error: Error) => void): Stop;
    /** Sends an answer to the host that asks; resolves to its reply. Rejects if no one is waiting for the answer. */
    answer(host: string, id: string, answer: Uint8Array): Promise<Uint8Array>;
  };
  /** Makes what all of it is kept in, where it is not there yet; for operators. */
  prepare(): Promise<void>;
  /** Ends all that was begun with it. */
  close(): Promise<void>;
}

/** How many bundles of a channel are kept, so that an older one can be restored. Changes of keys are kept besides, as many of them. */
export const KEPT_POSTS = 32;

/** Names of teams, hosts, channels and questions, which are parts of subjects and of paths. */
export const FLEET_NAME = /^[A-Za-z0-9_-]{1,64}$/;
