import type { AgentInputItem } from '@openai/agents';

type UserItem = Extract<AgentInputItem, { role: 'user' }>;

/** A conversation, split into what came before and the user's new messages, which no model has answered. */
export interface ItemConversation {
  readonly before: readonly AgentInputItem[];
  readonly asked: readonly UserItem[];
}

export const isUser = (item: AgentInputItem): item is UserItem => 'role' in item && item.role === 'user';
const isSystem = (item: AgentInputItem): boolean => 'role' in item && item.role === 'system';
export const userItem = (content: string): UserItem => ({ type: 'message', role: 'user', content });

export function conversation(input: string | readonly AgentInputItem[]): ItemConversation {
  if (typeof input === 'string') return { before: [], asked: [userItem(input)] };
  const end = input.findLastIndex((item) => !isUser(item) && !isSystem(item)) + 1;
  // System messages between or after the user's messages are skipped.
  return {
    before: [...input.slice(0, end), ...input.slice(end).filter(isSystem)],
    asked: input.slice(end).filter(isUser),
  };
}
