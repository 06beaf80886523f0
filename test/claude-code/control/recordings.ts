import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Json } from './puppet.js';

export interface Entry {
  readonly dir: 'host>cli' | 'cli>host';
  readonly msg: Json & { readonly type: string };
}

export interface RecordedMatcher {
  readonly matcher?: string;
  readonly hookCallbackIds: readonly string[];
  readonly timeout?: number;
  readonly onFailure?: 'block';
}

/** The control protocol between an SDK and Claude Code 2.1.330, both ways. */
export interface Recording {
  readonly name: string;
  readonly file: string;
  readonly entries: readonly Entry[];
  /** The `initialize` request. */
  readonly setUp: Json;
  readonly hooks: Readonly<Record<string, readonly RecordedMatcher[]>>;
  /** The program's requests, in order, and what the recorded host replied. */
  readonly asked: readonly { readonly id: string; readonly request: Json; readonly reply: Json | undefined }[];
  readonly cancelled: readonly string[];
}

const folder = new URL('../../fixtures/control/recorded/', import.meta.url);

export const RECORDINGS: readonly Recording[] = readdirSync(folder).map((file) => read(file));

export function recording(name: string): Recording {
  const found = RECORDINGS.find((one) => one.name === name);
  if (!found) throw new Error(`no recording ${name}`);
  return found;
}

function read(file: string): Recording {
  const path = fileURLToPath(new URL(file, folder));
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as Entry);
  const from = (dir: Entry['dir'], type: string) =>
    entries.filter((entry) => entry.dir === dir && entry.msg.type === type).map(({ msg }) => msg as Json);
  const replies = from('host>cli', 'control_response');
  const setUp = (from('host>cli', 'control_request')[0] as Json)['request'] as Json;
  return {
    name: file.replace('.jsonl', ''),
    file: path,
    entries,
    setUp,
    hooks: (setUp['hooks'] ?? {}) as Recording['hooks'],
    asked: from('cli>host', 'control_request').map((msg) => ({
      id: msg['request_id'] as string,
      request: msg['request'] as Json,
      reply: replies.find((reply) => (reply['response'] as Json)['request_id'] === msg['request_id']),
    })),
    cancelled: from('cli>host', 'control_cancel_request').map((msg) => msg['request_id'] as string),
  };
}
