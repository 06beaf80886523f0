import { HookscopeError } from '../errors.js';
import type { Services } from './services.js';

const SERVICES = new WeakMap<object, Services>();

/** Lets our own loaders of hook files, and nobody else, behind the public host. */
export function expose(host: object, services: Services): void {
  SERVICES.set(host, services);
}

/** Throws INVALID_OPTIONS for what `createHost` of this very copy has not made. */
export function servicesOf(host: unknown): Services {
  const services = typeof host === 'object' && host !== null ? SERVICES.get(host) : undefined;
  if (services) return services;
  throw new HookscopeError('INVALID_OPTIONS', {
    where: 'host',
    expected: 'expected what createHost() of this same copy of hookscope returned',
  });
}
