import { asksUs } from '../values/own-command.js';
import { isObject } from '../values/shape.js';
import type { ConnectedFile } from './journal.js';
import type { HandlerTest, SettingsHandler } from './settings-text.js';

/** The command or URL by which a handler is recognised. */
export const nameOf = (handler: SettingsHandler): string => String(handler['command'] ?? handler['url']);

/** Recognises handlers that connect has written: those that the journal names, wherever they are now, and those that `isOurs` recognises. */
export function oursIn(connections: readonly ConnectedFile[]): HandlerTest {
  const names = new Set(connections.flatMap(({ handlers }) => handlers));
  return (handler) => names.has(nameOf(handler)) || isOurs(handler);
}

/** Recognises our handlers without a journal. */
export const isOurs: HandlerTest = (handler) => asksUs(handler['command']) || isOurRequest(handler);

const KEYS = ['type', 'url', 'headers', 'timeout', 'onFailure'];
const ADDRESS = /^http:\/\/127\.0\.0\.1:\d+\/hooks\/\w+$/;

/** Exactly what `--http` writes, with a token like ours. */
function isOurRequest(handler: SettingsHandler): boolean {
  const { type, url, headers } = handler;
  if (type !== 'http' || !ADDRESS.test(String(url)) || !isObject(headers)) return false;
  if (!Object.keys(handler).every((key) => KEYS.includes(key))) return false;
  return Object.keys(headers).join() === 'Authorization' && /^Bearer [\w-]{43}$/.test(String(headers['Authorization']));
}

/** How many of our handlers a text has, even if it cannot be parsed. */
export function countOurs(text: string, connections: readonly ConnectedFile[]): number {
  const all = [...new Set(connections.flatMap(({ handlers }) => handlers))];
  const named = all.map((name) => JSON.stringify(name)).filter((name) => !MARKS.test(name));
  const others = named.reduce((sum, name) => sum + text.split(name).length - 1, 0);
  return others + (text.match(new RegExp(MARKS, 'g'))?.length ?? 0);
}

/** Finds a command or an address of ours in a text. */
const MARKS = /\/dist\/hookscope-hook\.sh|"http:\/\/127\.0\.0\.1:\d+\/hooks\/\w+"/;
