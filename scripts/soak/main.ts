import { fileURLToPath } from 'node:url';
import { asksSoak, notAnswered } from './asks.js';
import { fleetSoak, notArrived } from './fleet.js';
import { leftBehind, notReloaded } from './left-behind.js';
import { reloads } from './reloads.js';
import { grown, replays } from './replays.js';
import { soak } from './soak.js';

// `npm run soak`: some minutes, 1.5 GB of a temporary file, and a nats-server on the PATH. What it came to is judged in the same way as in the short
// forms (test/server/soak.test.ts, test/replay/memory.test.ts).
const asked = { fires: 100_000, agents: 1_000, reloads: 100, replayed: 1_000_000 };
const soaked = await soak(asked);
console.log(soaked);
const reloaded = await reloads(fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)), asked.reloads);
console.log(reloaded);
const replayed = await replays(asked.replayed);
console.log(replayed);
const fleet = await fleetSoak({ hosts: 50, kills: 20 });
console.log(fleet);
const asks = await asksSoak({ hosts: 5, questions: 400 });
console.log(asks);
const problems = [
  ...leftBehind(soaked, asked),
  ...notReloaded(reloaded, asked.reloads),
  ...grown(replayed, asked.replayed, 20),
  ...notArrived(fleet),
  ...notAnswered(asks),
];
for (const problem of problems) console.error(`soak: ${problem}`);
console.log(problems.length === 0 ? 'soak: everything is back at the start' : `soak: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
