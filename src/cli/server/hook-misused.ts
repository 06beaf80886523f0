import type { FailurePolicy } from '../../server/agent-protocol.js';
import { agentProtocol } from '../../server/agent-words.js';
import { AGENT } from '../../server/named-set.js';
import { claudeProtocol, type Protocol } from '../../server/protocol.js';
import { type CommandRow, optionsOf } from '../command-row.js';
import type { Terminal } from '../terminal.js';
import { UNANSWERED } from './alarm.js';
import { isStdoutLost, unheard } from './unheard.js';

/**
 * Answers where the arguments of `hookscope hook` are not understood, as where anything else goes wrong: its event, agent and policy are looked
 * for among them. Standard error has said why. The exit code.
 */
export async function answerMisused(
  [, ...words]: readonly string[],
  row: CommandRow,
  why: string,
  terminal: Terminal,
): Promise<number> {
  const as = valueIn(words, '--as') ?? '';
  // The value of an option may be called like an event, unless there is no other.
  const protocol = protocolIn(withoutValues(words, row), as) ?? protocolIn(words, as);
  // Of an event that nobody knows it is not known either whether it can be stopped: exit 2 stops what can be.
  if (protocol === undefined) return UNANSWERED;
  const policy: FailurePolicy = valueIn(words, '--on-failure') === 'allow' ? 'allow' : 'block';
  const reason = why.replace(/^error: /, '');
  const failed = protocol.fail(reason, policy);
  const said = isStdoutLost() ? unheard(failed, protocol, policy) : failed;
  terminal.write(said.stdout);
  await terminal.written();
  const { keepOwn } = await import('./keep-own.js');
  const unkept = await keepOwn({ reason }, said, { protocol, body: undefined, ms: KEEPING });
  if (unkept !== undefined) terminal.tell(unkept);
  return said.code;
}

/** Milliseconds for its record to reach the disk. */
const KEEPING = 500;

/** By the first word that is an event of the agent. Of an agent that nobody knows, Claude Code's words. */
function protocolIn(words: readonly string[], as: string): Protocol | undefined {
  for (const word of words) {
    try {
      return AGENT.test(as) ? agentProtocol(as, word) : claudeProtocol(word);
    } catch {
      // It is no event.
    }
  }
  return undefined;
}

/** The words that are no values of its options. */
function withoutValues(words: readonly string[], row: CommandRow): string[] {
  const valued = optionsOf(row).flatMap(([flags]) => (flags.includes('<') ? (flags.match(/--?[\w-]+/g) ?? []) : []));
  return words.filter((_, at) => !valued.includes(words[at - 1] ?? ''));
}

/** The value of an option, in a word of its own or behind `=`. */
function valueIn(words: readonly string[], option: string): string | undefined {
  const at = words.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  return words[at] === option ? words[at + 1] : words[at]?.slice(option.length + 1);
}
