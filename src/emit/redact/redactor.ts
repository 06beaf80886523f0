import { HookscopeError } from '../../errors.js';
import { checkKeys } from '../../values/options.js';
import type { HookProgress, HookRecord } from '../record.js';
import { SHAPE_NAMES } from './find/shapes.js';
import { keyOfFile, type MaskKey } from './key.js';
import { Masker } from './masker.js';
import { REDACT, type RedactOptions } from './options.js';
import { MaskedStream } from './stream.js';
import { OURS, withheld } from './withheld.js';

/** Masks secrets in records and texts that are stored or shown. Equal values get equal masks, computed with this machine's key. */
export interface Redactor {
  /** Identifies the key; another key gives other masks. */
  readonly keyId: string;
  /**
   * The record with its secrets masked as `[redacted github-token hmac:0123456789abcdef]`, and `redacted: { key, count }` if there were any. The
   * HookProgress pieces of a hook are read as one text per stream (stdout, stderr, progress): an unfinished line is held back until the next
   * piece. A record that already has `redacted` is returned unchanged. Never throws.
   */
  redact(record: HookRecord): HookRecord;
  /** Masks one text on its own. */
  text(text: string): string;
}

/**
 * Creates a redactor for the option `redact` of sinks and formatters, or for your own use. Throws INVALID_OPTIONS, and FILE for a `keyFile` that
 * cannot be used.
 *
 * ```ts
 * const redact = createRedactor({ keys: ['iban'], patterns: [/\bcust_\w+/] });
 * const sink = ndjsonSink('hooks.ndjson', { redact });
 * sink.attach(host.events$);
 * // At the end of the program.
 * await sink.close();
 * ```
 */
export function createRedactor(options: RedactOptions = {}): Redactor {
  checkKeys(options, REDACT, 'createRedactor: ');
  const { shapes = true, keyFile } = options;
  const wrong = Array.isArray(shapes) ? shapes.find((name) => !SHAPE_NAMES.includes(name)) : undefined;
  if (wrong !== undefined)
    throw new HookscopeError('INVALID_OPTIONS', {
      where: 'createRedactor: shapes',
      expected: `"${wrong}" is not a known shape; there are ${SHAPE_NAMES.join(', ')}`,
    });
  return new RecordRedactor(options, keyFile === undefined ? undefined : keyOfFile(keyFile));
}

let ofMachine: Redactor | undefined;
const ofOptions = new WeakMap<RedactOptions, Redactor>();

/** Reads the option `redact` of sinks and formatters; undefined: nothing is masked. */
export function redactorOf(option: Redactor | RedactOptions | false | undefined): Redactor | undefined {
  if (option === false) return undefined;
  if (option === undefined) {
    ofMachine ??= createRedactor();
    return ofMachine;
  }
  if (isRedactor(option)) return option;
  // Calls with the same options object share a redactor, because it remembers the pieces that it has read.
  const made = ofOptions.get(option) ?? createRedactor(option);
  ofOptions.set(option, made);
  return made;
}

function isRedactor(option: Redactor | RedactOptions): option is Redactor {
  return 'redact' in option && typeof option.redact === 'function';
}

/** The most hooks whose progress is followed at the same time; beyond that, the one that has been silent for longest is forgotten, with the text held back for it. */
const MOST_STREAMS = 1000;
type MaskedStreams = Readonly<Record<'stdout' | 'stderr' | 'text', MaskedStream>>;
type Pieces = Readonly<Record<'stdout' | 'stderr' | 'output', string>>;

class RecordRedactor implements Redactor {
  readonly #masker: Masker;
  readonly #read = new WeakMap<HookRecord, HookRecord>();
  #last: { readonly record: HookRecord; readonly done: HookRecord } | undefined;
  readonly #streams = new Map<string, MaskedStreams>();

  constructor(options: RedactOptions, key: MaskKey | undefined) {
    this.#masker = new Masker(options, key);
  }

  get keyId(): string {
    return this.#masker.key.id;
  }

