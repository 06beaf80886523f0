import { types } from 'node:util';

/** In bytes. Larger values are described by type and length only. */
const MOST_SHOWN = 64 * 1024;

/** Whether the value is binary data: a view of a buffer (Uint8Array, Buffer, DataView …), a buffer, a Blob or a File. Runs no trap of a proxy. */
export function isBytes(value: object): boolean {
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return true;
  return !types.isProxy(value) && value instanceof Blob;
}

/**
 * Represents binary data in JSON: its type, its length and, unless it is large, its content as base64. A Blob's content is left out, because it can
 * only be read asynchronously.
 */
export function bytesAsJson(value: object): Readonly<Record<string, unknown>> {
  if (value instanceof Blob) return { type: nameOf(value), bytes: value.size };
  const bytes = bufferOf(value);
  const said = { type: nameOf(value), bytes: bytes.length };
  return bytes.length > MOST_SHOWN ? said : { ...said, base64: bytes.toString('base64') };
}

/** A copy that may be changed. A Blob is immutable and is returned as it is. */
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
