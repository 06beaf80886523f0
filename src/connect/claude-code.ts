import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { CATALOGUE, CLAUDE_EVENTS } from '../events/catalogue.js';
import type { EventSpec } from '../events/define.js';
import type { HookGroupText } from './settings-text.js';

/** Whose sessions are connected: all of this user's, or those in one folder. */
export type ConnectWhose = 'user' | 'project';

/** How the client asks: a command for each call, or a request to a server that listens at a port. */
export type ClaudeWay =
  | {
      readonly kind: 'command';
      /** The command line for an event, which the client gives so many seconds. */
      command(event: string, seconds: number): string;
    }
  | { readonly kind: 'http'; readonly port: number; readonly token: string };

/** Seconds that the client waits for a hook where the event has no time of its own: hooks behind it may ask a person or a model. */
const PATIENCE = 600;

/**
 * Where the client reads hooks that hold on this machine: the user's settings, or those of the project that are not shared, since a
 * command's absolute path is of one machine.
 */
export function claudeSettingsFile(whose: ConnectWhose, folder: string, env: NodeJS.ProcessEnv = process.env): string {
  if (whose === 'project') return join(resolve(folder), '.claude', 'settings.local.json');
  const given = env['CLAUDE_CONFIG_DIR'];
  return join(given !== undefined && isAbsolute(given) ? given : join(homedir(), '.claude'), 'settings.json');
}

/** Events that cannot be connected, and why: one that must be answered would fail for all, and some are never asked by HTTP. */
export function notConnected(kind: ClaudeWay['kind']): readonly { readonly event: string; readonly why: string }[] {
  return CLAUDE_EVENTS.flatMap((event) => {
    const why = whyNot(CATALOGUE[event], kind);
    return why === undefined ? [] : [{ event, why }];
  });
}

function whyNot(spec: EventSpec, kind: ClaudeWay['kind']): string | undefined {
  if (spec.claude?.answerNeeded) return 'a hook there must answer, so that one without an answer fails it';
  if (kind === 'http' && !spec.types.includes('http')) return 'the client sends it to no HTTP hook';
  return undefined;
}

/** One group an event: everything is asked about, and a failure of what asks stops what can be stopped. */
export function claudeGroups(way: ClaudeWay): Readonly<Record<string, HookGroupText>> {
  const left = new Set(notConnected(way.kind).map(({ event }) => event));
  const events = CLAUDE_EVENTS.filter((event) => !left.has(event));
  return Object.fromEntries(events.map((event) => [event, { hooks: [handlerOf(CATALOGUE[event], way)] }]));
}

function handlerOf(spec: EventSpec, way: ClaudeWay): HookGroupText['hooks'][number] {
  const timeout = spec.timeout?.max ?? spec.timeout?.claude ?? PATIENCE;
  const guard = spec.fold === 'gate' ? { onFailure: 'block' } : {};
  if (way.kind === 'command') return { type: 'command', command: way.command(spec.name, timeout), timeout, ...guard };
  return {
    type: 'http',
    url: `http://127.0.0.1:${way.port}/hooks/${spec.name}`,
    headers: { Authorization: `Bearer ${way.token}` },
    timeout,
    ...guard,
  };
}
