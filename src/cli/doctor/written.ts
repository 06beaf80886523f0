import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { AgentTable } from '../../agents/table.js';
import { agentHandlers } from '../../connect/agent-hooks.js';
import type { WrittenHook } from '../../connect/changes.js';
import { httpEntries } from '../../connect/claude-http.js';
import { handlersIn } from '../../connect/settings-text.js';
import { placesOf } from '../../server/places.js';
import { readTokens } from '../../server/tokens.js';
import type { ShellWord } from '../../trust/named/shell/word.js';
import { shellCommands } from '../../trust/named/shell/words.js';
import { optionWith } from '../history/again.js';
import { type ConnectedSettings, connectCommand } from './connections.js';

/** What a command or an address of connect says. */
interface WrittenCommand {
  readonly event: string;
  /** The command as connect has written it, without what others have added. */
  readonly command: string;
  /** The seconds for which the command was written. */
  readonly seconds?: number;
  /** The port, if it is an address. */
  readonly port?: number;
  /** The options of connect that lead to it, with a blank before each; files that are gone are left out. */
  readonly options: string;
}

/** Options of the written command with a value. `true`: connect has the same option. */
const VALUES: Readonly<Record<string, boolean>> = {
  '--as': false,
  '--timeout': false,
  '--hooks': true,
  '--config': true,
  '--plugin': true,
};

/** Reads a command or an address that connect has written; undefined: connect writes no such thing. */
export function readWritten(handler: string): WrittenCommand | undefined {
  const [, port, asked] = /^http:\/\/127\.0\.0\.1:(\d+)\/hooks\/(\w+)$/.exec(handler) ?? [];
  if (asked !== undefined)
    return { event: asked, command: handler, port: Number(port), options: ` --http --port ${port}` };
  const words = shellCommands(handler)[0]?.words ?? [];
  const begin = words.findIndex(({ text }, i) => text === '--node' && words[i - 1]?.text.endsWith(SCRIPT)) + 2;
  if (begin < 2) return undefined;
  const kept: ShellWord[] = words.slice(0, begin);
  const options: string[] = [];
  const named = { there: 0, gone: 0 };
  let event = '';
  let seconds: number | undefined;
  for (let i = begin; i < words.length; i++) {
    const [word, value] = words.slice(i, i + 2) as [ShellWord, ShellWord | undefined];
    const isOurs = VALUES[word.text];
    if (isOurs !== undefined && value !== undefined) {
      kept.push(word, value);
      i += 1;
      if (isOurs) {
        const isGone = isMissing(value.text);
        named[isGone ? 'gone' : 'there'] += 1;
        if (!isGone) options.push(optionWith(word.text.slice(2), value.text));
      }
      if (word.text === '--timeout') seconds = Number(value.text);
    } else if (word.text === '--attended' || word.text === '--no-config') {
      kept.push(word);
      options.push(` ${word.text}`);
    } else if (event === '' && /^\w+$/.test(word.text)) {
      kept.push(word);
      event = word.text;
    }
  }
  if (event === '') return undefined;
  // A command without any hooks would deny whatever can be denied.
  if (named.gone > 0 && named.there === 0) options.push(' --hooks FILE');
  const command = kept.map(({ raw }) => raw).join(' ');
  return { event, command, options: options.join(''), ...(seconds === undefined ? {} : { seconds }) };
}

const SCRIPT = '/dist/hookscope-hook.sh';

/** The command that writes this connection again, with everything that it was made with and that is still there. */
export const connectAgain = (connection: ConnectedSettings): string =>
  `${connectCommand(connection)} --write${optionsOf(connection)}`;

/** Whether a word is the path of a file that is gone. */
export const isMissing = (word: string): boolean => isAbsolute(word) && !existsSync(word);

/** The options that a connection was made with, with a blank before each. */
export function optionsOf({ handlers }: ConnectedSettings): string {
  for (const handler of handlers) {
    const found = readWritten(handler);
    if (found !== undefined) return found.options;
  }
  return '';
}

/** The hooks of a connection as connect wrote them: from connections.json, otherwise made again from the commands. */
export async function writtenHooks(table: AgentTable, connection: ConnectedSettings): Promise<WrittenHook[]> {
  const { handlers, written, file } = connection;
  if (written !== undefined) {
    try {
      const { hooksNamed } = await import('../../connect/health.js');
      const found = await hooksNamed(handlers, written, file);
      if (found.length > 0) return found;
    } catch {
      // It was not written by connect, or was spoilt since.
    }
  }
  return madeAgain(table, connection);
}

function madeAgain(table: AgentTable, { handlers, isUnlisted }: ConnectedSettings): WrittenHook[] {
  const read = new Map<string, WrittenCommand>();
  for (const handler of handlers) {
    const found = readWritten(handler);
    if (found !== undefined) read.set(found.event, found);
  }
  const port = [...read.values()].find((one) => one.port !== undefined)?.port;
  const { key, unit } = table.files.timeout;
  const entries =
    port === undefined
      ? agentHandlers(table, ({ name }) => ({ ...table.connect.handler, command: read.get(name)?.command }))
      : httpEntries({ port, token: readTokens(placesOf())?.fire ?? '' });
  return Object.entries(entries).flatMap(([event, entry]): WrittenHook[] => {
    const found = read.get(event);
    // An earlier version that has listed the file may not have known the event.
    if (found === undefined) return isUnlisted ? [{ event }] : [];
    const { seconds } = found;
    const limit = seconds === undefined ? {} : { [key]: unit === 'ms' ? seconds * 1000 : seconds };
    return handlersIn(entry).map((handler) => ({ event, handler: { ...handler, ...limit } }));
  });
}
