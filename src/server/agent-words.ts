import { isDeepStrictEqual } from 'node:util';
import { agentCodec } from '../agents/agents.js';
import type { Answer, Encoded } from '../agents/codec.js';
import { keptLoss } from '../agents/rewrites.js';
import { foldOf } from '../agents/rows.js';
import type { EventRow, Sayable } from '../agents/table.js';
import { HookscopeError } from '../errors.js';
import { eventName } from '../events/catalogue.js';
import type { AnyDecision } from '../host/decide/decision.js';
import { plainLines } from '../plain.js';
import { isObject } from '../values/shape.js';
import { failureWords } from './agent-protocol.js';
import type { Protocol, ToldInput } from './protocol.js';

/** The protocol for an agent's event, by the agent's own name or ours. Throws INVALID_OPTIONS for an unknown agent, and UNKNOWN_EVENT. */
export function agentProtocol(agent: string, given: string, attended = false): Protocol {
  const codec = agentCodec(agent);
  const event = codec.events.some(({ name }) => name === given) ? given : (eventName(given) ?? given);
  // Throws if the agent does not have this event.
  const usual = codec.timeout(event);
  // The keys that each rewrite left out, and that the agent keeps; they are merged into the rewrite before it is encoded.
  const kept = new WeakMap<ToldInput, Set<string>>();
  const encoded = remembered((decision: AnyDecision, told: ToldInput): Encoded => {
    const said = codec.encode(decision as Answer, told.as, { attended, input: told.input });
    const keys = [...(kept.get(told) ?? [])].filter((key) =>
      stays(key, decision.updatedInput, told.input['tool_input']),
    );
    if (keys.length === 0 || said.losses.some(({ what }) => what === 'rewrite')) return said;
    // If the answer is the same with another rewrite, it does not contain the rewrite, so nothing is lost.
    const saying = (updatedInput: unknown): string =>
      codec.encode({ ...decision, updatedInput } as Answer, told.as, { attended, input: told.input }).stdout;
    const isTold = saying({ ...(decision.updatedInput as object), '': keys }) !== saying(undefined);
    return isTold ? { ...said, losses: [...said.losses, keptLoss(codec.title, keys)] } : said;
  });
  const rowNamed = (as: string): EventRow =>
    (codec.events.find(({ name }) => name === as) ?? codec.events.find(({ ours }) => ours === as)) as EventRow;
  const quiet = codec.encode({}, event).stdout;
  const aside = (lines: readonly string[]): string => lines.map((line) => `${plainLines(line)}\n`).join('');
  return {
    agent,
    event,
    ours: rowNamed(event).ours,
    fold: foldOf(rowNamed(event)),
    attended,
    quiet,
    seconds: (configured) => (configured === undefined ? usual : codec.timeout(event, configured)),
    read(text, env) {
      const told = codec.decode(text, env, [event]);
      const [asked, row] = [rowNamed(event), rowNamed(told.as)];
      if (isGate(asked) && row.ours !== asked.ours) {
        const expected = `expected ${asked.name}, which this command was started for, got ${row.name}`;
        throw new HookscopeError('INVALID_INPUT', { event: asked.name, field: 'the name of the event', expected });
      }
      return told;
    },
    settings(told, policy) {
      const keptKeys = new Set<string>();
      kept.set(told, keptKeys);
      return {
        // `session`, because an answer that the agent cannot express is a loss, not the hook's mistake.
        doneBy: 'session',
        ...(keepsKeys(rowNamed(told.as)) ? { keepsKeys: true, keptKeys } : {}),
        ...(policy === 'block' ? { guards: 'block' } : {}),
        losses: (decision) => [...told.losses, ...encoded(decision, told).losses],
      };
    },
    say(decision, told, late = []) {
      const said = late.length === 0 ? decision : withContext(decision, late);
      const { stdout, exitCode, losses } = encoded(said, told);
      const lines = losses
        .filter(({ what }) => !isSilent(rowNamed(told.as), what))
        .map((loss) => lossText(codec.title, loss));
      return { stdout, stderr: aside(lines), code: exitCode };
    },
    fail(reason, policy, told) {
      const said = failureWords(reason, policy);
      const as = told?.as ?? event;
      const { stdout, exitCode } = policy === 'allow' ? codec.encode({}, as) : codec.refuse(said, as);
      return { stdout, stderr: aside([said]), code: exitCode };
    },
  };
}

/** Whether a key still has its old value; another hook may have set it again. */
const stays = (key: string, after: unknown, before: unknown): boolean =>
  isObject(after) && isObject(before) && isDeepStrictEqual(after[key], before[key]);

/** Whether something waits for the answer on this event, so that a payload for another event must be refused. */
const isGate = (row: EventRow): boolean =>
  foldOf(row) === 'gate' || (row.own !== undefined && (row.says.deny ?? row.says.block) !== undefined);

/** Whether the agent merges a rewritten input into the old one, and so keeps keys that were left out. */
function keepsKeys({ says }: EventRow): boolean {
  return says.rewrite !== undefined && 'say' in says.rewrite && says.rewrite.merges === true;
}

/** Whether a part is expressed by silence; such losses are not reported each time. */
function isSilent({ says }: EventRow, what: string): boolean {
  const entry = says[what as Sayable];
  return entry !== undefined && 'silent' in entry;
}

/** A loss as a sentence for the user. */
const lossText = (title: string, { what, why }: { readonly what: string; readonly why: string }): string =>
  `hookscope: ${title} is not told "${what}" as it was decided: ${why}`;

const withContext = (decision: AnyDecision, late: readonly string[]): AnyDecision =>
  ({ ...decision, additionalContext: [...late, ...decision.additionalContext] }) as AnyDecision;

/** Caches the last result, because both the record and the agent's answer need it. */
function remembered<Key extends object, Told, Value>(make: (key: Key, told: Told) => Value) {
  let last: { readonly key: Key; readonly told: Told; readonly value: Value } | undefined;
  return (key: Key, told: Told): Value => {
    if (last === undefined || last.key !== key || last.told !== told) last = { key, told, value: make(key, told) };
    return last.value;
  };
}
