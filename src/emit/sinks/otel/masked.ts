import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { NAME } from './names.js';

/** A span's name in two parts (`what` is text from outside and may need masking), and its first attributes. */
export interface SpanStart {
  readonly does: string;
  readonly what: string | undefined;
  readonly attributes: Attributes;
}

/** Ids that a host makes: they hold no secret, and each is new, so that remembering masked texts would not help. */
const OURS: ReadonlySet<string> = new Set([NAME.fireId, NAME.hostId]);
/** The most masked texts remembered: names recur with every fire, ids of sessions and calls a few times. */
const REMEMBERED = 1000;
/** Texts longer than this are not remembered: they are not names, and would take much memory. */
const LONG = 256;

export type TextMask = (text: string) => string;

/** The only place where spans get names and attributes, so that every text is masked: even a session's name may be a secret. */
export class MaskedSpans {
  readonly #tracer: Tracer;
  readonly #mask: TextMask | undefined;

  /** Without `mask`, nothing is masked. */
  constructor(tracer: Tracer, mask: TextMask | undefined) {
    this.#tracer = tracer;
    this.#mask = mask;
  }

  start({ does, what, attributes }: SpanStart, options: SpanOptions, context: Context): Span {
    const name = what === undefined ? does : `${does} ${this.#mask?.(what) ?? what}`;
    return this.#tracer.startSpan(name, { ...options, attributes: this.#masked(attributes) }, context);
  }

  set(span: Span, attributes: Attributes): void {
    span.setAttributes(this.#masked(attributes));
  }

  /** Contents come masked: they are taken from a record that was masked as a whole, which finds more secrets than masking single texts. */
  setContent(span: Span, masked: Attributes): void {
    span.setAttributes(masked);
  }

  /** Changes the attributes in place: they were made for this span. */
  #masked(attributes: Attributes): Attributes {
    const mask = this.#mask;
    if (mask === undefined) return attributes;
    for (const key in attributes) {
      const value = attributes[key];
      if (typeof value === 'string' && !OURS.has(key)) attributes[key] = mask(value);
    }
    return attributes;
  }
}

/** A mask that remembers its results, for texts that recur. */
export function remembered(mask: TextMask): TextMask {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const masked = mask(text);
    if (text.length > LONG) return masked;
    if (known.size >= REMEMBERED) known.clear();
    known.set(text, masked);
    return masked;
  };
}
