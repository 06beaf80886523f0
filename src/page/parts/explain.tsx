import { isGiven } from '../../emit/reading/value.js';
import type { FireRecord, HookRecord, HookResponse } from '../../emit/record.js';
import { specOf } from '../../events/catalogue.js';
import { plain } from '../../plain.js';
import type { RecordQuery } from '../../store/store.js';
import { answerFor, type WhyAnswer } from '../../why/answer.js';
import { endsIn } from '../../why/background.js';
import { isShadow } from '../../why/meaning.js';
import { findInOtherFires, type OtherFires } from '../../why/other-fires.js';
import { callRecords, whatBecame } from '../../why/ran.js';
import { agentName } from '../records/agents.js';
import { recordOf } from '../records/kept.js';
import { gravest, marksOf, OUTCOME_WORDS, OUTCOMES } from '../records/outcome.js';
import type { RowOnPage } from '../records/row.js';
import { kept, selected, until, version } from '../state.js';
import { useEffect, useErrorBoundary, useMemo, useSignal } from '../ui.js';
import { Hooks } from './hook.js';
import { Diff, Json } from './text.js';

/** Why the fire that is selected ended as it did. */
export function Explanation() {
  const row = selected.value;
  return (
    <section class="explanation" aria-label="Explanation">
      {row === undefined ? (
        <p class="quiet">
          Choose a fire, in the lanes or in the list: who was asked and who was not, what they said, who decided, and
          what came of it.
        </p>
      ) : (
        <Explained key={`${row.agent.key} ${row.seq} ${row.at}`} row={row} />
      )}
    </section>
  );
}

function Explained({ row }: { readonly row: RowOnPage }) {
  const [problem] = useErrorBoundary();
  if (problem !== undefined) return <p class="alarming">This record cannot be shown: {plain(String(problem))}</p>;
  return <Recorded row={row} />;
}

function Recorded({ row }: { readonly row: RowOnPage }) {
  const record = useMemo(() => recordOf(row), [row]);
  if (record?.type === 'hook_fire') return <Fire row={row} fire={record} />;
  return <Alarm row={row} record={record} />;
}

const NOWHERE: OtherFires = { sentences: [], changes: [] };

function Fire({ row, fire }: { readonly row: RowOnPage; readonly fire: FireRecord }) {
  version.value;
  const now = momentOf(row);
  const told = useSignal({ fire, now, otherFires: NOWHERE });
  // Until they are found for this moment, none are shown.
  const otherFires = told.value.fire === fire && told.value.now === now ? told.value.otherFires : NOWHERE;
  const { found, others, doubtful } = kept.value.callOf(row, now);
  const runs = kept.value.runsOf(row, now);
  useEffect(() => {
    // A shadow fire asks one hook alone: hooks that its record lacks are not those of another scope.
    if (isShadow(fire)) return undefined;
    let isOver = false;
    const store = kept.value;
    const known = { records: (query?: RecordQuery) => store.records({ ...query, until: now }) };
    void findInOtherFires(known, fire, undefined, (text) => text).then((found) => {
      if (!isOver) told.value = { fire, now, otherFires: found };
    });
    return () => {
      isOver = true;
    };
  }, [fire, now]);
  const agent = agentName(row.agent, kept.value.sessions);
  const outcome = fire.tool_use_id === undefined ? [] : whatBecame(found);
  const { calls } = callRecords(found.records);
  const answer = answerFor(fire, { agent, otherFires, outcome, calls, ends: runs });
  const marks = marksOf(fire, [...endsIn(fire, runs).values()]);
  return (
    <>
      <Title row={row} agent={agent} outcome={gravest(marks)} given={isGiven(fire.decision)} />
      <Sentences title="What was decided" lines={answer.decision} />
      <Sentences title="What came of it" lines={answer.outcome} alarming={isAlarm} />
      <Given fire={fire} />
      <Hooks fire={fire} answer={answer} runs={runs} />
      <Sentences title="Hooks of other scopes" lines={answer.out_of_scope} />
      <Sentences title="What would have to change" lines={answer.changes} />
      <Facts fire={fire} answer={answer} runs={runs} />
      <Others title="The same call" rows={others} />
      <Others title="Perhaps the same call" rows={doubtful} />
    </>
  );
}

