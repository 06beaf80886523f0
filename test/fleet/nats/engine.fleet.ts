import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { engineContract } from '../contract.js';
import { startNats } from './server.js';

engineContract('on NATS', async () => {
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
