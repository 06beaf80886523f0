/** A second, slow telling of docs/semantics.md 6, made from its text alone: what one fire of a gate comes to. */

export type Word = 'none' | 'allow' | 'ask' | 'defer' | 'deny';

export interface Answer {
  readonly verdict?: Exclude<Word, 'none'>;
  /** The rewrite it makes. */
  readonly to?: string;
  /** `continue: false`, from code. */
  readonly bails?: true;
  readonly throws?: 'always' | 'reask';
  /** It answers `{ async: true }`. */
  readonly leaves?: true;
}

export interface Handler {
  readonly name: string;
  /** 1 the host, 2 the session, 3 the parent agent, 4 the agent that is fired in. */
  readonly depth: 1 | 2 | 3 | 4;
  readonly stage: number;
  readonly parallel: boolean;
  readonly rewriter: boolean;
  readonly onFailure: 'continue' | 'ask' | 'block';
  /** The letters it is asked about, and what it answers. */
  readonly on: Readonly<Record<string, Answer>>;
}

export interface Expected {
  readonly verdict: Word;
  readonly at: string;
  readonly touched: boolean;
  readonly asked: readonly string[];
  readonly conflicts: readonly (readonly [winner: string, loser: string])[];
  readonly decidedBy: string | undefined;
  readonly overruled: readonly string[];
  readonly failed: readonly string[];
  readonly bailed: boolean;
  /** What each that was asked stands for in the end. */
  readonly words: ReadonlyMap<string, Word>;
}

interface Member {
  readonly handler: Handler;
  readonly place: number;
  times: number;
  /** The moment in history whose input it was given last. */
  given: number;
  /** The moment that its last rewrite brought about, or found. */
  made: number | undefined;
  everRewrote: boolean;
  lastRewrote: boolean;
  word: Word;
  failed: boolean;
  allowGone: boolean;
  left: boolean;
  /** It ended the run: its deny stands under every fold. */
  ended: boolean;
}

const STRENGTH: readonly Word[] = ['none', 'allow', 'ask', 'defer', 'deny'];
const stronger = (a: Word, b: Word): Word => (STRENGTH.indexOf(b) > STRENGTH.indexOf(a) ? b : a);

