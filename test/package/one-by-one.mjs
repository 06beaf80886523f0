// Runs the programs that it is told, each as if it were alone in a process: one has ended when nothing is left that keeps the
// process alive. What ends the process itself ends this one; its parent starts another for the programs to come.
import { pathToFileURL } from 'node:url';

const environment = { ...process.env };
let running = false;
let loaded = false;
let count = 0;

process.on('message', async ({ file, cwd, args }) => {
  running = true;
  loaded = false;
  process.exitCode = undefined;
  process.argv = [process.execPath, file, ...args];
  process.chdir(cwd);
  // From here on only the program keeps this process alive.
  process.channel.unref();
  // A program that runs again begins again.
  await import(`${pathToFileURL(file).href}?run=${count++}`);
  loaded = true;
});

process.on('beforeExit', () => {
  if (!running) return;
  running = false;
  // What Node says of a program that waits for what never comes.
  const code = process.exitCode ?? (loaded ? 0 : 13);
  process.exitCode = undefined;
  for (const key of Object.keys(process.env)) if (!(key in environment)) delete process.env[key];
  Object.assign(process.env, environment);
  process.channel.ref();
  process.send({ code });
});
