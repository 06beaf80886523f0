import type * as LangChain from 'langchain';
import { loadPeer } from '../../values/waiting/peer.js';

/** LangChain itself. */
export const langchain: typeof LangChain = await loadPeer(
  { entry: 'hookscope/adapters/langchain', peer: 'langchain', range: '^1.5.0' },
  () => import('langchain'),
  // Exists since 1.5.
  (loaded) => typeof loaded.createSubagentTransformer === 'function',
);
