export type { AskElsewhere } from './fleet/ask/asker.js';
export type { FleetEngine, OpenQuestion, Posted, SentRecord, Shared, Stop } from './fleet/engine.js';
export { type Fleet, fleet } from './fleet/fleet.js';
export { MemoryBroker, memoryEngine } from './fleet/memory.js';
export type { FleetOptions } from './fleet/options.js';
export type { ChannelStatus, HostStatus, LogStatus } from './fleet/status.js';
