import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Way of bytes: to the broker, or back from it. */
type Way = 'there' | 'back';

/** What stands between hosts and a broker, and can stop to pass bytes on, either way, without closing anything: a partition. */
export interface Partition {
  readonly url: string;
  /** Ways on which nothing passes from now on. What was held back passes on when it is free again. */
  hold(...ways: Way[]): void;
  end(): Promise<void>;
}

export async function startProxy(to: string): Promise<Partition> {
  const { hostname, port } = new URL(to);
  let held: readonly Way[] = [];
  const pairs = new Set<Record<Way, { readonly from: Socket; readonly into: Socket }>>();
  const sockets = new Set<Socket>();
  const set = (pair: Record<Way, { readonly from: Socket }>): void => {
    for (const way of ['there', 'back'] as const) {
      if (held.includes(way)) pair[way].from.pause();
      else pair[way].from.resume();
    }
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const pair = { there: { from: near, into: far }, back: { from: far, into: near } };
    pairs.add(pair);
    for (const { from, into } of Object.values(pair)) {
      sockets.add(from);
      from.on('data', (bytes) => into.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        pairs.delete(pair);
        sockets.delete(from);
        into.destroy();
      });
    }
    set(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(...ways) {
      held = ways;
      for (const pair of pairs) set(pair);
    },
    async end() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
