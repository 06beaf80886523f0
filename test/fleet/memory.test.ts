import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { engineContract } from './contract.js';

engineContract('of one process', async () => {
  const broker = new MemoryBroker();
  return {
    open: async () => memoryEngine(broker),
    async cut() {
      broker.away = true;
      return async () => {
        broker.away = false;
      };
    },
    end: async () => undefined,
  };
});
