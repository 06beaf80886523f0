import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf } from '../package/doc-blocks.js';
import { ROOT } from '../package/sources.js';

const folder = join(ROOT, 'examples/fleet');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

test('the files of a broker that stays are those of docs/fleet.md', () => {
  const blocks = blocksOf('docs/fleet.md', readFileSync(join(ROOT, 'docs/fleet.md'), 'utf8')).map(({ text }) =>
    text.trim(),
  );
  for (const name of readdirSync(folder)) expect(blocks, name).toContain(read(name).trim());
});

test('the compose file is what docker compose reads, and mounts what the broker reads', () => {
  const { services, volumes } = parse(read('compose.yaml')) as Record<string, Record<string, never>>;
  expect(Object.keys(volumes ?? {})).toEqual(['data']);
  expect(services?.['nats']).toEqual({
    image: 'nats:2.9',
    command: ['-c', '/fleet/broker.conf'],
    volumes: ['./fleet:/fleet:ro', 'data:/data'],
    ports: ['4222:4222'],
    restart: 'unless-stopped',
  });
  expect(read('broker.conf')).toContain('store_dir: "/data"');
});

test('the unit has the sections and the keys that systemd knows', () => {
  const known: Record<string, string[]> = {
    Unit: ['Description', 'After', 'Wants'],
    Service: [
      ...['ExecStart', 'ExecReload', 'ExecReload', 'ExecReload', 'User', 'StateDirectory', 'Restart'],
      ...['NoNewPrivileges', 'ProtectSystem', 'ProtectHome', 'PrivateTmp'],
    ],
    Install: ['WantedBy'],
  };
  const found: Record<string, string[]> = {};
  let section = '';
  for (const line of read('hookscope-nats.service').split('\n').filter(Boolean)) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name !== undefined) {
      section = name;
      found[section] = [];
    } else found[section]?.push(/^([A-Z]\w+)=\S/.exec(line)?.[1] ?? line);
  }
  expect(found).toEqual(known);
});
