import type * as AiSdk from 'ai';
import { loadPeer } from '../../values/waiting/peer.js';

/** The AI SDK itself. */
export const ai: Pick<typeof AiSdk, 'asSchema' | 'jsonSchema' | 'wrapLanguageModel'> = await loadPeer(
  { entry: 'hookscope/adapters/ai', peer: 'ai', range: '^6.0.200 || ^7.0.0' },
  () => import('ai'),
  // Exists at least since 6.0.150.
  (loaded) => typeof loaded.isLoopFinished === 'function',
);
