import type * as LangChain from 'langchain';
import { framework } from './framework.js';

/** LangChain itself. */
export const langchain: typeof LangChain = await framework(
  'hookscope/adapters/langchain',
  'langchain',
  '1.5',
  () => import('langchain'),
);
