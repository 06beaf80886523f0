// Whether there is a nats-server to test with; says how to get one where there is none.
import { spawnSync } from 'node:child_process';

const found = spawnSync('nats-server', ['--version'], { encoding: 'utf8' });
if (found.status !== 0) {
  console.error(`There is no nats-server on the PATH, which these tests start. It is one program:
  Debian, Ubuntu   sudo apt-get install nats-server
  macOS            brew install nats-server
  others           https://github.com/nats-io/nats-server/releases (2.9 or later)`);
  process.exit(1);
}
console.log(found.stdout.trim());
