import type { FailurePolicy } from '../../server/agent-protocol.js';
import { agentProtocol } from '../../server/agent-words.js';
import { AGENT } from '../../server/named-set.js';
import { claudeProtocol, type Protocol } from '../../server/protocol.js';
import type { Terminal } from '../terminal.js';
import { UNANSWERED } from './alarm.js';
import { isStdoutLost, unheard } from './unheard.js';

/**
 * Answers where the arguments of `hookscope hook` are not understood, as where anything else goes wrong: its event, agent and policy are looked
 * for among them. Standard error has said why. The exit code.
 */
export function answerMisused([, ...words]: readonly string[], why: string, terminal: Terminal): number {
  const protocol = protocolIn(words);
  // Of an event that nobody knows it is not known either whether it can be stopped: exit 2 stops what can be.
  if (protocol === undefined) return UNANSWERED;
  const policy: FailurePolicy = valueIn(words, '--on-failure') === 'allow' ? 'allow' : 'block';
  const failed = protocol.fail(why.replace(/^error: /, ''), policy);
  const { stdout, code } = isStdoutLost() ? unheard(failed, protocol, policy) : failed;
  terminal.write(stdout);
  return code;
}

/** By the first word that is an event of the agent. Of an agent that nobody knows, Claude Code's words. */
function protocolIn(words: readonly string[]): Protocol | undefined {
  const as = valueIn(words, '--as') ?? '';
  for (const word of words) {
    try {
      return AGENT.test(as) ? agentProtocol(as, word) : claudeProtocol(word);
    } catch {
      // It is no event.
    }
  }
  return undefined;
}

/** The value of an option, in a word of its own or behind `=`. */
function valueIn(words: readonly string[], option: string): string | undefined {
  const at = words.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  return words[at] === option ? words[at + 1] : words[at]?.slice(option.length + 1);
}
