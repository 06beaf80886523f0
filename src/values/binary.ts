/** Of what is larger, only what it is and how long. */
const MOST_SHOWN = 64 * 1024;

/**
 * What stands for bytes where only JSON can be: what they are, how many, and as base64 what they hold, if they are few. Absent: the
 * value is no bytes. A Blob's cannot be had at once.
 */
export function bytesAsJson(value: object): Readonly<Record<string, unknown>> | undefined {
  if (value instanceof Blob) return { type: value instanceof File ? 'File' : 'Blob', bytes: value.size };
  const bytes = asBytes(value);
  if (!bytes) return undefined;
  const said = { type: nameOf(value), bytes: bytes.length };
  return bytes.length > MOST_SHOWN ? said : { ...said, base64: bytes.toString('base64') };
}

/** A copy that whoever has it may change; of a Blob, which nobody can change, the Blob. Absent: the value is no bytes. */
export function copyOfBytes(value: object): object | undefined {
  if (value instanceof Blob) return value;
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return value.slice(0);
  if (!ArrayBuffer.isView(value)) return undefined;
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  if (value instanceof DataView) return new DataView(Uint8Array.from(asBytes(value) as Buffer).buffer);
  return (value as Uint8Array).slice();
}

function asBytes(value: object): Buffer | undefined {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer || value instanceof SharedArrayBuffer ? Buffer.from(value) : undefined;
}

const nameOf = (value: object): string =>
  Buffer.isBuffer(value) ? 'Buffer' : Object.prototype.toString.call(value).slice(8, -1);
