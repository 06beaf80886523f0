import { join } from 'node:path';
import { wrongOption } from '../../values/options.js';
import { configHome, homeFolder } from '../../values/user-folders.js';
import { headersOf } from '../named-set.js';
import type { ServerSettings } from '../worker.js';

/** A file by which the system starts a program when the user logs in. */
export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** The command with which the user starts it. */
  readonly start: string;
}

export interface ServiceOptions {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** The folder from which names are resolved. */
  readonly cwd: string;
}

/** The arguments of `hookscope serve`, made independent of the current folder. */
export function serveArguments({ set, cwd, projects, data = [], port, dev }: ServerSettings): string[] {
  const named = headersOf(set, cwd).flatMap(([name, value]) =>
    value === '--no-config' ? [value] : [name.replace('hookscope-', '--'), value],
  );
  return [
    'serve',
    ...named,
    ...projects.flatMap((root) => ['--project', root]),
    ...data.flatMap((file) => ['--data', file]),
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(dev ? ['--dev'] : []),
  ];
}

/** A systemd unit on Linux, a launchd file on macOS; undefined on other systems. Throws INVALID_OPTIONS if the file cannot name the folder. */
export function serviceFile({ platform, env, argv, cwd }: ServiceOptions): ServiceFile | undefined {
  const named: NodeJS.ProcessEnv = { ...env, XDG_RUNTIME_DIR: env['XDG_RUNTIME_DIR'] ?? '' };
  const kept = KEPT.flatMap((name) => {
    const value = named[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  if (platform === 'darwin') return launchd(homeFolder(env), argv, cwd, kept);
  return platform === 'linux' ? systemd(env, argv, cwd, kept) : undefined;
}

/**
 * By what the server finds its files and programs. `connect` writes the same places into the agent's commands, and there, too, an empty
 * `XDG_RUNTIME_DIR` stands for none: the system may give the server one that the user's shell does not have.
 */
const KEPT = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'PATH'] as const;

type KeptVariables = readonly (readonly [name: string, value: string])[];

function systemd(env: NodeJS.ProcessEnv, argv: readonly string[], cwd: string, kept: KeptVariables): ServiceFile {
  if (UNNAMEABLE.test(cwd)) throw unnamed('a unit of systemd', cwd);
  const [program = '', ...words] = argv;
  const text = `[Unit]
Description=hookscope: warm hooks for the agents of this user

[Service]
ExecStart=${[unitWord(program), ...words.map(argumentWord)].join(' ')}
WorkingDirectory=${cwd.replaceAll('%', '%%')}
${kept.map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`).join('')}Restart=on-failure
SuccessExitStatus=143
# What is under way is answered before it ends.
TimeoutStopSec=40
KillMode=mixed

[Install]
WantedBy=default.target
`;
  const start = 'systemctl --user daemon-reload && systemctl --user enable --now hookscope';
  return { path: join(configHome(env), 'systemd/user/hookscope.service'), text, start };
}

/** Characters that would end a folder's name or line in a unit, where systemd has no quoting. */
const UNNAMEABLE = /\p{Cc}|[\s\\]$/u;

const unnamed = (file: string, cwd: string): Error =>
  wrongOption('--install', `${file} cannot name the folder ${JSON.stringify(cwd)}: start it from another one`);

/** One word in a unit: in double quotes, with specifiers escaped. */
const unitWord = (word: string): string =>
  `"${word
    .replace(/["\\]/g, '\\$&')
    .replaceAll('%', '%%')
    .replace(/\p{Cc}/gu, hexOf)}"`;

/** One argument of a command line in a unit, with variables escaped too. */
const argumentWord = (word: string): string => unitWord(word).replaceAll('$', '$$$$');

const hexOf = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;

function launchd(home: string, argv: readonly string[], cwd: string, kept: KeptVariables): ServiceFile {
  const path = join(home, 'Library/LaunchAgents/dev.hookscope.serve.plist');
  if ([cwd, ...argv, ...kept.flat()].some((text) => NOT_XML.test(text))) throw unnamed('a file of launchd', cwd);
  const string = (text: string): string => `<string>${escapeXml(text)}</string>`;
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>dev.hookscope.serve</string>
  <key>ProgramArguments</key>
  <array>
${argv.map((word) => `    ${string(word)}`).join('\n')}
  </array>
  <key>WorkingDirectory</key>${string(cwd)}
  <key>EnvironmentVariables</key>
  <dict>
${kept.map(([name, value]) => `    <key>${escapeXml(name)}</key>${string(value)}`).join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict>
</plist>
`;
  return { path, text, start: `launchctl bootstrap gui/$(id -u) '${path.replaceAll("'", "'\\''")}'` };
}

/** Characters that XML cannot contain, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the characters to find.
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Escapes for XML. A plain carriage return would be read as a line feed. */
const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  '\r': '&#13;',
};
const escapeXml = (text: string): string => text.replace(/[<>&"\r]/g, (one) => ENTITIES[one] as string);
