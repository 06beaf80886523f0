/** SHA-256, which pages in a browser need without waiting. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(blocks.buffer).set(bytes);
  blocks.setUint8(bytes.length, 0x80);
  blocks.setUint32(blocks.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  blocks.setUint32(blocks.byteLength - 4, bytes.length << 3);
  const state = Uint32Array.from(START);
  const words = new Uint32Array(64);
  for (let at = 0; at < blocks.byteLength; at += 64) {
    for (let i = 0; i < 64; i++) words[i] = i < 16 ? blocks.getUint32(at + 4 * i) : next(words, i);
    digest(state, words);
  }
  return Array.from(state, (one) => one.toString(16).padStart(8, '0')).join('');
}

function next(words: Uint32Array, i: number): number {
  const [far, near] = [words[i - 15] as number, words[i - 2] as number];
  const first = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
  const second = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
  return (words[i - 16] as number) + first + (words[i - 7] as number) + second;
}

function digest(state: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + at(CONSTANTS, i) + at(words, i)) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  for (const [i, one] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + one;
}

const at = (list: Uint32Array, i: number): number => list[i] as number;
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

const PRIMES: readonly number[] = primes(64);
/** The first 32 bits of the fractional part. */
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const CONSTANTS = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));

function primes(count: number): number[] {
  const found: number[] = [];
  for (let one = 2; found.length < count; one++) if (found.every((prime) => one % prime !== 0)) found.push(one);
  return found;
}
