import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Networks that an http hook does not reach unless the host allows it: those the IANA's special-purpose registries list as not
 * globally reachable, and multicast. Loopback is no part of them: a policy server on the same machine is what such hooks are for.
 */
const PRIVATE: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  // Link-local: metadata services of clouds answer here.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const list = new BlockList();
for (const [network, prefix] of PRIVATE) list.addSubnet(network, prefix, isIP(network) === 6 ? 'ipv6' : 'ipv4');

/** Whether an IP address is in a private network; an IPv4 address written as IPv6 is looked at as what it is. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** The IP address a URL's host is, without brackets; undefined for a name. */
export function addressOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** Resolves a name to those of its addresses that are not private; a connection is made to none but these. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true } as LookupAllOptions, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const allowed = addresses.filter((a) => !isPrivateAddress(a.address));
    const [first] = allowed;
    if (!first) return callback(refused(hostname, addresses), '', 0);
    if (options.all) return callback(null, allowed);
    callback(null, first.address, first.family);
  });
};

function refused(hostname: string, addresses: readonly LookupAddress[]): Error {
  const found = addresses.map((a) => a.address).join(', ');
  return new PrivateAddressError(`${hostname} is in a private network (${found})`);
}
