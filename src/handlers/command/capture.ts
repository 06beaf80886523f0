import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** How many chunks are collected before they are joined. A hook that prints byte by byte must not cost one object per byte. */
const JOIN_AT = 256;

/** One output stream of a hook, kept up to a limit. Output beyond the limit is read and dropped. */
export interface Capture {
  text(): string;
  /** Whether the output exceeded the limit. */
  readonly tooLarge: boolean;
  /** Whether a process may still write to the stream. */
  readonly open: boolean;
  /** Settles when the stream has ended or was closed. */
  readonly closed: Promise<void>;
  /** Drops all further output, and lets this process exit while another one still holds the stream open. */
  abandon(): void;
  destroy(): void;
}

export interface CaptureOptions {
  /** In bytes. */
  readonly limit: number;
  /** Called with each new piece of output, up to the limit. */
  readonly onPiece?: ((text: string) => void) | undefined;
  /** Called with all the text so far whenever there is more, until it returns true. */
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
  // A broken pipe ends the output normally; what was read counts.
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
