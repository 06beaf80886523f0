import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The seed of a NATS user, in its own file or among credentials. */
const SEED = /\bSU[A-Z2-7]{56}\b/;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** The PKCS 8 header before the 32 bytes of an ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The public key that a host connects with, in the format of approvers' keys; undefined if it is not a key. */
export function ownKey(credentials: string | undefined): string | undefined {
  if (credentials === undefined) return undefined;
  let seed: string | undefined;
  try {
    [seed] = SEED.exec(readFileSync(credentials, 'utf8')) ?? [];
  } catch {
    // Connecting with it reports the error.
  }
  if (seed === undefined) return undefined;
  const bits = [...seed].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytes.subarray(2, 34)]), format: 'der', type: 'pkcs8' });
  return `ed25519:${createPublicKey(key).export({ format: 'jwk' }).x}`;
}
