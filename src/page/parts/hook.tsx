import { duration } from '../../emit/headline.js';
import type { FireRecord, HandlerRecord, HookResponse } from '../../emit/record.js';
import { plain } from '../../plain.js';
import { isObject, type Json as JsonObject } from '../../values/shape.js';
import type { WhyAnswer } from '../../why/answer.js';
import { nested, specific, specOf } from '../../why/words.js';
import { Diff, Json, Text } from './text.js';

interface HooksProps {
  readonly fire: FireRecord;
  readonly answer: WhyAnswer;
  readonly runs: readonly HookResponse[];
}

/** Every hook that was registered: what it said, or why it was not asked. */
export function Hooks({ fire, answer, runs }: HooksProps) {
  const sentences = new Map([...answer.asked, ...answer.not_asked].map(({ id, text }) => [id, text]));
  const given = givenTo(fire);
  return (
    <>
      <h3>Hooks</h3>
      {fire.handlers.length === 0 && <p class="quiet">No hook is registered for it.</p>}
      <ol class="hooks">
        {fire.handlers.map((handler) => (
          <li key={handler.id}>
            <Hook
              handler={handler}
              decision={fire.decision}
              sentence={sentences.get(handler.id) ?? ''}
              runs={runs.filter(({ handler_id: id }) => id === handler.id)}
              rewrite={given.get(handler.id)}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

interface Rewrite {
  readonly before: unknown;
  readonly after: unknown;
  readonly dropped: boolean;
}

interface HookProps {
  readonly handler: HandlerRecord;
  readonly decision: FireRecord['decision'];
  readonly sentence: string;
  readonly runs: readonly HookResponse[];
  readonly rewrite: Rewrite | undefined;
}

function Hook({ handler, decision, sentence, runs, rewrite }: HookProps) {
  const { status, output, warnings = [], duration_ms: took } = handler;
  const word = status === 'skipped' ? 'not asked' : status === 'ran' ? said(handler, rewrite) : status;
  return (
    <details open={status !== 'skipped'}>
      <summary>
        <strong>{plain(handler.name).slice(0, 120)}</strong>{' '}
        <span class={`badge ${classOf(handler)}`}>{plain(word)}</span>
        {decision.decidedBy === handler.id && <span class="badge decided">decided</span>}
        {decision.overruled.includes(handler.id) && <span class="badge overruled">overruled</span>}
        {took !== undefined && <span class="quiet"> {duration(took)}</span>}
      </summary>
      <p>{sentence}</p>
      {warnings.map((text) => (
        <p key={text} class="alarming">
          Warning: {plain(text)}
        </p>
      ))}
      {rewrite !== undefined && (
        <Diff
          before={rewrite.before}
          after={rewrite.after}
          label={
            rewrite.dropped
              ? 'What it was given, and its rewrite, which was dropped'
              : 'What it was given, and its rewrite'
          }
        />
      )}
      {output !== undefined && <Json value={output} label="What it said" />}
      {runs.map((run) => (
        <Run key={run.hook_id} run={run} />
      ))}
    </details>
  );
}

function said({ verdict, would }: HandlerRecord, rewrite: Rewrite | undefined): string {
  if (would !== undefined && would !== 'none') return `would ${would}`;
  if (verdict !== undefined && verdict !== 'none') return verdict;
  return rewrite === undefined ? 'no opinion' : 'rewrote';
}

function Run({ run }: { readonly run: HookResponse }) {
  const { stdout, stderr, exit_code: code, outcome, duration_ms: took } = run;
  return (
    <>
      {(code !== undefined || outcome !== 'success') && (
        <p class="quiet">
          {code === undefined ? '' : `Exit code ${code}. `}
          {plain(outcome)}, {duration(took)}
        </p>
      )}
      {stdout !== '' && <Text text={stdout} label="stdout" />}
      {stderr !== '' && <Text text={stderr} label="stderr" />}
    </>
  );
}

function classOf({ status, verdict }: HandlerRecord): string {
  if (status === 'failed') return 'failed';
  if (verdict === 'deny' || verdict === 'block') return 'denied';
  if (verdict === 'ask' || verdict === 'defer') return 'asked';
  return verdict === 'allow' ? 'allowed' : 'quiet';
}

/** What each hook that rewrote was given, and what it made of that: the next one was given the result. */
function givenTo(fire: FireRecord): ReadonlyMap<string, Rewrite> {
  const spec = specOf(fire.event);
  const found = new Map<string, Rewrite>();
  if (spec?.rewrites === undefined) return found;
  const { field, keys, mcpKeys = [] } = spec.rewrites;
  let now: unknown = fire.input[field];
  for (const handler of fire.handlers) {
    const place: JsonObject = spec.nestedDecision ? nested(handler) : specific(handler);
    const key = [...keys, ...mcpKeys].find((one) => Object.hasOwn(place, one));
    if (key === undefined || handler.status !== 'ran') continue;
    const dropped = fire.conflicts.some(({ loser }) => loser === handler.id);
    const after = isObject(place[key]) || typeof place[key] === 'string' ? place[key] : { value: place[key] };
    found.set(handler.id, { before: now, after, dropped });
    if (!dropped) now = place[key];
  }
  return found;
}
