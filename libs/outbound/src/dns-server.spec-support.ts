import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import type { AddressInfo } from 'node:net';
import { addressesBy, type AddressResolver } from './address-resolver.js';

const TYPE = { 1: 4, 28: 6 } as const;
const NXDOMAIN = 3;

/** Addresses of a name the n-th time (from 1) that it is asked for in one IP version; undefined: there is no such name. */
export type Zone = (name: string, time: number) => readonly string[] | undefined;

/** A name server on loopback, and a resolver that asks it and nobody else. */
export class DnsServer {
  /** Queries so far, as `hooks.example.com/4`. */
  readonly queries: string[] = [];
  readonly resolve: AddressResolver;
  readonly #socket: Socket;

  private constructor(socket: Socket, zone: Zone) {
    this.#socket = socket;
    const resolver = new Resolver({ timeout: 1000, tries: 2 });
    resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
    this.resolve = (name) => addressesBy(resolver, name);
    socket.on('message', (query, { port, address }) => socket.send(this.#answer(query, zone), port, address));
  }

  static async start(zone: Zone): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket, zone);
  }

  /** RFC 1035: the header, the question as it came, and one record per address. */
  #answer(query: Buffer, zone: Zone): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const type = query.readUInt16BE(at + 1) as keyof typeof TYPE;
    const asked = `${name}/${TYPE[type]}`;
    this.queries.push(asked);
    const addresses = zone(name, this.queries.filter((query) => query === asked).length);
    const records = (addresses ?? []).filter((address) => isIP(address) === TYPE[type]).map((address) => record(type, address));

    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (addresses === undefined ? NXDOMAIN : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, query.subarray(12, at + 5), ...records]);
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}

function record(type: number, address: string): Buffer {
  const data = isIP(address) === 4 ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name of the question
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
