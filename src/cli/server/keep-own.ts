import { isoNow, newHostId } from '../../emit/stamp.js';
import type { CommandAnswer } from '../../server/agent-protocol.js';
import { makeOwnFolder } from '../../server/owned.js';
import { placesOf } from '../../server/places.js';
import { CLAUDE, type Protocol } from '../../server/protocol.js';
import { type UnansweredEvent, unansweredRecord } from '../../server/unanswered.js';
import { isObject, type Json } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { doneWithin } from '../../values/waiting/timer.js';
import type { OwnAnswer } from './own-answer.js';
import { recordsFile, sinkFor } from './record-sink.js';

/** The content of the record of hookscope's own answer. */
export function unansweredBy({ reason, told }: OwnAnswer, answer: CommandAnswer, protocol: Protocol): UnansweredEvent {
  const { ours, fold, quiet, agent } = protocol;
  return {
    event: told?.event ?? ours,
    fold,
    input: told?.input ?? {},
    reason,
    stops: answer.code === 2 || (answer.code === 0 && answer.stdout !== quiet),
    isClient: agent === CLAUDE,
  };
}

/** Keeps the record of such an answer, which was already given, within `ms` milliseconds. Resolves to why it could not be kept; undefined: it was. Never rejects. */
export async function keepOwn(
  own: OwnAnswer,
  answer: CommandAnswer,
  { protocol, body, ms }: { readonly protocol: Protocol; readonly body: string | undefined; readonly ms: number },
): Promise<string | undefined> {
  return keepRecord(() => {
    const told = own.told ?? readAgain(body, protocol);
    return unansweredBy({ ...own, told }, answer, protocol);
  }, ms);
}

/** The same for an event that hookscope does not know: whether the answer, exit 2, has stopped anything is for the agent to say. */
export async function keepUnknown(
  {
    event,
    reason,
    isClient,
  }: { readonly event: string | undefined; readonly reason: string; readonly isClient: boolean },
  { body, ms }: { readonly body: string | undefined; readonly ms: number },
): Promise<string | undefined> {
  return keepRecord(() => {
    const input = inputIn(body);
    const named = event ?? input['hook_event_name'];
    const name = typeof named === 'string' ? named : 'an event that was not named';
    return { event: name, fold: 'block', input, reason, stops: true, isClient };
  }, ms);
}

async function keepRecord(content: () => UnansweredEvent, ms: number): Promise<string | undefined> {
  const places = placesOf();
  const file = recordsFile(places);
  let unkept: string | undefined;
  try {
    makeOwnFolder(places.state);
    const sink = await sinkFor(file, (message) => {
      unkept ??= message;
    });
    sink.push({ seq: 1, time: isoNow(), host_id: newHostId(), ...unansweredRecord(content()) });
    if (!(await doneWithin(ms, sink.close()))) unkept ??= `Records were not written to ${file} in time`;
  } catch (error) {
    unkept = messageOf(error);
  }
  return unkept;
}

function inputIn(body: string | undefined): Json {
  try {
    const input: unknown = JSON.parse(body ?? '');
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}

/** Undefined if the body cannot be read. */
function readAgain(body: string | undefined, protocol: Protocol): OwnAnswer['told'] {
  try {
    const told = body === undefined ? undefined : protocol.read(body, process.env);
    return isObject(told?.input) ? told : undefined;
  } catch {
    return undefined;
  }
}
