import { open } from 'node:fs/promises';
import { HookscopeError } from '../errors.js';
import { linesForward } from '../store/lines.js';
import type { StoreOptions } from '../store/store.js';
import { isObject, type Json } from '../values/shape.js';
import type { RecordedFire, RecordedFires } from './recorded.js';

/** The fires of a session that was recorded as events, one `{"at_ms", "event", "input"}` a line, without hooks or decisions. */
export async function* recordedEvents(place: string, { progress }: StoreOptions = {}): RecordedFires {
  const file = await open(place, 'r');
  try {
    const { size } = await file.stat();
    let number = 0;
    for await (const lines of linesForward(file, size)) {
      for (const { bytes, at } of lines) {
        number += 1;
        const text = bytes.toString('utf8').trim();
        if (text !== '') yield fireAt(text, place, number);
        progress?.((at + bytes.length) / size);
      }
    }
  } finally {
    await file.close();
  }
}

function fireAt(text: string, place: string, number: number): RecordedFire {
  const found = parsed(text);
  const { event, input, at_ms: at } = found ?? {};
  if (typeof event !== 'string' || !isObject(input)) {
    const problem = `line ${number} is no event, {"at_ms", "event", "input"}`;
    throw new HookscopeError('FILE', { file: place, problem });
  }
  const textAt = (key: string): string | undefined => (typeof input[key] === 'string' ? input[key] : undefined);
  return {
    place,
    id: `${number}`,
    time: new Date(typeof at === 'number' ? at : 0).toISOString(),
    event,
    session: textAt('session_id') ?? '',
    agent: textAt('agent_id'),
    agentType: textAt('agent_type'),
    toolUse: textAt('tool_use_id'),
    scope: textAt('agent_id') ?? 'session',
    input: input as Json,
    versions: [],
    hooks: [],
    masked: false,
    truncated: [],
    inferred: ['decision', 'time'],
  };
}

function parsed(text: string): Json | undefined {
  try {
    const found: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
