import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FireRecord } from '../../src/emit/record.js';

/** One recorded fire and what must come of it; the README beside the data tells the format. */
export interface Vector {
  readonly topic: string;
  readonly name: string;
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly settings?: unknown;
  readonly sources?: readonly Source[];
  readonly agent?: { readonly agent_id?: string; readonly agent_type: string; readonly hooks: unknown };
  readonly http?: Readonly<Record<string, Answer>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: { readonly replies: readonly string[] };
  readonly mcp?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

interface Source {
  readonly kind: 'user' | 'project' | 'local' | 'flag' | 'plugin' | 'managed';
  readonly settings?: unknown;
  readonly name?: string;
  readonly dir?: string;
  readonly files?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly enabled?: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly delay_ms?: number;
}

/** What `hookscope fire --json` prints. */
export interface Printed extends FireRecord {
  readonly later: readonly string[];
  readonly wakes: readonly { readonly text: string }[];
}

const RECORDED = fileURLToPath(new URL('../fixtures/vectors', import.meta.url));

/** All recorded vectors, and those of a folder of one's own (HOOKSCOPE_VECTORS). */
export function readVectors(): Vector[] {
  const extra = process.env['HOOKSCOPE_VECTORS'];
  return [RECORDED, ...(extra === undefined ? [] : [extra])].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .flatMap((file) => {
        const vectors = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<Vector, 'topic'>[];
        return vectors.map((vector) => ({ topic: file.replace('.json', ''), ...vector }));
      }),
  );
}

/** A vector put into real folders: how the program is to be called. */
export interface Staged {
  readonly vector: Vector;
  readonly args: readonly string[];
  readonly home: string;
  readonly project: string;
}

/** Writes a vector's files under a folder; its paths are replaced by real ones. */
export function stage(recorded: Vector, folder: string, port: number): Staged {
  const [home, project, plugins] = ['home', 'project', 'plugins'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, project, plugins]) mkdirSync(path, { recursive: true });
  const text = JSON.stringify(recorded)
    .replaceAll('/home/dev/project', project)
    .replaceAll('/home/dev/plugins', plugins)
    .replaceAll('/home/dev', home)
    .replaceAll('{{PORT}}', String(port));
  const vector = JSON.parse(text) as Vector;
  const write = (path: string, content: unknown): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    return path;
  };
  const args = ['--json', '--no-config', '--trust', 'all', '--input', write(join(folder, 'input.json'), vector.input)];
  const sources =
    vector.sources ?? (vector.settings === undefined ? [] : [{ kind: 'flag', settings: vector.settings } as const]);
  const off = Object.fromEntries(
    sources.filter((s) => s.kind === 'plugin' && s.enabled === false).map((s) => [`${s.name}@inline`, false]),
  );
  if (sources.some(({ kind }) => kind === 'user' || kind === 'project' || kind === 'local'))
    args.push('--claude-code', project);
  for (const [i, source] of sources.entries()) {
    const { kind, settings, text: raw } = source;
    if (source.enabled === false && kind !== 'plugin') continue;
    if (kind === 'plugin') args.push('--plugin-dir', writePlugin(source, join(plugins, `p${i}`), write));
    else if (kind === 'flag') args.push('--settings', write(join(folder, `flag-${i}.json`), raw ?? settings));
    else
      write(
        join(kind === 'user' ? home : project, '.claude', kind === 'local' ? 'settings.local.json' : 'settings.json'),
        raw ?? settings,
      );
  }
  if (Object.keys(off).length > 0) args.push('--settings', write(join(folder, 'off.json'), { enabledPlugins: off }));
  if (vector.agent) {
    const { agent_id: id, agent_type: type, hooks } = vector.agent;
    const file = write(
      join(folder, `${type}.md`),
      `---\nname: ${type}\nhooks: ${JSON.stringify(hooks)}\n---\nHelps.\n`,
    );
    args.push('--agent', id === undefined ? file : `${file}@${id}`);
  }
  if (vector.model || vector.mcp) {
    args.splice(args.indexOf('--no-config'), 1, '--config', write(join(folder, 'config.mjs'), outsideConfig(vector)));
  }
  return { vector, args, home, project };
}

function writePlugin(source: Source, fallback: string, write: (path: string, content: unknown) => string): string {
  const dir = source.dir ?? fallback;
  const {
    name = 'plugin',
    settings,
    files = { '.claude-plugin/plugin.json': { name, version: '1.0.0' }, 'hooks/hooks.json': settings },
  } = source;
  for (const [path, content] of Object.entries(files)) write(join(dir, path), content);
  return dir;
}

/** A model that answers as recorded, and tools that do what their description says. */
function outsideConfig({ model, mcp }: Vector): string {
  return `const replies = ${JSON.stringify(model?.replies ?? [])};
export default {
  model: () => replies.shift(),
  callTool: (server, tool, input) => (${JSON.stringify(mcp ?? {})}[server]?.[tool] === undefined ? undefined : input.text),
};
`;
}

/** What a test server saw. */
export interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A server on loopback that gives the recorded answers; a path that is not listed: 404. */
export async function startServer(answers: () => Readonly<Record<string, Answer>>) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers });
    request.resume();
    const { status, headers, body, delay_ms: delay = 0 } = answers()[request.url ?? ''] ?? { status: 404 };
    setTimeout(() => {
      response.writeHead(status, headers);
      response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
    }, delay);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<unknown> => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { port, seen, close };
}
