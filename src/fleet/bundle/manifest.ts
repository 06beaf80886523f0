import type { z } from 'zod';
import { schema, zod } from '../../values/zod.js';
import { FLEET_NAME } from '../engine.js';
import { isPublicKey } from './keys.js';

const HASH = /^[0-9a-f]{64}$/;
const key = () =>
  zod().string().refine(isPublicKey, { message: 'expected "ed25519:…", as hookscope fleet keys prints it' });
const keyList = () => zod().array(key()).min(1).max(10);
const time = (accepts: (text: string) => boolean) =>
  zod().string().refine(accepts, { message: 'expected a time in UTC, 2027-01-31T00:00:00Z' });
const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text));
/** A day that a month has not got is read as one of the next month: no author means it, and bundles that were signed with it are taken. */
const isDay = (text: string): boolean => isTime(text) && new Date(text).toISOString().startsWith(text.slice(0, 16));
const share = () => zod().number().min(0).max(1);

/** The fields that an author writes in the folder's `bundle.json`, but for when it expires. */
const authored = {
  /** Folders that are this bundle's own: all its files lie below them, and no other bundle of a host may claim them. */
  roots: zod().array(zod().string()).min(1).max(50),
  /** The share of a host's recent decisions that may change, 0 to 1. Absent: it is not looked at. */
  maxDrift: share().exactOptional(),
  /** Who may answer questions, by name. */
  approvers: zod().record(zod().string(), key()).exactOptional(),
  /** The keys that sign from now on. Each of them signs this bundle, and so does one that hosts know. */
  keys: keyList().exactOptional(),
};

export const authoredSchema = schema(() =>
  zod().strictObject({
    $schema: zod().string().exactOptional(),
    ...authored,
    expires: time(isDay).exactOptional(),
    keys: keyList()
      .refine((keys) => new Set(keys).size === keys.length, { message: 'expected each key once' })
      .exactOptional(),
  }),
);

/** How far a bundle's sequence may be ahead of the last one: with a leap to the largest number, one operator could lock out all others. */
export const MOST_AHEAD = 10_000;
/** The highest number of a bundle. */
export const HIGHEST = 1e12;

export const manifestSchema = schema(() =>
  zod().strictObject({
    ...authored,
    /** The time from which every gate asks. */
    expires: time(isTime).exactOptional(),
    team: zod().string().regex(FLEET_NAME),
    channel: zod().string().regex(FLEET_NAME),
    /** Grows with every bundle of a channel. */
    sequence: zod().int().positive().max(HIGHEST),
    /** The author's own word for it. */
    revision: zod().string().min(1).max(100),
    created: time(isTime),
    /** The share of hosts that takes it, by a hash of their names. */
    canary: share().exactOptional(),
    files: zod().record(
      zod().string(),
      zod().strictObject({ sha256: zod().string().regex(HASH), bytes: zod().int().nonnegative() }),
    ),
  }),
);

/** The part of the manifest that a bundle's author writes. */
export type AuthoredManifest = z.infer<ReturnType<typeof authoredSchema>>;
/** The signed manifest. */
export type BundleManifest = z.infer<ReturnType<typeof manifestSchema>>;
