import { isMainThread } from 'node:worker_threads';
import { keepDescriptor } from './keep-descriptor.js';

// Removes the `--require` that loaded this file, since the thread may pass its options on to programs that it starts.
if (!isMainThread) {
  keepDescriptor();
  if (/thread-stdout\.cjs$/.test(process.execArgv.at(-1) ?? '')) process.execArgv.splice(-2);
}
