const NEWLINE = 10;
/** The longest line in bytes: that of the longest possible record. */
const LONGEST = 256 * 1024 * 1024;

/** The lines of a stream, without their newlines; a last line without one is dropped. Throws RangeError if a line is too long. */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let stop = chunk.indexOf(NEWLINE); stop >= 0; stop = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, stop);
      yield pending.length === 0 ? end : Buffer.concat([...pending, end]);
      pending = [];
      held = 0;
      from = stop + 1;
    }
    const rest = chunk.subarray(from);
    held += rest.length;
    if (held > LONGEST) throw new RangeError('a line is longer than a record can be');
    if (rest.length > 0) pending.push(rest);
  }
}
