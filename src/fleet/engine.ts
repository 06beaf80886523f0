/** The undo of a subscription; safe to call twice. */
export type Stop = () => void;

/** What stands in a channel. */
export interface Posted {
  readonly bytes: Uint8Array;
  /** The engine's own number, which grows with every post of the channel. */
  readonly version: number;
}

/** One record that a host has sent. */
export interface SentRecord {
  readonly host: string;
  /** What deduplicates: a fire's id, or a record's place in its host's stream. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The engine's own number: entries come in its order. */
  readonly place: number;
}

/** What a host has last said of itself. */
export interface Shared {
  readonly host: string;
  readonly bytes: Uint8Array;
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
  /** For people. */
  readonly place: string;
  /** The other side is there now. */
  readonly connected: boolean;
  /** Calls it whenever `connected` has changed. */
  onChange(call: () => void): Stop;
  readonly policy: {
    /** Calls it with what stands in the channel (undefined: nothing), then with every change; goes on after a loss of the connection. */
    watch(channel: string, seen: (posted: Posted | undefined) => void): Stop;
    /** Puts it in place of the version that was there (0: nothing was). Rejects where another is there now. */
    post(channel: string, bytes: Uint8Array, after: number): Promise<number>;
    /** What stood in the channel, as far back as the engine keeps it, the oldest first. */
    history(channel: string): Promise<readonly Posted[]>;
  };
  readonly decisions: {
    /** Resolves when it is kept. The same id twice within the engine's window is one entry. Rejects where that is not certain. */
    append(host: string, id: string, bytes: Uint8Array): Promise<void>;
    /** Entries in order, behind a place (0: from the first on); ends with the last one there is, or goes on until the signal fires. */
    read(after: number, follow?: AbortSignal): AsyncIterable<SentRecord>;
  };
  readonly state: {
    /** What a host says of itself, in place of what it said before. */
    share(host: string, bytes: Uint8Array): Promise<void>;
    /** What every host has said last. */
    all(): Promise<readonly Shared[]>;
  };
  readonly ask: {
    /** Opens a question until the undo is called, or its host is gone; in place of the one with this id. `answered` is handed each answer, and says what its sender is told. */
    open(host: string, id: string, question: Uint8Array, answered: (answer: Uint8Array) => Uint8Array): Stop;
    /** Calls it with each question that waits now, with each that is opened, and with each that waits no more. `failed` is told why nothing is seen. */
    watch(seen: (question: OpenQuestion) => void, failed?: (error: Error) => void): Stop;
    /** Hands an answer to whoever asks; resolves to what it says of it. Rejects where nobody waits for it. */
    answer(host: string, id: string, answer: Uint8Array): Promise<Uint8Array>;
  };
  /** Makes what all of it is kept in, where it is not there yet; for operators. */
  prepare(): Promise<void>;
  /** Ends all that was begun with it. */
  close(): Promise<void>;
}

/** Of teams, hosts, channels and questions, which are parts of subjects and of paths. */
export const FLEET_NAME = /^[A-Za-z0-9_-]{1,64}$/;
