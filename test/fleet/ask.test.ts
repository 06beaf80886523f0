import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { askTable } from './ask-table.js';

askTable('in memory', async () => {
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
