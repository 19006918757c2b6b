// SPDX-License-Identifier: Apache-2.0
import { argumentAt, type VerbRow } from '../registry/verb.ts';
import type { Match } from '../rules/match-template.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import type { Flat } from './expand.ts';
import { pathOf } from './path-text.ts';
import type { Effects } from './program.ts';
import { fillIn, isKnown, type Text } from './text.ts';

const FOLDER = { read: 'reads', write: 'writes', delete: 'deletes' } as const;

/** The port of verbs that connect to a host and name no other one. */
const USUAL_PORT = '443';
/** The methods with which network verbs ask an egress gate. */
const METHODS: Readonly<Record<string, string>> = {
  HttpGet: 'GET',
  HttpPost: 'POST',
  HttpPut: 'PUT',
  HttpDelete: 'DELETE',
  NetHttpStatus: 'GET',
  HttpLatency: 'GET',
  NetPing: 'CONNECT',
  NetTcpConnect: 'CONNECT',
  NetTlsCert: 'CONNECT',
};

/** Collects what steps may do, while they are compiled. */
export class EffectsFound {
  readonly #sets = {
    reads: new Set<string>(),
    writes: new Set<string>(),
    deletes: new Set<string>(),
    hosts: new Set<string>(),
    requests: new Set<string>(),
    templates: new Set<string>(),
    open: new Set<string>(),
  };
  readonly #sandbox: Sandbox;
  #network = false;
  #process = false;
  #writes = false;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  addStep(flat: Flat, args: readonly Text[], source: Text | null, match: Match | null): void {
    const { verb } = flat;
    this.#network ||= verb.effect === 'network' || match?.template.effect === 'network';
    this.#process ||= verb.effect === 'process';
    this.#writes ||= verb.effect === 'writes' || (verb.effect === 'process' && match?.template.effect !== 'read');
    if (match !== null) this.#sets.templates.add(match.template.id);
    if (source !== null) this.#addPath(source, 'read', `${flat.pointer}/template/source`);
    for (const [n, text] of args.entries()) {
      const argument = argumentAt(verb, n);
      if (argument?.kind === 'path') this.#addPath(text, argument.access, flat.argPointer(n));
      else if (argument?.kind === 'url' || argument?.kind === 'host') {
        this.#addHost(text, argument.kind, flat.argPointer(n));
        this.#addRequest(verb, argument.kind, args);
      } else if (verb.effect === 'process' && !isKnown(text)) this.#sets.open.add(flat.argPointer(n));
    }
    for (const { place, access } of match?.paths ?? [])
      this.#addPath(args[place] ?? [], access, flat.argPointer(place));
  }

  addPredicatePath(text: Text, pointer: string): void {
    this.#addPath(text, 'read', pointer);
  }

  #addPath(text: Text, access: keyof typeof FOLDER, pointer: string): void {
    const path = isKnown(text) ? pathOf(text, this.#sandbox).path : null;
    if (path === null) this.#sets.open.add(pointer);
    else this.#sets[FOLDER[access]].add(path);
  }

  #addHost(text: Text, kind: 'url' | 'host', pointer: string): void {
    if (!isKnown(text)) this.#sets.open.add(pointer);
    else {
      const value = fillIn(text, this.#sandbox);
      this.#sets.hosts.add((kind === 'url' && URL.canParse(value) ? new URL(value).hostname : value).toLowerCase());
    }
  }

  #addRequest(
    { name, args: [, second] }: VerbRow,
    kind: 'url' | 'host',
    [target = [], next = []]: readonly Text[],
  ): void {
    const method = METHODS[name];
    if (method === undefined || !isKnown(target)) return;
    const where = fillIn(target, this.#sandbox);
    if (kind === 'url') {
      if (!URL.canParse(where)) return;
      const { protocol, origin, pathname, search } = new URL(where);
      this.#note({ method: protocol === 'https:' ? 'CONNECT' : method, url: `${origin}${pathname}${search}` });
    } else if (second?.name !== 'port') this.#note({ method, url: `${where}:${USUAL_PORT}` });
    else if (isKnown(next)) this.#note({ method, url: `${where}:${fillIn(next, this.#sandbox) || USUAL_PORT}` });
  }

  #note(request: Effects['requests'][number]): void {
    this.#sets.requests.add(JSON.stringify(request));
  }

  all(): Effects {
    const sorted = (set: ReadonlySet<string>): string[] => [...set].sort();
    const { reads, writes, deletes, hosts, requests, templates, open } = this.#sets;
    return {
      reads: sorted(reads),
      writes: sorted(writes),
      deletes: sorted(deletes),
      hosts: sorted(hosts),
      requests: sorted(requests).map((request) => JSON.parse(request) as Effects['requests'][number]),
      templates: sorted(templates),
      open: sorted(open),
      network: this.#network,
      process: this.#process,
      category: this.#writes || this.#network ? 'write' : 'read',
    };
  }
}
