import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { HookscopeError, isHookscopeError } from '../../errors.js';
import { warn } from '../../plain.js';
import { makeFolder } from '../../values/make-folder.js';
import { stateFolder } from '../../values/user-folders.js';
import { messageOf } from '../../values/waiting/promises.js';

/** The key for the hashes of masked values. */
export interface MaskKey {
  /** Identifies the key without revealing it. */
  readonly id: string;
  /** The first 16 hexadecimal digits of the value's HMAC-SHA256. */
  hash(value: string): string;
}

const BYTES = 32;

function maskKey(bytes: Buffer): MaskKey {
  return {
    id: createHash('sha256').update('hookscope redaction key').update(bytes).digest('hex').slice(0, 8),
    hash: (value) => createHmac('sha256', bytes).update(value).digest('hex').slice(0, 16),
  };
}

let ofProcess: MaskKey | undefined;

/** This machine's key; if it cannot be stored, warns and makes one for this process. */
export function machineKey(): MaskKey {
  if (ofProcess !== undefined) return ofProcess;
  try {
    ofProcess = keyOfFile(join(stateFolder(), 'redact.key'));
  } catch (error) {
    warn(`${messageOf(error)} Until then, masked values can be compared within this process alone.`);
    ofProcess = maskKey(randomBytes(BYTES));
  }
  return ofProcess;
}

/** The key in its file, which is created if it is missing. Throws FILE if others could have chosen its content, or if it is not a key. */
export function keyOfFile(file: string): MaskKey {
  try {
    makeKey(file);
    return maskKey(readKey(file));
  } catch (error) {
    if (isHookscopeError(error)) throw error;
    throw new HookscopeError(
      'FILE',
      { file, problem: `the key of masked values cannot be kept here (${messageOf(error)})` },
      { cause: error },
    );
  }
}

function makeKey(file: string): void {
  const folder = dirname(file);
  makeFolder(folder);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
  // Written elsewhere and then linked, so that another process never reads half a key.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readKey(file: string): Buffer {
  const refuse = (problem: string): never => {
    throw new HookscopeError('FILE', { file, problem: `${problem}; delete it, and the next run makes a new key` });
  };
  if (lstatSync(file).isSymbolicLink())
    refuse('is a symbolic link, and a key is read from no other place than its own');
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { mode, uid } = fstatSync(handle);
    if (!fstatSync(handle).isFile()) refuse('is no regular file');
    if (process.getuid !== undefined && uid !== process.getuid())
      refuse('belongs to another user, who could know the key');
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      chmodSync(file, 0o600);
      warn(
        `${file}: others could read the key of masked values; it is readable by you alone now. Delete it if somebody may have read it: the next run makes a new one.`,
      );
    }
    const text = readFileSync(handle, 'utf8').trim();
    if (!/^[\da-f]{64}$/.test(text)) refuse('holds no key');
    return Buffer.from(text, 'hex');
  } finally {
    closeSync(handle);
  }
}
