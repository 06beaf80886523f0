import { AGENT_NAMES, agentCodec } from '../agents/agents.js';
import type { Codec } from '../agents/codec.js';
import { type AgentSupport, supportOf } from '../agents/supports.js';
import { type EventRow, SAYABLE, type Sayable } from '../agents/table.js';
import { column, plainJson } from '../plain.js';
import type { Flags } from './options.js';
import type { Terminal } from './terminal.js';

type AgentsFlags = Flags<'json'>;

/** Lists the known agents, or shows one in full. */
export async function agentsCommand(
  [name]: readonly string[],
  flags: AgentsFlags,
  terminal: Terminal,
): Promise<number> {
  const codecs = (name === undefined ? AGENT_NAMES : [name]).map(agentCodec);
  if (flags.json) await terminal.print(plainJson(name === undefined ? codecs.map(short) : full(codecs[0] as Codec)));
  else await terminal.print(name === undefined ? listed(codecs) : String(described(codecs[0] as Codec).join('\n')));
  return 0;
}

const sourceOf = ({ source, version }: Codec): string => (source === 'seen' ? `seen, ${version}` : 'from documents');
const ours = (codec: Codec): EventRow[] => codec.events.filter(({ own }) => own === undefined);

function short(codec: Codec) {
  const { name, title, source, version } = codec;
  const events = new Set(ours(codec).map((row) => row.ours));
  const own = codec.events.filter((row) => row.own !== undefined).map((row) => row.ours);
  return { name, title, source, version, events: [...events], own };
}

function full(codec: Codec) {
  const events = codec.events.map((row) => ({
    name: row.name,
    event: row.ours,
    own: row.own !== undefined,
    timeout: codec.timeout(row.name),
    ...(row.maybe === undefined ? {} : { maybe: row.maybe }),
    says: Object.fromEntries(SAYABLE.map((what) => [what, supported(codec, row, what)])),
  }));
  return { ...short(codec), events, files: codec.files, limits: codec.limits };
}

const supported = (codec: Codec, row: EventRow, what: Sayable): AgentSupport =>
  supportOf(row, what, row.source ?? codec.source, codec.title);

function listed(codecs: readonly Codec[]): string {
  const rows = codecs.map((codec) => {
    const { events, own } = short(codec);
    const more = own.length === 0 ? '' : `, ${own.length} of its own`;
    return [codec.name, sourceOf(codec), `${events.length} of our events${more}`] as const;
  });
  const widths = [0, 1].map((i) => Math.max(...rows.map((row) => (row[i] as string).length)) + 2);
  return rows
    .map(([name, source, events]) => column(name, widths[0] as number) + column(source, widths[1] as number) + events)
    .join('\n');
}

function described(codec: Codec): string[] {
  const { files, limits, title } = codec;
  const lines = [`${title} (${sourceOf(codec)})`, ''];
  for (const row of codec.events) lines.push(...eventLines(codec, row));
  lines.push('', 'files');
  for (const place of files.places)
    lines.push(`  ${column(place.for, 9)}${place.path}${place.of ? ` (of ${place.of})` : ''}`);
  lines.push(
    '',
    `timeout   ${files.timeout.usual} ${files.timeout.unit} (${files.timeout.key}); late hooks are not waited for`,
    `matchers  ${files.matcher}`,
    `order     ${files.order}`,
    `trust     ${files.trust}`,
  );
  if (limits.opens) lines.push(`runs all the same after  ${limits.opens.join(', ')}`);
  for (const blind of limits.blind ?? []) lines.push(`not told  ${blind}`);
  return lines;
}

function eventLines(codec: Codec, row: EventRow): string[] {
  const meant = row.own ? `${row.ours}, an event of its own` : row.ours;
  const notes = [row.source === 'documents' && codec.source === 'seen' ? 'from documents' : undefined, row.maybe];
  const said = notes.filter((note) => note !== undefined).join('; ');
  const lines = [
    `${row.name === row.ours && !row.own ? row.name : `${row.name} = ${meant}`}${said === '' ? '' : `  (${said})`}`,
  ];
  for (const what of SAYABLE) {
    const { carried, as, why } = supported(codec, row, what);
    if (row.says[what] === undefined) continue;
    const how = { yes: 'said', as: `as ${as}`, silent: 'by silence', no: 'not' }[carried];
    lines.push(`  ${column(what, 12)}${why === undefined ? how : `${column(how, 11)} ${why}`}`);
  }
  return lines;
}
