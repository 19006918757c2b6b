// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Addresses of one name that are tried. */
const ADDRESSES_MAX = 3;

/**
 * Where the API is, as the machine that examines reaches it: by address, since a sandbox without a resolver would wait
 * for the name and try nothing. Empty where the name has no address here.
 */
export async function placesOf(url: string): Promise<readonly Place[]> {
  const { hostname, port, protocol } = new URL(url);
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  const at = Number(port || (protocol === 'https:' ? 443 : 80));
  return addresses.slice(0, ADDRESSES_MAX).map(({ address }) => ({ host: address, port: at }));
}

/**
 * A program for a sandbox. It tries to reach these places, the gateways of the sandbox's routes, and its resolvers. A
 * refused connection is an answer from outside, too. Silence and an unreachable network are not. Without a route, which
 * is how a container starts, no packet leaves. Each attempt waits a second at most.
 */
export const probeOf = (places: readonly Place[], port: number): string => `import socket, struct
own = lambda host: host.startswith('127.') or host == '::1'
def attempt(host, port):
    try:
        socket.create_connection((host, port), 1).close()
        print('reached', host, port)
    except ConnectionRefusedError:
        print('own loopback refused' if own(host) else 'answered ' + host)
    except OSError as error:
        print('closed', host, error.errno)
def ask(resolver):
    try:
        family = socket.AF_INET6 if ':' in resolver else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.settimeout(1)
            asking.connect((resolver, 53))
            name = b''.join(bytes([len(each)]) + each for each in [b'writ-doctor', b'invalid'])
            asking.send(struct.pack('>6H', 7, 256, 1, 0, 0, 0) + name + bytes([0]) + struct.pack('>2H', 1, 1))
            refuses = asking.recv(512)[3] & 15 in (2, 5)
            print('own resolver refuses' if own(resolver) and refuses else 'reached the resolver ' + resolver)
    except OSError:
        print('closed resolver')
def lines(path):
    try:
        with open(path) as file:
            return [line.split() for line in file.read().splitlines()]
    except OSError:
        return []
for host, port in ${JSON.stringify(places.map(({ host, port: at }) => [host, at]))}:
    attempt(host, port)
gateways = set()
for line in lines('/proc/net/route')[1:]:
    if int(line[2], 16):
        gateways.add(socket.inet_ntoa(struct.pack('<L', int(line[2], 16))))
for line in lines('/proc/net/ipv6_route'):
    if int(line[4], 16):
        gateway = socket.inet_ntop(socket.AF_INET6, bytes.fromhex(line[4]))
        gateways.add(gateway + '%' + line[9] if gateway.startswith('fe80') else gateway)
for gateway in sorted(gateways)[:4]:
    attempt(gateway, ${String(port)})
resolvers = [line[1] for line in lines('/etc/resolv.conf') if line[:1] == ['nameserver'] and len(line) > 1]
for resolver in resolvers[:3]:
    ask(resolver)
print('routes', len(gateways))
print('resolvers', len(resolvers))
print('probed')
`;
