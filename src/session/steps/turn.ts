import type { Decision } from '../../host/types.js';
import { checkKeys, checkOption, type Keys } from '../../values/options.js';
import { checks, FILLED } from '../../values/shape.js';
import { resultOf } from '../../values/waiting/promises.js';
import { askAbout, remember, tellUser } from '../context.js';
import type { Core } from '../core.js';
import type { OwnFields } from '../options.js';
import { orAborted } from '../questions.js';
import { afterwards } from '../tool/results.js';

/** Whether to show a notification to the user. */
export interface NotifyAnswer {
  readonly shown: boolean;
  readonly decision: Decision<'Notification'>;
}

/** Fires Notification. A hook from code hides the notification with suppressOutput. */
export async function notify(core: Core, fields: OwnFields<'Notification'>): Promise<NotifyAnswer> {
  const decision = await askAbout(core, 'notify', 'Notification', fields);
  return { shown: !decision.suppressOutput, decision };
}

/** A change of model; all fields but `to_model` have defaults. */
export interface ModelSwitch extends Partial<Omit<OwnFields<'PostModelSwitch'>, 'to_model'>> {
  readonly to_model: string;
  /** Asks the user or approver if a hook asks; true: switch. Absent: the model stays. */
  ask?(reason: string | undefined): boolean | Promise<boolean>;
}

const SWITCH: Keys<ModelSwitch> = {
  from_model: checks.text,
  to_model: FILLED,
  requested_model: checks.text,
  source: checks.text,
  context_tokens: checks.number,
  prompt_cache_warm: checks.flag,
  cache_ttl: checks.text,
  estimated_cache_write_usd: checks.number,
  pricing: checks.text,
  ask: checks.fn,
};

/** The result of `session.switchModel`. */
export interface ModelAnswer {
  readonly switched: boolean;
  readonly reason?: string;
  /** The session's model now. */
  readonly model: string | undefined;
}

/** Sources of automatic switches; for these, PreModelSwitch is not fired. */
const UNASKED: readonly string[] = ['auto', 'resume'];

/** PreModelSwitch and, unless it is refused, PostModelSwitch when the new model is set. */
export async function switchModel(core: Core, options: ModelSwitch): Promise<ModelAnswer> {
  core.demand('switchModel');
  checkKeys(options ?? null, SWITCH, 'switchModel: ');
  const { ask, ...given } = options;
  const fields: OwnFields<'PostModelSwitch'> = {
    from_model: core.model ?? '',
    requested_model: given.to_model,
    source: 'sdk',
    context_tokens: 0,
    prompt_cache_warm: false,
    cache_ttl: '5m',
    estimated_cache_write_usd: 0,
    pricing: 'default',
    ...given,
  };
  if (!UNASKED.includes(fields.source)) {
    const { signal } = core;
    const gate = await core.fire('PreModelSwitch', fields, { signal, canAsk: ask !== undefined });
    tellUser(core, gate);
    const asking = (): Promise<unknown> => resultOf(() => ask?.(gate.reason));
    const asked = gate.verdict === 'ask' && (await orAborted(asking(), signal, 'PreModelSwitch')) !== true;
    if (gate.verdict === 'deny' || asked) {
      return { switched: false, ...(gate.reason === undefined ? {} : { reason: gate.reason }), model: core.model };
    }
  }
  core.switchTo(fields.to_model);
  const switched = await afterwards(core.fire('PostModelSwitch', fields));
  if (switched) remember(core, switched);
  return { switched: true, model: core.model };
}

/** The text to show in place of a piece of the answer; the message itself is not changed. */
export async function display(core: Core, fields: OwnFields<'MessageDisplay'>): Promise<string> {
  core.demand('display');
  checkOption('display(piece)', fields, checks.object);
  const decision = await afterwards(core.fire('MessageDisplay', fields));
  if (decision) tellUser(core, decision);
  return typeof decision?.value === 'string' ? decision.value : fields.delta;
}
