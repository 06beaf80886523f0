import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { Batches } from '../../src/server/batches.js';
import { answerHook, type HookParts } from '../../src/server/http/answer-hook.js';
import { WarmHosts } from '../../src/server/warm.js';
import { testHost } from '../host/kit.js';
import { bash } from './kit.js';

const COUNT = 20;

test('calls of one turn of the event loop are all asked about, then answered one behind the other, then recorded', async () => {
  const answers: ServerResponse[] = [];
  const answered = (): number => answers.filter(({ headersSent }) => headersSent).length;
  const whenAsked: number[] = [];
  const whenRecorded: number[] = [];
  const { host } = testHost();
  host.register({ PreToolUse: [{ hooks: [() => void whenAsked.push(answered())] }] });
  const batches = new Batches(
    () => undefined,
    () => undefined,
  );
  host.events$.subscribe((record) => {
    if (record.type !== 'hook_fire') return;
    // Asked for its JSON when it is written.
    const toJSON = (): unknown => whenRecorded.push(answered());
    batches.push({ ...record, toJSON } as HookRecord);
  });
  const hosts = new WarmHosts({ host, binding: { changed: () => [] } as never }, []);
  const parts: HookParts = {
    calls: { waiting: new Set(), answered: 0 },
    hosts: () => hosts,
    serves: () => true,
    accepted: () => false,
    kept: () => undefined,
  };
  const server = createServer((incoming, outgoing) => {
    answers.push(outgoing);
    void answerHook('PreToolUse', incoming, outgoing, parts);
  });
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-turn-'));
  const path = join(folder, 'socket');
  const clients: Socket[] = [];
  try {
    await once(server.listen(path), 'listening');
    const body = JSON.stringify(bash('ls'));
    const ask = async (client: Socket): Promise<string> => {
      client.write(`POST / HTTP/1.1\r\nhost: hookscope\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return String((await once(client, 'data'))[0]);
    };
    for (let i = 0; i < COUNT; i++) {
      const client = connect(path);
      clients.push(client);
      await once(client, 'connect');
      // The server reads from it: what is written to all of them in one turn, it finds in one turn.
      expect(await ask(client)).toMatch(/^HTTP\/1\.1 200 OK/);
    }
    batches.pass();
    for (const list of [answers, whenAsked, whenRecorded]) list.length = 0;

    const heard = await Promise.all(clients.map(ask));
    expect(heard.every((text) => text.startsWith('HTTP/1.1 200 OK'))).toBe(true);
    batches.pass();
    expect(whenAsked).toEqual(Array.from({ length: COUNT }, () => 0));
    expect(whenRecorded).toEqual(Array.from({ length: COUNT }, () => COUNT));
  } finally {
    for (const client of clients) client.destroy();
    server.close();
    await host.close();
    rmSync(folder, { recursive: true });
  }
});
