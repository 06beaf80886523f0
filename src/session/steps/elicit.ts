import { checkKeys, checkOption, type Keys } from '../../values/options.js';
import { checks, FILLED, isObject, type OptionCheck } from '../../values/shape.js';
import { resultOf } from '../../values/waiting/promises.js';
import { tellUser } from '../context.js';
import type { Core } from '../core.js';
import type { OwnFields } from '../options.js';
import { orAborted } from '../questions.js';

/** An answer to an MCP server's question. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A question of an MCP server to the user. */
export interface ElicitOptions extends OwnFields<'Elicitation'> {
  /** Asks the user or approver. Absent: the answer is `cancel`. */
  ask?(
    question: OwnFields<'Elicitation'>,
    context: { readonly signal: AbortSignal },
  ): ElicitAnswer | Promise<ElicitAnswer>;
}

const ELICIT: Keys<ElicitOptions> = {
  mcp_server_name: FILLED,
  message: checks.text,
  mode: checks.text,
  url: checks.text,
  elicitation_id: FILLED,
  requested_schema: checks.object,
  ask: checks.fn,
};

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];
/** What the user typed may be secret. */
const ANSWER: OptionCheck = {
  expected: '{ action: accept | decline | cancel, content?: an object }',
  secret: true,
  accepts: (v) => isObject(v) && ACTIONS.includes(v['action']) && isObject(v['content'] ?? {}),
};

/** The hooks answer, or else the user, whose answer ElicitationResult hooks may replace. */
export async function elicit(
  core: Core,
  options: ElicitOptions,
): Promise<ElicitAnswer & { readonly by: 'hook' | 'person' | 'nobody' }> {
  core.demand('elicit');
  checkKeys(options ?? null, ELICIT, 'elicit: ');
  const { ask, ...fields } = options;
  const { signal } = core;
  const asked = await core.fire('Elicitation', fields, { signal });
  tellUser(core, asked);
  const said = asked.value as Partial<ElicitAnswer> | undefined;
  if (said?.action !== undefined) return answer(said.action, said.content, 'hook');
  if (!ask) return { action: 'cancel', by: 'nobody' };
  const asking = resultOf(() => ask(fields, { signal })) as Promise<ElicitAnswer>;
  const answered = await orAborted(asking, signal, 'Elicitation');
  checkOption('elicit: the answer of ask', answered, ANSWER);
  const { action } = answered;
  // null counts as absent, as everywhere.
  const content = answered.content ?? undefined;
  const { mcp_server_name, elicitation_id, mode } = fields;
  const result = await core.fire(
    'ElicitationResult',
    { mcp_server_name, action, elicitation_id, mode, content },
    { signal },
  );
  tellUser(core, result);
  if (result.blocked) return { action: 'decline', by: 'hook' };
  const changed = result.value as Partial<ElicitAnswer> | undefined;
  if (changed === undefined) return answer(action, content, 'person');
  return answer(changed.action ?? action, changed.content ?? content, 'hook');
}

/** An answer. What the user typed is only passed on with `accept`, so that a hook that declines does not disclose it. */
function answer(action: ElicitAnswer['action'], content: ElicitAnswer['content'], by: 'hook' | 'person') {
  return { action, ...(action === 'accept' && content && { content }), by };
}
