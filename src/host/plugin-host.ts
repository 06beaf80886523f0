import type { Bus } from '../emit/bus.js';

/** A class, because getters put an object literal into dictionary mode, which is slow, and every fire begins with this object. */
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
