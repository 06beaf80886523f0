import { types } from 'node:util';

/** Larger values are described only by type and length. */
const MOST_SHOWN = 64 * 1024;

/** Bytes in any of their shapes: a view of a buffer (Uint8Array, Buffer, DataView …), a buffer, a Blob or File. Asks no proxy anything. */
export function isBytes(value: object): boolean {
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return true;
  return !types.isProxy(value) && value instanceof Blob;
}

/**
 * What stands for bytes where only JSON can be: what they are, how many, and as base64 what they hold, if they are few. A Blob's cannot be had
 * at once.
 */
export function bytesAsJson(value: object): Readonly<Record<string, unknown>> {
  if (value instanceof Blob) return { type: nameOf(value), bytes: value.size };
  const bytes = bufferOf(value);
  const said = { type: nameOf(value), bytes: bytes.length };
  return bytes.length > MOST_SHOWN ? said : { ...said, base64: bytes.toString('base64') };
}

/** A copy that may be changed; a Blob, which is immutable, is returned itself. */
export function copyOfBytes(value: object): object {
  if (value instanceof Blob) return value;
  if (types.isAnyArrayBuffer(value)) return value.slice(0);
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  if (value instanceof DataView) return new DataView(Uint8Array.from(bufferOf(value)).buffer);
  return (value as Uint8Array).slice();
}

function bufferOf(value: object): Buffer {
  return ArrayBuffer.isView(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value as ArrayBuffer);
}

const nameOf = (value: object): string =>
  Buffer.isBuffer(value) ? 'Buffer' : Object.prototype.toString.call(value).slice(8, -1);
