import { describe, expect, test } from 'vitest';
import { AGENT_NAMES, agentCodec, TABLES } from '../../src/agents/agents.js';
import { ROOT } from '../package/sources.js';
import { cli } from './cli.js';

describe('hookscope agents', () => {
  test('lists them, and says of which nobody here has run', async () => {
    const { stdout, code } = await cli(['agents'], { cwd: ROOT });
    expect(code).toBe(0);
    for (const { name, version, source } of TABLES)
      expect(stdout).toMatch(
        new RegExp(`^${name} .*${source === 'seen' ? version.replaceAll('.', '\\.') : 'from documents'}`, 'm'),
      );
  });

  test.each(AGENT_NAMES)('%s: names each event and each loss, and the same as JSON', async (name) => {
    const { stdout } = await cli(['agents', name], { cwd: ROOT });
    const json = JSON.parse((await cli(['agents', name, '--json'], { cwd: ROOT })).stdout);
    const codec = agentCodec(name);
    expect(json.events.map((event: { name: string }) => event.name)).toEqual(codec.events.map((row) => row.name));
    for (const event of codec.events) expect(stdout).toMatch(new RegExp(`^${event.name}\\b`, 'm'));
    for (const place of codec.files.places) expect(stdout).toContain(place.path);
  });

  test('an unknown agent is an error with the nearest name', async () => {
    const { stderr, code } = await cli(['agents', 'gemin'], { cwd: ROOT });
    expect(code).toBe(1);
    expect(stderr).toContain('Did you mean "gemini"?');
  });
});