export function expected(handlers: readonly Handler[], start: string, fold: 'strictest' | 'first' | 'last'): Expected {
  const plan = handlers
    .toSorted((a, b) => a.depth - b.depth || a.stage - b.stage)
    .map(
      (handler, place): Member => ({
        handler,
        place,
        times: 0,
        given: -1,
        made: undefined,
        everRewrote: false,
        lastRewrote: false,
        word: 'none',
        failed: false,
        allowGone: false,
        left: false,
        ended: false,
      }),
    );
  const history = [start];
  const asked: string[] = [];
  const conflicts: [string, string][] = [];
  let owner: Member | undefined;
  let bailed = false;
  let touched = false;
  const moment = (): number => history.length - 1;
  const input = (): string => history[moment()] as string;
  const matches = (m: Member): boolean => Object.hasOwn(m.handler.on, input());

  /** Every wave of those that are wanted, beginning at a place; the places are looked at one after the other. */
  function wave(from: number, wanted: (m: Member) => boolean): Member[] {
    const first = plan.find((m) => m.place >= from && wanted(m));
    if (!first) return [];
    if (!first.handler.parallel) return [first];
    const { depth, stage } = first.handler;
    const found: Member[] = [];
    for (const m of plan.slice(first.place).filter(wanted)) {
      if (!m.handler.parallel || m.handler.depth !== depth || m.handler.stage !== stage) break;
      found.push(m);
    }
    return found;
  }

  function ask(members: readonly Member[]): void {
    const given = moment();
    const letter = input();
    const lord = owner;
    let accepted: Member | undefined;
    for (const m of members) {
      const again = m.times++ > 0;
      const answer = m.handler.on[letter] as Answer;
      asked.push(`${m.handler.name}:${letter}${again ? '?' : ''}`);
      m.given = given;
      m.made = undefined;
      m.lastRewrote = false;
      m.left = answer.leaves === true;
      if (answer.throws === 'always' || (answer.throws === 'reask' && again)) {
        m.left = false;
        m.failed = true;
        if (again && m.word === 'allow') m.allowGone = true;
        continue;
      }
      if (m.left && again) {
        // It has not judged the new input.
        if (m.word === 'allow') m.allowGone = true;
        continue;
      }
      m.failed = false;
      m.allowGone = false;
      m.word = m.left ? 'none' : (answer.verdict ?? 'none');
      if (m.handler.rewriter) m.word = 'none';
      if (m.left) continue;
      if (answer.bails) {
        m.word = 'deny';
        m.ended = true;
        bailed = true;
      }
      if (answer.to === undefined) continue;
      touched = true;
      m.lastRewrote = true;
      if (answer.to === letter || answer.to === input()) {
        m.made = answer.to === letter ? given : moment();
        continue;
      }
      const rival = again && m.everRewrote ? lord : undefined;
      m.everRewrote = true;
      if (rival && !beats(m, rival)) {
        conflicts.push([rival.handler.name, m.handler.name]);
        continue;
      }
      if (accepted ?? rival) conflicts.push([m.handler.name, ((accepted ?? rival) as Member).handler.name]);
      history.push(answer.to);
      m.made = moment();
      owner = m;
      accepted = m;
    }
  }

  for (let from = 0; !bailed; ) {
    const next = wave(from, matches);
    if (next.length === 0) break;
    ask(next);
    from = (next.at(-1) as Member).place + 1;
  }
  const judged = (m: Member): boolean => m.given === moment() || m.made === moment();
  const due = (m: Member): boolean => matches(m) && (m.times === 0 || (!m.handler.rewriter && !m.left && !judged(m)));
  while (!bailed && moment() > 0) {
    const next = wave(0, due);
    if (next.length === 0) break;
    ask(next);
  }

  const words = new Map<string, Word>();
  for (const m of plan) {
    if (m.times === 0 || (m.left && m.word === 'none' && !m.failed)) continue;
    const holds = !m.allowGone && (m.lastRewrote ? m.made === moment() : m.given === moment());
    const own: Word = m.word === 'allow' && !holds ? 'none' : m.word;
    const failure: Word =
      !m.failed || m.handler.onFailure === 'continue' ? 'none' : m.handler.onFailure === 'ask' ? 'ask' : 'deny';
    words.set(m.handler.name, stronger(own, failure));
  }
  const spoken = [...words].filter(([, word]) => word !== 'none');
  const strictest = spoken.reduce<Word>((a, [, b]) => stronger(a, b), 'none');
  const ender = spoken.find(([name, word]) => word === 'deny' && plan.some((m) => m.handler.name === name && m.ended));
  const usual =
    fold === 'first' ? spoken[0] : fold === 'last' ? spoken.at(-1) : spoken.find(([, word]) => word === strictest);
  // The chosen one if it denies before the first that ended the run does.
  const decider = ender && !(usual?.[1] === 'deny' && spoken.indexOf(usual) < spoken.indexOf(ender)) ? ender : usual;
  const verdict = decider?.[1] ?? 'none';
  return {
    verdict,
    at: input(),
    touched,
    asked,
    // Each pair once, however often they rewrite.
    conflicts: conflicts.filter((pair, i) => conflicts.findIndex((one) => `${one}` === `${pair}`) === i),
    decidedBy: decider?.[0],
    overruled: spoken.filter(([, word]) => word !== verdict).map(([name]) => name),
    failed: plan.filter((m) => m.failed).map((m) => m.handler.name),
    bailed,
    words,
  };
}

/** Within one scope the later in plan order; else the outermost, unless it gave that up by its phase. */
function beats(a: Member, b: Member): boolean {
  if (a.handler.depth === b.handler.depth) return a.place > b.place;
  return a.handler.depth < b.handler.depth ? !a.handler.rewriter : b.handler.rewriter;
}
