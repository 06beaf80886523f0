import { answersIn, type HookAnswer } from '../../emit/reading/answers.js';
import { duration } from '../../emit/reading/headline.js';
import { valueIn } from '../../emit/reading/value.js';
import type { FireRecord, HandlerRecord, HookResponse } from '../../emit/record.js';
import { plain } from '../../plain.js';
import type { WhyAnswer } from '../../why/answer.js';
import { noHookWords } from '../records/outcome.js';
import { Diff, Json, Text } from './text.js';

interface HooksProps {
  readonly fire: FireRecord;
  readonly answer: WhyAnswer;
  readonly runs: readonly HookResponse[];
}

/** Every hook that was registered: what it said, or why it was not asked. */
export function Hooks({ fire, answer, runs }: HooksProps) {
  const sentences = new Map([...answer.asked, ...answer.not_asked].map(({ id, text }) => [id, text]));
  const answers = answersIn(fire);
  const none = noHookWords(fire);
  return (
    <>
      <h3>Hooks</h3>
      {none !== undefined && <p class="quiet">{none}</p>}
      <ol class="hooks">
        {fire.handlers.map((handler) => (
          <li key={handler.id}>
            <Hook
              handler={handler}
              fire={fire}
              sentence={sentences.get(handler.id) ?? ''}
              runs={runs.filter(({ handler_id: id }) => id === handler.id)}
              answers={answers.get(handler.id) ?? []}
            />
          </li>
        ))}
      </ol>
    </>
  );
}

interface HookProps {
  readonly handler: HandlerRecord;
  readonly fire: FireRecord;
  readonly sentence: string;
  readonly runs: readonly HookResponse[];
  readonly answers: readonly HookAnswer[];
}

function Hook({ handler, fire, sentence, runs, answers }: HookProps) {
  const { decision } = fire;
  const { status, warnings = [], duration_ms: took } = handler;
  const word = status === 'skipped' ? 'not asked' : status === 'ran' ? said(fire, handler, answers) : status;
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
      {answers.map((answer, i) => (
        <Said key={i} answer={answer} again={i > 0} />
      ))}
      {runs.map((run) => (
        <Run key={run.hook_id} run={run} />
      ))}
    </details>
  );
}

/** One answer of a hook: its rewrite of what it was given, and its output. */
function Said({
  answer: { handler, given, rewrite },
  again,
}: {
  readonly answer: HookAnswer;
  readonly again: boolean;
}) {
  const when = again ? ' when asked again' : '';
  return (
    <>
      {rewrite !== undefined && given !== undefined && (
        <Diff
          before={given}
          after={rewrite.value}
          label={`What it was given${when}, and its rewrite${rewrite.dropped ? ', which was dropped' : ''}`}
        />
      )}
      {handler.output !== undefined && <Json value={handler.output} label={`What it said${when}`} />}
    </>
  );
}

function said(fire: FireRecord, handler: HandlerRecord, answers: readonly HookAnswer[]): string {
  const { verdict, would } = handler;
  if (would !== undefined && would !== 'none') return `would ${would}`;
  if (verdict !== undefined && verdict !== 'none') return verdict;
  if (valueIn(fire, handler) !== undefined) return 'gave a value';
  return answers.some(({ rewrite }) => rewrite !== undefined) ? 'rewrote' : 'no opinion';
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
