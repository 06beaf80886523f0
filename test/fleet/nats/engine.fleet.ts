import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { engineContract, until } from '../contract.js';
import { natsGround } from './server.js';

engineContract('on NATS', natsGround);

test('every host is among those that have reported, also while they report', async () => {
  const ground = await natsGround();
  const [operator, hosts] = [await ground.open('operator'), await ground.open('hosts')];
  let isOver = false;
  try {
    await until(() => operator.connected && hosts.connected);
    await operator.prepare();
    const names = ['a', 'b', 'c'];
    const report = () => Promise.all(names.map((name) => hosts.state.share(name, Buffer.from('{}'))));
    await report();
    const reporting = (async () => {
      while (!isOver) {
        await report();
        await sleep(5);
      }
    })();
    for (let i = 0; i < 100; i++) expect((await operator.state.all()).map(({ host }) => host).sort()).toEqual(names);
    isOver = true;
    await reporting;
  } finally {
    isOver = true;
    await operator.close();
    await hosts.close();
    await ground.end();
  }
});
