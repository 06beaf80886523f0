import type { Bus } from '../emit/bus.js';

/** A class because of its getters: in a literal they would make the engine keep the host in a slow form, and every fire begins here. */
export class PluginHost {
  readonly #bus: Bus;

  constructor(bus: Bus, members: object) {
    this.#bus = bus;
    Object.assign(this, members);
  }

  get events$(): Bus['events$'] {
    return this.#bus.events$;
  }

  get recordsBuilt(): number {
    return this.#bus.built;
  }
}