  text(text: string): string {
    return this.#masker.field('', text) as string;
  }

  redact(record: HookRecord): HookRecord {
    if (record.redacted !== undefined) return record;
    if (this.#last?.record === record) return this.#last.done;
    // A piece of a stream must not be read twice, so all are remembered. For other records the last one is enough: a weak map of all would
    // cost the garbage collector more than masking them again.
    const isPiece = record.type === 'system' && record.subtype === 'hook_progress';
    const done = (isPiece ? this.#read.get(record) : undefined) ?? this.#redacted(record);
    if (isPiece) this.#read.set(record, done);
    this.#last = { record, done };
    return done;
  }

  #redacted(record: HookRecord): HookRecord {
    this.#masker.count = 0;
    let masked: HookRecord;
    try {
      masked = this.#fields(record);
    } catch {
      // What others wrote in a record that cannot be read is withheld.
      masked = withheld(record);
      this.#masker.count += 1;
    }
    const { count } = this.#masker;
    if (count === 0) return masked;
    return Object.freeze({ ...masked, redacted: Object.freeze({ key: this.keyId, count }) });
  }

  #fields(record: HookRecord): HookRecord {
    const pieces = record.type === 'system' ? this.#outputs(record) : undefined;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(record)) {
      if (OURS.has(key)) continue;
      const value = (record as unknown as Record<string, unknown>)[key];
      const masked =
        pieces !== undefined && key in pieces ? pieces[key as keyof Pieces] : this.#masker.field(key, value);
      if (masked === value) continue;
      copy ??= { ...record };
      copy[key] = masked;
    }
    return (copy ?? record) as HookRecord;
  }

  #outputs(record: Extract<HookRecord, { type: 'system' }>): Pieces | undefined {
    if (record.subtype === 'hook_progress') return this.#pieces(record);
    if (record.subtype !== 'hook_response') return undefined;
    this.#streams.delete(record.hook_id);
    const masker = this.#masker;
    const stdout = masker.field('stdout', record.stdout) as string;
    const stderr = masker.field('stderr', record.stderr) as string;
    // A secret that one stream wrote in two pieces is split in the joint output by the other stream's text, so that is not masked separately.
    const isSplit = masker.count > 0 || record.output === record.stderr + record.stdout;
    const hasStreams = record.stdout !== '' || record.stderr !== '';
    return {
      stdout,
      stderr,
      output:
        isSplit && hasStreams && !masker.isChosen('output')
          ? stderr + stdout
          : (masker.field('output', record.output) as string),
    };
  }

  /** Masks a piece of each stream on its own; the joint output is made of their results. */
  #pieces({ hook_id, stdout, stderr, output }: HookProgress): Pieces {
    const streams = this.#streams.get(hook_id) ?? this.#open();
    // The last to be heard is the last in the map.
    this.#streams.delete(hook_id);
    this.#streams.set(hook_id, streams);
    const both = stderr + stdout;
    const told = (stream: keyof MaskedStreams, piece: string, name: keyof Pieces): string => {
      if (this.#masker.isChosen(name)) return piece === '' ? '' : this.#masker.mask(piece);
      return streams[stream].push(piece, (text, from, to, secrets) =>
        this.#masker.piece(text, from, to, secrets, name),
      );
    };
    const pieces = { stdout: told('stdout', stdout, 'stdout'), stderr: told('stderr', stderr, 'stderr') };
    if (this.#masker.isChosen('output')) return { ...pieces, output: output === '' ? '' : this.#masker.mask(output) };
    const text = output.startsWith(both) ? told('text', output.slice(both.length), 'output') : '';
    return { ...pieces, output: pieces.stderr + pieces.stdout + text };
  }

  #open(): MaskedStreams {
    if (this.#streams.size >= MOST_STREAMS) this.#streams.delete(this.#streams.keys().next().value as string);
    const stream = (): MaskedStream => new MaskedStream(this.#masker.finder);
    return { stdout: stream(), stderr: stream(), text: stream() };
  }
}
