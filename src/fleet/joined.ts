import { HookscopeError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import { findProblem } from '../values/problem.js';
import { schema, zod } from '../values/zod.js';
import { ASK_ELSEWHERE } from './ask/asker.js';
import { isPublicKey } from './bundle/keys.js';
import { readChecked } from './checked-file.js';
import { FLEET_NAME } from './engine.js';
import { hasJoined, joinedFile } from './has-joined.js';
import type { FleetOptions } from './options.js';

const joinedSchema = schema(() => {
  const name = () => zod().string().regex(FLEET_NAME);
  return zod().strictObject({
    servers: zod().array(zod().string()).min(1),
    team: name(),
    keys: zod().array(zod().string().refine(isPublicKey)),
    credentials: zod().string().exactOptional(),
    tls: zod()
      .strictObject({
        ca: zod().string().exactOptional(),
        cert: zod().string().exactOptional(),
        key: zod().string().exactOptional(),
      })
      .exactOptional(),
    host: name().exactOptional(),
    channels: zod().array(name()).min(1).exactOptional(),
    allow: zod().string().exactOptional(),
    askElsewhere: zod().enum(ASK_ELSEWHERE).exactOptional(),
    askTimeout: zod().number().positive().exactOptional(),
  });
});

/** Which fleet this user of this machine has joined: what `serve` and the commands read. */
export type JoinedFleet = Omit<FleetOptions, 'engine' | 'logger' | 'servers'> & { readonly servers: readonly string[] };

/** undefined: no fleet was joined. Throws FILE, INVALID_CONFIG: an unreadable file must not mean running without its policy. */
export function readJoined(file = joinedFile()): JoinedFleet | undefined {
  if (!hasJoined(file)) return undefined;
  return readChecked(file, joinedSchema(), '; hookscope fleet join writes it') as JoinedFleet;
}

/** Throws INVALID_CONFIG for what could not be read again. */
export function writeJoined(joined: JoinedFleet, file = joinedFile()): void {
  const problem = findProblem(joinedSchema(), joined);
  if (problem !== undefined)
    throw new HookscopeError('INVALID_CONFIG', {
      file,
      where: problem.field,
      expected: `expected ${problem.expected}`,
    });
  replaceFile(file, `${JSON.stringify(joined, null, 2)}\n`, 0o600);
}
