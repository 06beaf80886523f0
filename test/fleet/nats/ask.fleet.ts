import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { askTable } from '../ask-table.js';
import { startNats } from './server.js';

askTable('on NATS', async () => {
  const server = await startNats();
  return {
    open: async (name) => natsEngine({ servers: [server.url], team: 'acme', name }),
    async cut() {
      await server.kill();
      return () => server.start();
    },
    end: () => server.end(),
  };
});
