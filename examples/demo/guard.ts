import { basename } from 'node:path';
import { allow, deny, type HookCallback, rewrite } from 'hookscope';

type Guard = HookCallback<'PreToolUse'>;
const argument = (input: Parameters<Guard>[0], name: string): string =>
  String((input.tool_input as Readonly<Record<string, unknown>>)[name]);

/** The surveyor may look around in the shell; for a search there is a tool. */
export const readOnlyShell: Guard = function readOnlyShell(input) {
  const [program] = argument(input, 'command').split(' ');
  if (program === 'ls') return allow('looking is free');
  return deny(`A surveyor only lists: use the Grep tool instead of ${program}.`);
};

/** The builder needs no permission for its report. */
export const onlyTheReport: Guard = function onlyTheReport(input) {
  return basename(argument(input, 'file_path')) === 'report.md' ? allow('its own report') : undefined;
};

/** What the builder runs ends in time. All others are asked again about the new command. */
export const inTime: Guard = function inTime(input) {
  const line = argument(input, 'command');
  return line.startsWith('timeout ')
    ? undefined
    : rewrite({ ...(input.tool_input as object), command: `timeout 10 ${line}` });
};
