import type { Description } from '../host/types.js';
import { plain, plainJson } from '../plain.js';
import { type HostFlags, openHost } from './host/open-host.js';
import { unknownLines, withUnknown } from './host/unknown-hooks.js';
import type { Flags } from './options.js';
import { type Terminal, unlessInterrupted } from './terminal.js';

type ListFlags = HostFlags & Flags<'json'>;

export async function listCommand(_args: readonly string[], flags: ListFlags, terminal: Terminal): Promise<number> {
  const { host, unknown } = await unlessInterrupted(
    terminal,
    openHost(flags, { executes: false, tell: terminal.tell }),
  );
  const description = host.describe();
  await terminal.print(
    flags.json
      ? plainJson(withUnknown(description, unknown))
      : [String(description), ...unknownLines(unknown)].join('\n'),
  );
  if (!flags.json && unknown.length === 0 && isEmpty(description)) terminal.tell(whyEmpty(flags));
  await host.close();
  return 0;
}

function whyEmpty({ hooks = [] }: ListFlags): string {
  return hooks.length === 0
    ? 'nothing is registered; name it with --config, --plugin or --hooks'
    : `nothing is registered; there are no hooks in ${hooks.map(plain).join(' or ')}`;
}

function isEmpty({ hooks, made = [], children }: Description): boolean {
  return hooks.length === 0 && made.length === 0 && children.every(isEmpty);
}
