import type { z } from 'zod';
import { wellFormedJson } from '../../plain.js';
import { findProblem } from '../../values/problem.js';
import { schema, zod } from '../../values/zod.js';
import { isSignedBy, type SigningKey } from '../bundle/keys.js';

/** The key of a question. */
const QUESTION_ID = /^[0-9a-f]{12}$/;
/** Bytes of a question; what cannot be shown as a whole is not asked about. And of all that wait at one host. */
export const MOST_BYTES = 256 * 1024;
export const MOST_WAITING = 16 * 1024 * 1024;
/** Characters of an approver's reason. */
export const MOST_REASON = 2_000;

const questionSchema = schema(() =>
  zod().looseObject({
    team: zod().string(),
    host: zod().string(),
    /** The id of this one question. */
    id: zod().string().regex(QUESTION_ID),
    /** The fire, and a keyed hash of its final input: what an answer is bound to. */
    fire: zod().string(),
    input_hmac: zod().string(),
    event: zod().string(),
    /** Secrets in it are masked. */
    input: zod().record(zod().string(), zod().unknown()),
    /** Hooks have replaced the agent's input. */
    rewritten: zod().boolean(),
    reason: zod().string().exactOptional(),
    /** The hooks that ask. */
    hooks: zod().array(zod().string()),
    asked: zod().iso.datetime(),
    deadline: zod().iso.datetime(),
    /** It no longer waits: its result. */
    settled: zod().string().exactOptional(),
  }),
);

const answerSchema = schema(() =>
  zod().strictObject({
    team: zod().string(),
    host: zod().string(),
    id: zod().string(),
    fire: zod().string(),
    input_hmac: zod().string(),
    answer: zod().enum(['allow', 'deny']),
    reason: zod().string().max(MOST_REASON).exactOptional(),
    key: zod().string(),
    /** The machine that it was signed on. */
    from: zod().string().max(64),
    at: zod().iso.datetime(),
  }),
);

/** A question as approvers see it. */
export type AskedQuestion = z.infer<ReturnType<typeof questionSchema>>;
/** An answer as an approver signs it. */
export type SignedAnswer = z.infer<ReturnType<typeof answerSchema>>;
/** The asking host's reply to an answer. */
export interface AnswerReceipt {
  readonly counts: boolean;
  readonly message: string;
}

const PREFIX = 'hookscope answer\n';
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(wellFormedJson(value));
const signedBytes = (body: string): Uint8Array => new TextEncoder().encode(PREFIX + body);

export const writeQuestion: (question: AskedQuestion) => Uint8Array = bytesOf;
export const writeTaken: (taken: AnswerReceipt) => Uint8Array = bytesOf;

/** undefined: it is not a question, or one that no host would ask because it could not be displayed. */
export function readQuestion(bytes: Uint8Array): AskedQuestion | undefined {
  if (bytes.length > MOST_BYTES) return undefined;
  const value = parsed(bytes);
  if (findProblem(questionSchema(), value) !== undefined) return undefined;
  try {
    // A value that is too deeply nested to be serialised cannot be printed.
    JSON.stringify(value);
    return value as AskedQuestion;
  } catch {
    return undefined;
  }
}

export function readTaken(bytes: Uint8Array): AnswerReceipt {
  const { counts, message } = (parsed(bytes) ?? {}) as Partial<AnswerReceipt>;
  return { counts: counts === true, message: typeof message === 'string' ? message : 'the host says nothing of it' };
}

/** The answer, bound to this question, and signed. */
export function signAnswer(
  { team, host, id, fire, input_hmac }: AskedQuestion,
  said: Pick<SignedAnswer, 'answer' | 'from'> & { readonly reason?: string | undefined },
  key: SigningKey,
): Uint8Array {
  const { answer, from, reason } = said;
  const at = new Date().toISOString();
  const why = reason === undefined ? {} : { reason };
  const signed: SignedAnswer = { team, host, id, fire, input_hmac, answer, ...why, key: key.id, from, at };
  const body = wellFormedJson(signed);
  return bytesOf({ body, signature: Buffer.from(key.sign(signedBytes(body))).toString('base64') });
}

/** The answer in these bytes, signed with its key; else why it is not valid. */
export function readSignedAnswer(bytes: Uint8Array): SignedAnswer | string {
  const { body, signature } = (parsed(bytes) ?? {}) as { body?: unknown; signature?: unknown };
  if (typeof body !== 'string' || typeof signature !== 'string') return 'it is no answer';
  const value = parsed(Buffer.from(body));
  if (findProblem(answerSchema(), value) !== undefined) return 'it is no answer';
  const answer = value as SignedAnswer;
  return isSignedBy(answer.key, signedBytes(body), Buffer.from(signature, 'base64'))
    ? answer
    : `the key ${answer.key} has not signed it`;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
