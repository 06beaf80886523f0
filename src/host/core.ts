import type { HookscopeError } from '../errors.js';
import type { Background } from './background.js';
import type { Registrar } from './registrar.js';
import type { EventState, Services } from './services.js';

/** A host behind its public face: what a fire needs to run, and what is needed to find its event and its scope. */
export interface HostCore extends Services {
  readonly background: Background;
  /** By name, with no prototype; an object, since that is found quicker than in a Map. */
  readonly events: Readonly<Record<string, EventState>>;
  readonly registrar: Registrar;
  unknownEvent(name: unknown): HookscopeError;
}
