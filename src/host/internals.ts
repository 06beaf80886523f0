import { HookscopeError } from '../errors.js';
import type { HostCore } from './core.js';

const SERVICES = new WeakMap<object, HostCore>();

/** Gives our own loaders of hook files access to a host's internals. */
export function expose(host: object, services: HostCore): void {
  SERVICES.set(host, services);
}

/** Throws INVALID_OPTIONS for what `createHost` of this very copy has not made. */
export function servicesOf(host: unknown): HostCore {
  const services = typeof host === 'object' && host !== null ? SERVICES.get(host) : undefined;
  if (services) return services;
  throw new HookscopeError('INVALID_OPTIONS', {
    where: 'host',
    expected: 'expected what createHost() of this same copy of hookscope returned',
  });
}
