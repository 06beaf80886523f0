import type { Attributes, Context, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { NAME } from './names.js';

/** A span's name in two parts, of which the second is somebody else's text, and its first attributes. */
export interface Beginning {
  readonly does: string;
  readonly what: string | undefined;
  readonly attributes: Attributes;
}

/** Made by a host and never a free text: each is new, so that masking it would be dear. */
const OURS: ReadonlySet<string> = new Set([NAME.fireId, NAME.hostId]);
/** Texts that are masked once: names come again with every fire, ids of sessions and calls a few times. */
const REMEMBERED = 1000;
/** Longer ones are no names, and would take much memory. */
const LONG = 256;

export type Mask = (text: string) => string;

/** The only place where spans get names and attributes, so that each text is masked, whatever it is: a session may be named by a secret, too. */
export class MaskedSpans {
  readonly #tracer: Tracer;
  readonly #mask: Mask | undefined;

  /** Without `mask` nothing is masked. */
  constructor(tracer: Tracer, mask: Mask | undefined) {
    this.#tracer = tracer;
    this.#mask = mask;
  }

  start({ does, what, attributes }: Beginning, options: SpanOptions, context: Context): Span {
    const name = what === undefined ? does : `${does} ${this.#mask?.(what) ?? what}`;
    return this.#tracer.startSpan(name, { ...options, attributes: this.#masked(attributes) }, context);
  }

  set(span: Span, attributes: Attributes): void {
    span.setAttributes(this.#masked(attributes));
  }

  /** What people typed and tools said. It comes from a record that was masked as a whole, which finds more than one text alone does. */
  setContent(span: Span, masked: Attributes): void {
    span.setAttributes(masked);
  }

  /** In place: it was made for this span. */
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

/** The same, for texts that come again. */
export function remembered(mask: Mask): Mask {
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
