import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { HookscopeError } from '../../errors.js';
import { readBytes, writeError } from '../../files/json-file.js';

/** A public key as text: `ed25519:` and 32 bytes in base64url. */
const PUBLIC = /^ed25519:([A-Za-z0-9_-]{43})$/;

/** A signer of bundles, or of answers to questions. */
export interface SigningKey {
  /** Its public half, which hosts know it by. */
  readonly id: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** Whether it is the text of a public key. */
export const isPublicKey = (text: string): boolean => PUBLIC.test(text) && keyOf(text) !== undefined;

/** Makes a pair: the private half goes into a file for its owner alone, which must not be there yet. Returns the public one. Throws FILE. */
export function makeKey(file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    const handle = openSync(file, 'wx', 0o600);
    try {
      writeFileSync(handle, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeError(file, error);
    const problem = 'is there already, and a key is never written over';
    throw new HookscopeError('FILE', { file, problem }, { cause: error });
  }
  return idOf(privateKey);
}

/** Reads a private key that `makeKey` has written. Throws FILE. */
export function readKey(file: string): SigningKey {
  const bytes = readBytes(file);
  let key: KeyObject;
  try {
    key = createPrivateKey(bytes);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is a key of the type ${key.asymmetricKeyType}`);
  } catch (error) {
    const problem = `is no ed25519 key to sign with: ${(error as Error).message}; make one with hookscope fleet keys new`;
    throw new HookscopeError('FILE', { file, problem }, { cause: error });
  }
  return { id: idOf(key), sign: (bytes) => sign(null, bytes, key) };
}

/** Whether the key has signed these bytes; false if it is not a key. */
export function isSignedBy(id: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  const key = keyOf(id);
  return key !== undefined && signature.length === 64 && verify(null, bytes, key, signature);
}

function idOf(key: KeyObject): string {
  return `ed25519:${createPublicKey(key).export({ format: 'jwk' }).x}`;
}

function keyOf(id: string): KeyObject | undefined {
  const [, x] = PUBLIC.exec(id) ?? [];
  if (x === undefined) return undefined;
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
