import type { z } from 'zod';
import { HookscopeError } from '../../errors.js';
import { isTooDeep } from '../../files/nesting.js';
import { sha256 } from '../../values/sha256.js';
import { isObject } from '../../values/shape.js';
import { schema, zod } from '../../values/zod.js';
import { isSignedBy, type SigningKey } from './keys.js';
import { type BundleManifest, manifestSchema } from './manifest.js';
import { isBelow, overlapOf, whyNoPath } from './paths.js';

/** Bytes of a whole bundle, as it is sent: what a broker takes as one message. Looked at before anything is read. */
export const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 500;
const FORM = 'hookscope-bundle/1';

const MOST_SIGNATURES = 100;

/** An object of texts, counted before any of them is looked at. */
const texts = (most: number) =>
  zod().custom<Readonly<Record<string, string>>>(
    (value) =>
      isObject(value) &&
      Object.keys(value).length <= most &&
      Object.values(value).every((one) => typeof one === 'string'),
    { error: `expected an object of at most ${most} texts` },
  );

const envelopeSchema = schema(() =>
  zod().strictObject({
    form: zod().literal(FORM),
    /** The very bytes that are signed, so that there is nothing to agree on. */
    manifest: zod().string(),
    /** By public key. */
    signatures: texts(MOST_SIGNATURES),
    files: texts(MOST_FILES),
  }),
);

/** The signed part of a bundle, parsed; its signatures were not checked. */
export interface SealedBundle {
  readonly manifest: BundleManifest;
  /** Whether this key signed the manifest, and with it the hash of every file. */
  isSignedBy(key: string): boolean;
  /** The keys that it says have signed it. */
  readonly signers: readonly string[];
  /** For errors: its channel, revision and sequence. */
  readonly name: string;
  /** SHA-256 of what was signed: two bundles of one id are the same one, whatever became of their files on the way. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A bundle with its files, which are as its manifest says. */
export interface Bundle extends SealedBundle {
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Why nothing signed like this counts; undefined: it may. */
type WhyNot = (isSignedBy: SealedBundle['isSignedBy']) => string | undefined;

/** Bytes of a manifest that is read whoever has signed it, so that a refusal can say its name: reading a larger one takes a host's time. */
const SMALL = 16 * 1024;

type Envelope = z.infer<ReturnType<typeof envelopeSchema>>;

/** A bundle's name for people. */
export const nameOf = ({
  channel,
  revision,
  sequence,
}: Pick<BundleManifest, 'channel' | 'revision' | 'sequence'>): string => `${channel} ${revision} (${sequence})`;

/** The signed bytes; the format's name in them keeps the signature from being valid for anything else. */
const signed = (manifest: Uint8Array): Buffer => Buffer.concat([Buffer.from(`${FORM}\0`), manifest]);

/** Makes a bundle. Throws BUNDLE_REFUSED for what no host would take. */
export function packBundle(
  about: Omit<BundleManifest, 'files'>,
  files: ReadonlyMap<string, Uint8Array>,
  keys: readonly SigningKey[],
): Uint8Array {
  const listed = Object.fromEntries(
    [...files].map(([path, bytes]) => [path, { sha256: sha256(bytes), bytes: bytes.length }]),
  );
  const manifest = Buffer.from(JSON.stringify({ ...about, files: listed }));
  const envelope = {
    form: FORM,
    manifest: manifest.toString('base64'),
    signatures: Object.fromEntries(
      keys.map((key) => [key.id, Buffer.from(key.sign(signed(manifest))).toString('base64')]),
    ),
    files: Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])),
  };
  const bytes = Buffer.from(JSON.stringify(envelope));
  readBundle(bytes);
  return bytes;
}

/**
 * Reads a bundle and compares its files with its manifest. Throws BUNDLE_REFUSED with the reason; nothing of it counts before its signatures do: `whyNot` is
 * asked about them as soon as they can be checked.
 */
