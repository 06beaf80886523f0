import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Networks that an http hook cannot reach unless the host allows it: those that IANA's special-purpose address registries list as
 * not globally reachable, and multicast. Loopback is not among them, because a policy server often runs on the same machine.
 */
const PRIVATE: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  // Link-local, where cloud metadata services answer.
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

/** 96-bit IPv6 prefixes that embed an IPv4 address: NAT64 (through which IPv6-only networks reach IPv4), translated, compatible. */
const BEFORE_IPV4 = ['64:ff9b::', '::ffff:0:', '::'];

const list = new BlockList();
for (const [network, prefix] of PRIVATE) {
  if (isIP(network) === 6) list.addSubnet(network, prefix, 'ipv6');
  else {
    list.addSubnet(network, prefix, 'ipv4');
    // `::0.0.0.0/104` would contain `::1`, which is loopback.
    const before = network === '0.0.0.0' ? BEFORE_IPV4.slice(0, 2) : BEFORE_IPV4;
    for (const start of before) list.addSubnet(`${start}${network}`, 96 + prefix, 'ipv6');
    const [a, b, c, d] = network.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
    // 6to4: the 32 bits after 2002 are the IPv4 address.
    list.addSubnet(`2002:${a}${b}:${c}${d}::`, 16 + prefix, 'ipv6');
  }
}

/** Whether an IP address is in a private network. An IPv4-mapped IPv6 address is checked as IPv4. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** The IP address if a URL's host is one, without brackets; undefined for a name. */
export function addressOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** Resolves a name to its addresses that are not private, so that the connection can only go to one of them. */
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