/** Records up to this moment are shown: the scrubber's or, if the row is later, the row's own. */
const momentOf = ({ at }: RowOnPage): number => Math.max(until.value ?? Number.POSITIVE_INFINITY, at);

const isAlarm = (line: string): boolean => line.startsWith('ALARM') || line.includes('although it was denied');

function Alarm({ row, record }: { readonly row: RowOnPage; readonly record: HookRecord | undefined }) {
  version.value;
  const { found, others, doubtful } = kept.value.callOf(row, momentOf(row));
  const outcome = whatBecame(found);
  return (
    <>
      <Title row={row} agent={agentName(row.agent, kept.value.sessions)} outcome={row.outcome} />
      <Sentences title="What came of it" lines={outcome} alarming={isAlarm} />
      <Others title="The same call" rows={others} />
      <Others title="Perhaps the same call" rows={doubtful} />
      <Json value={record} label="The alarm's record" />
    </>
  );
}

interface TitleProps {
  readonly row: RowOnPage;
  readonly agent: string;
  /** An index in `OUTCOMES`. */
  readonly outcome: number;
  readonly given?: boolean;
}

function Title({ row, agent, outcome: place, given }: TitleProps) {
  const outcome = OUTCOMES[place] as (typeof OUTCOMES)[number];
  return (
    <>
      <h2 id="explanation" tabIndex={-1}>
        {row.event} {row.about}{' '}
        <span class={`badge ${outcome}`}>
          {given && outcome === 'rewritten' ? 'value given' : OUTCOME_WORDS[outcome]}
        </span>
      </h2>
      <p class="quiet">
        {agent}, <time dateTime={iso(row.at)}>{iso(row.at).replace('T', ' ').replace('Z', ' UTC')}</time>
      </p>
    </>
  );
}

const iso = (at: number): string => new Date(at).toISOString();

interface SentencesProps {
  readonly title: string;
  readonly lines: readonly string[];
  alarming?(line: string): boolean;
}

function Sentences({ title, lines, alarming }: SentencesProps) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line} class={alarming?.(line) ? 'alarming' : undefined}>
            {line}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The input that hooks were given, and what they made of it. */
function Given({ fire }: { readonly fire: FireRecord }) {
  const { input, final_input: final, event } = fire;
  const field = specOf(event)?.rewrites?.field;
  const part = (of: FireRecord['input']): unknown => (field !== undefined && Object.hasOwn(of, field) ? of[field] : of);
  return (
    <>
      <h3>What hooks were given</h3>
      {final === undefined ? (
        <Json value={part(input)} label={field ?? 'input'} />
      ) : (
        <Diff
          before={part(input)}
          after={part(final)}
          label={`${field ?? 'input'}, and what ${isShadow(fire) ? 'it would have made' : 'was made'} of it`}
        />
      )}
      {field !== undefined && Object.hasOwn(input, field) && (
        <details>
          <summary>The whole event</summary>
          <Json value={input} label="input" />
        </details>
      )}
    </>
  );
}

interface FactsProps {
  readonly fire: FireRecord;
  readonly answer: WhyAnswer;
  readonly runs: readonly HookResponse[];
}

function Facts({ fire }: FactsProps) {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Fire', fire.fire_id],
    ['Call', fire.tool_use_id],
    ['Session', fire.session_id],
    ['Scope', fire.scope_known ? fire.scope : `${fire.scope} (nobody had opened it)`],
    ['Fired without a server', fire.stateless ? 'yes' : undefined],
    ['Not in the record', fire.truncated?.join(', ')],
  ];
  return (
    <dl>
      {facts.map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{plain(value)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Other fires under the same id. */
function Others({ title, rows }: { readonly title: string; readonly rows: readonly RowOnPage[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="others">
        {rows.slice(0, 20).map((one) => (
          <li key={`${one.seq} ${one.at}`}>
            <button
              type="button"
              onClick={() => {
                selected.value = one;
              }}
            >
              {one.event} {one.about}: {one.came}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