export function readBundle(bytes: Uint8Array, whyNot?: WhyNot): Bundle {
  const { envelope, ...sealed } = unseal(bytes, whyNot);
  const { manifest, name } = sealed;
  const no = (reason: string): never => refuse(reason, name);
  checkPlaces(manifest, no);
  const names = Object.keys(envelope.files);
  const missing = Object.keys(manifest.files).find((path) => !Object.hasOwn(envelope.files, path));
  if (missing !== undefined) no(`its manifest lists ${missing}, which is not in it`);
  const files = new Map<string, Buffer>();
  for (const path of names) {
    const listed = Object.hasOwn(manifest.files, path) ? manifest.files[path] : undefined;
    if (listed === undefined) return no(`${path} is in it and not in its manifest`);
    const content = decode(envelope.files[path] as string) ?? no(`${path} is no base64`);
    if (content.length !== listed.bytes || sha256(content) !== listed.sha256)
      no(`${path} is not what its manifest says: its SHA-256 is ${sha256(content)}`);
    files.set(path, content);
  }
  return { ...sealed, files };
}

/** Reads what a bundle has signed, whether or not its files are there. `whyNot`: as for `readBundle`. Throws BUNDLE_REFUSED. */
export function readSealed(bytes: Uint8Array, whyNot?: WhyNot): SealedBundle {
  const { envelope: _, ...sealed } = unseal(bytes, whyNot);
  return sealed;
}

/** What proves which keys a bundle has named: without its files, and without signatures of other keys than these. */
export function withoutFiles({ bytes, signers }: SealedBundle, keys: readonly string[] = signers): SealedBundle {
  const { form, manifest, signatures } = unseal(bytes).envelope;
  const kept = Object.fromEntries(Object.entries(signatures).filter(([key]) => keys.includes(key)));
  return readSealed(Buffer.from(JSON.stringify({ form, manifest, signatures: kept, files: {} })));
}

function refuse(reason: string, name = 'that was sent'): never {
  throw new HookscopeError('BUNDLE_REFUSED', { bundle: name, reason });
}

function unseal(bytes: Uint8Array, whyNot?: WhyNot): SealedBundle & { readonly envelope: Envelope } {
  if (bytes.length > MOST_BYTES)
    refuse(`it has ${bytes.length} bytes, more than ${MOST_BYTES}: make two channels of it`);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) refuse('it is compressed, and bundles are not');
  const envelope = parse(bytes, envelopeSchema(), 'it');
  const manifestBytes = decode(envelope.manifest) ?? refuse('its manifest is no base64');
  const message = signed(manifestBytes);
  const isSignedByKey = (key: string): boolean => {
    const text = Object.hasOwn(envelope.signatures, key) ? envelope.signatures[key] : undefined;
    const signature = text === undefined ? undefined : decode(text);
    return signature !== undefined && isSignedBy(key, message, signature);
  };
  const why = manifestBytes.length > SMALL ? whyNot?.(isSignedByKey) : undefined;
  if (why !== undefined) refuse(why);
  const manifest = parse(manifestBytes, manifestSchema(), 'its manifest');
  const [name, id] = [nameOf(manifest), sha256(manifestBytes)];
  return { manifest, name, id, bytes, isSignedBy: isSignedByKey, signers: Object.keys(envelope.signatures), envelope };
}

/** Its roots, and that its files lie below them. */
function checkPlaces({ roots, files }: BundleManifest, no: (reason: string) => never): void {
  for (const path of [...roots, ...Object.keys(files)]) {
    const why = whyNoPath(path);
    if (why !== undefined) no(why);
  }
  for (const [i, root] of roots.entries()) {
    const both = overlapOf([root], roots.slice(i + 1));
    if (both) no(`its roots ${both[0]} and ${both[1]} overlap`);
  }
  const outside = Object.keys(files).find((path) => !roots.some((root) => isBelow(root, path)));
  if (outside !== undefined) no(`${outside} lies below none of its roots (${roots.join(', ')})`);
}

function parse<Schema extends z.ZodType>(bytes: Uint8Array, shape: Schema, what: string): z.infer<Schema> {
  const text = Buffer.from(bytes).toString('utf8');
  if (isTooDeep(text)) refuse(`${what} is nested too deeply`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    refuse(`${what} is not whole, or no JSON: ${(error as Error).message}`);
  }
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return refuse(
    `${what} is not as it should be: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}`,
  );
}

/** Undefined: it is not what an encoder has written. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
