import { type FailurePolicy, NOTHING_BLOCKED } from '../../server/agent-protocol.js';
import { agentProtocol } from '../../server/agent-words.js';
import { AGENT } from '../../server/named-set.js';
import { claudeProtocol, type Protocol } from '../../server/protocol.js';
import { type CommandRow, optionsOf } from '../command-row.js';
import type { Terminal } from '../terminal.js';
import { UNANSWERED } from './alarm.js';
import { tellBegun, tellCode } from './last-word.js';
import { readLate } from './late-input.js';
import { isStdoutLost, unheard } from './unheard.js';

/**
 * Answers if the arguments of `hookscope hook` are not understood, as after any other failure: it looks for event, agent and policy among them.
 * The reason is on standard error already. Resolves to the exit code.
 */
export async function answerMisused(
  [, ...words]: readonly string[],
  row: CommandRow,
  reason: string,
  terminal: Terminal,
): Promise<number> {
  const as = valueIn(words, '--as') ?? '';
  // The value of an option may look like an event, so it counts only if no other word does.
  const protocol = protocolIn(withoutValues(words, row), as) ?? protocolIn(words, as);
  if (protocol === undefined) {
    const [event] = withoutValues(words, row).filter((word) => !word.startsWith('-'));
    const { keepUnknown } = await import('./keep-own.js');
    const whole =
      event === undefined ? `${reason}: the command names no event, as hookscope hook PreToolUse does` : reason;
    const about = { event, reason: whole, isClient: as === '' };
    tellUnkept(await keepUnknown(about, { body: await readLate(process.stdin), ms: KEEPING }));
    // Whether an unknown event can be blocked is unknown, too: exit 2 blocks it if it can be.
    return UNANSWERED;
  }
  const policy: FailurePolicy = valueIn(words, '--on-failure') === 'allow' ? 'allow' : 'block';
  const failed = protocol.fail(reason, policy);
  const said = isStdoutLost() ? unheard(failed, protocol, policy) : failed;
  if (policy === 'allow') terminal.tell(NOTHING_BLOCKED);
  tellBegun();
  terminal.write(said.stdout);
  await terminal.written();
  tellCode(said.code);
  const { keepOwn } = await import('./keep-own.js');
  tellUnkept(await keepOwn({ reason }, said, { protocol, body: await readLate(process.stdin), ms: KEEPING }));
  return said.code;

  function tellUnkept(unkept: string | undefined): void {
    if (unkept !== undefined) terminal.tell(unkept);
  }
}

/** Milliseconds for the record of the answer to reach the disk. */
const KEEPING = 500;

/** The protocol for the first word that is an event of the agent; without the name of an agent, Claude Code's. */
function protocolIn(words: readonly string[], as: string): Protocol | undefined {
  for (const word of words) {
    try {
      return AGENT.test(as) ? agentProtocol(as, word) : claudeProtocol(word);
    } catch {
      // The word is no event.
    }
  }
  return undefined;
}

/** The words that are not values of the command's options. */
function withoutValues(words: readonly string[], row: CommandRow): string[] {
  const valued = optionsOf(row).flatMap(([flags]) => (flags.includes('<') ? (flags.match(/--?[\w-]+/g) ?? []) : []));
  return words.filter((_, at) => !valued.includes(words[at - 1] ?? ''));
}

/** The value of an option, in a word of its own or behind `=`. */
function valueIn(words: readonly string[], option: string): string | undefined {
  const at = words.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  return words[at] === option ? words[at + 1] : words[at]?.slice(option.length + 1);
}
