import type { Host } from '../../create-host.js';
import { servicesOf } from '../../host/internals.js';
import { carrierIn } from '../../values/trace-carrier.js';

/** Makes what a command fires part of the caller's trace: TRACEPARENT and TRACESTATE in its environment. */
export function partOfCaller(host: Host): void {
  const { tracing } = servicesOf(host).bus;
  if (tracing !== undefined) tracing.incoming = carrierIn(process.env);
}
