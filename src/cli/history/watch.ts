import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { afterServer, besideServer } from '../../store/beside.js';
import { mergedStore } from '../../store/merged.js';
import { defaultSocket, foundPlaces, openStores } from '../../store/place.js';
import { stateFolder } from '../../values/user-folders.js';
import { agentIdOf } from '../../why/meaning.js';
import type { Flags } from '../options.js';
import type { Terminal } from '../terminal.js';
import { type FilterFlags, readFilter, scopeOf } from './filter.js';
import { jsonOf } from './history.js';
import { recordLine } from './line.js';
import { type MaskFlags, maskedName, maskOf } from './masked.js';
import type { StoreFlags } from './open.js';

type WatchFlags = StoreFlags & Omit<FilterFlags, 'since' | 'until'> & MaskFlags & Flags<'json'>;

/** Prints records as they come, until the user interrupts. */
export async function watchCommand(_args: readonly string[], flags: WatchFlags, terminal: Terminal): Promise<number> {
  const filter = readFilter(flags);
  const places = flags.store === undefined ? await waitForPlaces(terminal) : [flags.store];
  if (places.length === 0) return 0;
  const named = await openStores(places, { note: terminal.tell }, (_, error) =>
    terminal.tell(`${error.message} What is in the other file is shown.`),
  );
  // The server sends the fires that it answers; those that commands answer themselves are in a file beside it. A record in both is shown once.
  const isBeside = flags.store === undefined && places.includes(defaultSocket());
  const store = isBeside ? mergedStore([named, afterServer(besideServer(stateFolder(), terminal.tell), named)]) : named;
  const absent = places.every((place) => !/^https?:/.test(place) && !existsSync(place));
  terminal.tell(`watching ${named.place}${absent ? ', which does not exist yet' : ''}; Ctrl-C ends it`);
  const mask = maskOf(flags);
  const paints = agentPaints(terminal.color);
  const stop = new AbortController();
  const end = (): void => stop.abort();
  terminal.signal.addEventListener('abort', end);
  if (terminal.signal.aborted) end();
  try {
    await filter.checkEvent(named, true);
    for await (const record of store.follow(stop.signal)) {
      // `maybe` is shown: the type of an agent that was already running may never become known.
      if (filter.match(record) === 'no') continue;
      const scope = scopeOf(record);
      const agentPaint = paints(agentIdOf(record) ?? (scope === 'main' ? undefined : scope));
      const shown = mask.record(record);
      const agent = mask.text(filter.agentOf(shown));
      await terminal.print(
        flags.json
          ? jsonOf(shown)
          : recordLine(shown, {
              color: terminal.color,
              agent,
              agentPaint,
              decider: maskedName(filter.deciderOf(record), mask),
              slow: filter.slow,
              hook: flags.hook,
              today: true,
            }),
      );
      if (terminal.gone) break;
    }
  } finally {
    terminal.signal.removeEventListener('abort', end);
    await store.close();
  }
  return 0;
}

/** Milliseconds between two looks for something to watch. */
const PAUSE = 300;

/** Empty if the user interrupts before there is anything to watch. */
async function waitForPlaces(terminal: Terminal): Promise<string[]> {
  let told = false;
  while (!terminal.signal.aborted) {
    const places = await foundPlaces(terminal.tell);
    if (places.length > 0) return places;
    if (!told) terminal.tell('nothing is kept yet, and no server runs; waiting for one of them');
    told = true;
    await sleep(PAUSE, undefined, { signal: terminal.signal }).catch(() => undefined);
  }
  return [];
}

const COLORS = [
  'cyan',
  'magenta',
  'yellow',
  'green',
  'blue',
  'cyanBright',
  'magentaBright',
  'yellowBright',
  'greenBright',
  'blueBright',
] as const;

/** One colour for each agent, by its id: the same in every run, unless another agent in this run already has it. */
export function agentPaints(color: boolean): (id: string | undefined) => (text: string) => string {
  const given = new Map<string, number>();
  return (id) => {
    if (!color) return (text) => text;
    if (id === undefined) return (text) => styleText('bold', text, { validateStream: false });
    let place = given.get(id);
    if (place === undefined) {
      const taken = new Set(given.values());
      place = hashOf(id) % COLORS.length;
      for (let tries = 1; taken.has(place) && tries < COLORS.length; tries++) place = (place + 1) % COLORS.length;
      // More agents than colours share them. After 1000 agents all are forgotten, which bounds the memory.
      if (given.size >= 1000) given.clear();
      given.set(id, place);
    }
    const style = COLORS[place] as (typeof COLORS)[number];
    return (text) => styleText(style, text, { validateStream: false });
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
