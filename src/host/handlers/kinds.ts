import { HookscopeError } from '../../errors.js';
import type { EventEntry } from '../../events/define.js';
import { nearest } from '../../events/nearest.js';
import { type CommandContext, type CommandOptions, command, commandHandler } from './command-spec.js';
import type { Handler } from './handler.js';

/** A handler made from its description, with the options that the registration itself looks at. */
export interface Made {
  readonly handler: Handler;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What the source of a description adds to its handlers. */
export interface HandlerContext extends CommandContext {}

type Maker = (description: Readonly<Record<string, unknown>>, context: HandlerContext) => Made;

/** One entry a handler type: what its description becomes. */
const KINDS: Readonly<Record<string, Maker>> = {
  command({ type: _, command: line, if: rule, onFailure, once, statusMessage: _message, ...options }, context) {
    const spec = command(line as string, options as CommandOptions);
    const { timeout, async, asyncTimeout, asyncRewake, name } = spec;
    return {
      handler: commandHandler(spec, context),
      options: { timeout, async, asyncTimeout, asyncRewake, name, if: rule, onFailure, once },
    };
  },
};

/** Makes the handler a description tells of. Throws INVALID_HOOKS with the place. */
export function handlerFor(
  description: Readonly<Record<string, unknown>>,
  where: string,
  entry: EventEntry,
  context: HandlerContext = {},
): Made {
  const type = String(description['type']);
  const make = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  const known = Object.keys(KINDS);
  if (!make) {
    const expected = `"${type}" is not a known handler type; there are ${known.join(', ')}`;
    throw new HookscopeError('INVALID_HOOKS', { where: `${where}.type`, expected, nearest: nearest(type, known) });
  }
  if (!(entry.types as readonly string[]).includes(type)) {
    const expected = `${entry.name} does not take "${type}" hooks; it takes ${entry.types.join(', ')} and functions`;
    throw new HookscopeError('INVALID_HOOKS', { where: `${where}.type`, expected });
  }
  try {
    return make(description, context);
  } catch (error) {
    if (!(error instanceof HookscopeError) || error.code !== 'INVALID_OPTIONS') throw error;
    const {
      where: option,
      expected,
      nearest: near,
    } = error.details as { where: string; expected: string; nearest?: string };
    throw new HookscopeError(
      'INVALID_HOOKS',
      { where: `${where}: ${option}`, expected, nearest: near },
      { cause: error },
    );
  }
}
