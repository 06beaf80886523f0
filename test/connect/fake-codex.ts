import { chmodSync, writeFileSync } from 'node:fs';

/** What the stand-in does when it is asked. */
export interface FakeCodex {
  /** By event, as Codex writes its name; one that is not there is not listed. */
  readonly trust?: Readonly<Record<string, string>>;
  /** Events that are switched off. */
  readonly off?: readonly string[];
  /** What it says of the same commands in another file. */
  readonly elsewhere?: string;
  readonly warnings?: readonly string[];
  /** In place of an answer. */
  readonly instead?: 'silence' | 'end' | 'error' | 'noise' | 'other form';
}

/** A program that says of the hooks of a file what Codex 0.169.0 says, in its words (`codex app-server`, `hooks/list`). */
export function writeFakeCodex(path: string, hooksFile: string, fake: FakeCodex): string {
  writeFileSync(
    path,
    `#!${process.execPath}\nconst [hooksFile, fake] = ${JSON.stringify([hooksFile, fake])};\n(${answer})();\n`,
  );
  chmodSync(path, 0o700);
  return path;
}

declare const hooksFile: string;
declare const fake: FakeCodex;

/** Runs as the text that it is. */
function answer(): void {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');
  const { createInterface } = process.getBuiltinModule('node:readline');
  if (process.argv[2] !== 'app-server') process.exit(9);
  const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
  const list = (): object[] => {
    if (!existsSync(hooksFile)) return [];
    const { hooks } = JSON.parse(readFileSync(hooksFile, 'utf8')) as { hooks: Record<string, { hooks: object[] }[]> };
    return Object.entries(hooks).flatMap(([event, groups]) => {
      const eventName = event.charAt(0).toLowerCase() + event.slice(1);
      const trustStatus = fake.trust?.[eventName] ?? fake.trust?.['*'];
      if (trustStatus === undefined) return [];
      const enabled = !fake.off?.includes(eventName);
      return groups.flatMap((group) =>
        group.hooks.flatMap((hook) => {
          const listed = { eventName, sourcePath: hooksFile, enabled, trustStatus, handlerType: 'command', ...hook };
          if (fake.elsewhere === undefined) return [listed];
          return [listed, { ...listed, sourcePath: '/elsewhere/hooks.json', trustStatus: fake.elsewhere }];
        }),
      );
    });
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params: { cwds: string[] } };
    if (method === 'initialize') {
      say({ id, result: { userAgent: 'codex' } });
      say({ method: 'remoteControl/status/changed', params: {} });
    }
    if (method !== 'hooks/list') return;
    if (fake.instead === 'silence') return;
    if (fake.instead === 'end') {
      process.stderr.write('starting\nthere is no such folder\n');
      process.exit(3);
    }
    if (fake.instead === 'error') return say({ id, error: { code: -32601, message: 'no such method' } });
    if (fake.instead === 'other form') return say({ id, result: [] });
    if (fake.instead === 'noise') process.stdout.write('listening…\n');
    for (const summary of fake.warnings ?? []) say({ method: 'configWarning', params: { summary } });
    say({ id, result: { data: [{ cwd: params.cwds[0], hooks: list(), warnings: [], errors: [] }] } });
  });
}
