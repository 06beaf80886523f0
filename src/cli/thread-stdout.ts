import { isMainThread } from 'node:worker_threads';
import { keepDescriptor } from './keep-descriptor.js';

// A program that the thread starts may be given the thread's own options.
if (!isMainThread) {
  keepDescriptor();
  if (/thread-stdout\.cjs$/.test(process.execArgv.at(-1) ?? '')) process.execArgv.splice(-2);
}
