/**
 * One policy on many machines: `hookscope/fleet`. The operator's side is the command `hookscope fleet`.
 *
 * @module fleet
 */

export type {
  AskElsewhere,
  ChannelStatus,
  Fleet,
  FleetEngine,
  FleetOptions,
  HostStatus,
  LogStatus,
  OpenQuestion,
  Posted,
  SentRecord,
  Shared,
  Stop,
} from '../../src/fleet.js';
export { fleet, MemoryBroker, memoryEngine } from '../../src/fleet.js';
