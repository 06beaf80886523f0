import type { AgentInputItem } from '@openai/agents';

type UserItem = Extract<AgentInputItem, { role: 'user' }>;

/** A conversation, and what of it is new: the user's messages that no model has answered. */
export interface Conversation {
  readonly before: readonly AgentInputItem[];
  readonly asked: readonly UserItem[];
}

export const isUser = (item: AgentInputItem): item is UserItem => 'role' in item && item.role === 'user';
const isSystem = (item: AgentInputItem): boolean => 'role' in item && item.role === 'system';
export const userItem = (content: string): UserItem => ({ type: 'message', role: 'user', content });

export function conversation(input: string | readonly AgentInputItem[]): Conversation {
  if (typeof input === 'string') return { before: [], asked: [userItem(input)] };
  const end = input.findLastIndex((item) => !isUser(item) && !isSystem(item)) + 1;
  // A message of the system hides none of the user's before it.
  return {
    before: [...input.slice(0, end), ...input.slice(end).filter(isSystem)],
    asked: input.slice(end).filter(isUser),
  };
}
