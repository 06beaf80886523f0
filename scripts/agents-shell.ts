// What the thin command needs to know of other agents, as shell code: their events, how long they wait, and their words for no.
import { AGENT_NAMES, agentCodec } from '../src/agents/agents.js';
import type { Codec } from '../src/agents/codec.js';
import type { EventRow } from '../src/agents/table.js';
import { deadlineOf } from '../src/server/agent-protocol.js';
import { CLAUDE } from '../src/server/protocol.js';

const REASON = 'REASON';

/** `src/server/client/hookscope-agents.sh`, which `hookscope-hook.sh` reads where `--as` names another agent. */
export function agentsShell(): string {
  const codecs = AGENT_NAMES.filter((name) => name !== CLAUDE).map(agentCodec);
  return `# Made by npm run generate from src/agents: what hookscope-hook.sh needs to know about agents other than Claude Code.

# agent_event AGENT EVENT: sets the time limit in tenths of a second (most: the upper bound, whatever is configured) and the output of an empty answer. Returns 1 for an unknown event.
agent_event() {
  case $1 in
${codecs.flatMap(quietArm).join('\n')}
  esac
  case $1:$2 in
${arms(codecs, deadline)}
    *) return 1 ;;
  esac
}

# agent_refuses AGENT EVENT REASON: prints a refusal in the agent's format, or an empty answer if the event cannot be refused.
agent_refuses() {
  case $1:$2 in
${arms(codecs, refusal)}
    *) printf %s "$quiet" ;;
  esac
}
`;
}

function deadline(codec: Codec, event: string): string {
  const tenths = (seconds: number): number => Math.round(deadlineOf(seconds) * 10);
  // Whatever its configuration says.
  const most = codec.timeout(event, 86_400);
  return `tenths=${tenths(codec.timeout(event))}${most < 86_400 ? ` most=${tenths(most)}` : ''}`;
}

function quietArm(codec: Codec): string[] {
  const { stdout } = codec.encode({}, (codec.events[0] as EventRow).name);
  return stdout === '' ? [] : [`    ${codec.name}) quiet='${stdout.trim()}'$nl ;;`];
}

function arms(codecs: readonly Codec[], of: (codec: Codec, event: string) => string | undefined): string {
  const found = new Map<string, string[]>();
  for (const codec of codecs)
    for (const event of namesOf(codec)) {
      const code = of(codec, event);
      if (code !== undefined) found.set(code, [...(found.get(code) ?? []), `${codec.name}:${event}`]);
    }
  return [...found].map(([code, names]) => `    ${names.join(' | ')})\n      ${code} ;;`).join('\n');
}

/** Every name that its events are asked for by. */
const namesOf = ({ events }: Codec): string[] => [...new Set(events.flatMap(({ name, ours }) => [name, ours]))];

function refusal(codec: Codec, event: string): string | undefined {
  const { stdout } = codec.refuse(REASON, event);
  if (stdout === codec.encode({}, event).stdout) return undefined;
  if (/['%\\]/.test(stdout)) throw new Error(`${codec.name} ${event}: ${stdout} cannot be a format of printf`);
  return `printf '${stdout.trim().replaceAll(REASON, '%s')}\\n'${' "$3"'.repeat(stdout.split(REASON).length - 1)}`;
}
