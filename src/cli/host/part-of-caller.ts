import type { Host } from '../../create-host.js';
import { servicesOf } from '../../host/internals.js';
import { carrierIn } from '../../values/trace-carrier.js';

/** What a command fires is a part of what has started the command: TRACEPARENT and TRACESTATE of its environment. */
export function partOfCaller(host: Host): void {
  const { tracing } = servicesOf(host).bus;
  if (tracing !== undefined) tracing.incoming = carrierIn(process.env);
}
