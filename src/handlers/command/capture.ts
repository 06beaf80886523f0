import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Chunks kept apart before they are joined: a hook that prints byte by byte must not cost an object a byte. */
const JOIN_AT = 256;

/** One output stream of a hook, kept up to a limit. What comes after the limit is read and dropped. */
export interface Capture {
  text(): string;
  /** More came than was kept. */
  readonly tooLarge: boolean;
  /** Another process may still write to it. */
  readonly open: boolean;
  /** Settles when the stream has ended or was closed. */
  readonly closed: Promise<void>;
  /** Keeps nothing from here on, and lets the process end while the other side still holds the stream. */
  abandon(): void;
  destroy(): void;
}

export interface CaptureOptions {
  /** Bytes. */
  readonly limit: number;
  /** Told each new piece as it comes, up to the limit. */
  readonly onPiece?: ((text: string) => void) | undefined;
  /** Told all the text so far when more has come, until it returns true: it has seen enough. */
  readonly onText?: ((text: string) => boolean) | undefined;
}

export function capture(stream: Readable, options: CaptureOptions): Capture {
  const decoder = new StringDecoder('utf8');
  let chunks: Buffer[] = [];
  let size = 0;
  let tooLarge = false;
  let abandoned = false;
  let { onText } = options;
  const text = (): string => Buffer.concat(chunks).toString('utf8');

  stream.on('data', (chunk: Buffer) => {
    if (abandoned || tooLarge) return;
    const kept = chunk.subarray(0, options.limit - size);
    tooLarge = kept.length < chunk.length;
    size += kept.length;
    chunks.push(kept);
    if (chunks.length >= JOIN_AT) chunks = [Buffer.concat(chunks)];
    const piece = options.onPiece && decoder.write(kept);
    if (piece) options.onPiece?.(piece);
    if (onText?.(text())) onText = undefined;
  });
  // A broken pipe ends the output like any other end; what was read counts.
  stream.on('error', () => stream.destroy());
  const closed = new Promise<void>((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
  });

  return {
    text,
    get tooLarge() {
      return tooLarge;
    },
    get open() {
      return !stream.readableEnded && !stream.destroyed;
    },
    closed,
    abandon() {
      abandoned = true;
      if (stream instanceof Socket) stream.unref();
    },
    destroy: () => void stream.destroy(),
  };
}
