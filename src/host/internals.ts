import { HookscopeError } from '../errors.js';
import type { HostCore } from './core.js';

const SERVICES = new WeakMap<object, HostCore>();

/** Gives other parts of this package access to a host's internals. */
export function expose(host: object, services: HostCore): void {
  SERVICES.set(host, services);
}

/** Throws INVALID_OPTIONS if `createHost` of this copy of the package has not made the host. */
export function servicesOf(host: unknown): HostCore {
  const services = typeof host === 'object' && host !== null ? SERVICES.get(host) : undefined;
  if (services) return services;
  throw new HookscopeError('INVALID_OPTIONS', {
    where: 'host',
    expected: 'expected what createHost() of this same copy of hookscope returned',
  });
}
