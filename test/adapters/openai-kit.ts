import { setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';

setTracingDisabled(true);

/** Makes tools that take a path, and say in a list that they have run. */
export const toolsInto =
  (ran: string[], said: (what: string) => string = () => 'done') =>
  (name: string, more: object = {}) =>
    tool({
      name,
      description: name,
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => {
        ran.push(`${name} ${path}`);
        return said(`${name} ${path}`);
      },
      ...more,
    });
