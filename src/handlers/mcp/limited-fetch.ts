const NEWLINE = 10;
const RETURN = 13;

interface MessageLimit {
  /** The most bytes of one message. */
  readonly limit: number;
  readonly onTooLarge: () => void;
}

/** `fetch`, but reading an answer fails once a message in it exceeds the limit. */
export function limitedFetch(limit: MessageLimit): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    // Only a 200 answer with a body contains messages.
    if (response.body === null || response.status !== 200) return response;
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return new Response(counted(response.body, limit, events), response);
  };
}

/** Counts the bytes of each message. In an event stream each event is a message, ended by an empty line; lines end with CR, LF or CRLF. */
function counted(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { limit, onTooLarge }: MessageLimit,
  events: boolean,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let size = 0;
  let lineEnded = false;
  let afterReturn = false;
  const count = (byte: number): void => {
    size += 1;
    const second = byte === NEWLINE && afterReturn;
    afterReturn = byte === RETURN;
    if (second) return;
    const lineEnds = byte === NEWLINE || byte === RETURN;
    if (lineEnds && lineEnded) size = 0;
    lineEnded = lineEnds;
  };
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if (events) value.forEach(count);
      else size += value.length;
      if (size <= limit) return controller.enqueue(value);
      onTooLarge();
      throw new Error(`a message of more than ${limit} bytes`);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
