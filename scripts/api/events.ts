/**
 * The events: their inputs, their outputs, and events of your own.
 *
 * @module events
 */

export type {
  AnyHookOutput,
  BackgroundTask,
  CustomEvents,
  EventDefinition,
  EventName,
  EventOptions,
  EventSpec,
  FireInput,
  Fold,
  HandlerKind,
  HookEvent,
  HookInput,
  HookOutput,
  HooksProblem,
  HookValues,
  PermissionUpdate,
  SessionCron,
  ToolInputs,
  ValidatedOutput,
  ValidateOptions,
  Verdict,
} from '../../src/index.js';
export {
  CATALOGUE,
  defineEvent,
  EXIT_REASONS,
  eventName,
  HOOK_EVENTS,
  validateHooks,
  validateOutput,
} from '../../src/index.js';
