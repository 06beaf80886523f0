import { checkOption } from '../values/options.js';
import { checks, isObject, isText, type OptionCheck } from '../values/shape.js';

const hasFunctions = (value: unknown, ...names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => typeof value[name] === 'function');

const SESSION: OptionCheck = {
  expected: 'a session, as host.openSession() returns it',
  accepts: (v) => hasFunctions(v, 'tool', 'spawn', 'stop'),
};

export const STEPS: OptionCheck = {
  expected: 'the steps of a session, new Steps(session)',
  accepts: (v) => isObject(v) && SESSION.accepts(v['session']),
};

const AGENT: OptionCheck = { expected: 'an agent of the SDK', accepts: (v) => hasFunctions(v, 'asTool') };

export const CONTENT: OptionCheck = {
  expected: 'a text, or a list of blocks',
  accepts: (v) => isText(v) || (Array.isArray(v) && v.every(isObject)),
};

/** What an adapter's function is given first. Throws INVALID_OPTIONS. */
export function checkGiven(name: string, session: unknown, options: unknown, work?: unknown): void {
  checkOption(`${name}(session)`, session, SESSION);
  checkOption(`${name}(…, options)`, options, checks.object);
  if (work !== undefined) checkOption(`${name}(…, options, …)`, work, checks.fn);
}

/** What an adapter makes a tool of, if that is an agent of its SDK. Throws INVALID_OPTIONS. */
export function checkAgentTool(agent: unknown, options: unknown): void {
  checkOption('agentTool(agent)', agent, AGENT);
  checkOption('agentTool(…, options)', options, checks.object);
}
