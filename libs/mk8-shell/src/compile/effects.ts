// SPDX-License-Identifier: Apache-2.0
import { argumentAt } from '../registry/verb.ts';
import type { Match } from '../rules/match-template.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import type { Flat } from './expand.ts';
import { pathOf } from './path-text.ts';
import type { Effects } from './program.ts';
import { fillIn, isKnown, type Text } from './text.ts';

const FOLDER = { read: 'reads', write: 'writes', delete: 'deletes' } as const;

const [HTTP, HTTPS] = ['80', '443'];
/** What verbs that connect ask a gate for. */
const METHODS: Readonly<Record<string, string>> = {
  HttpGet: 'GET',
  HttpPost: 'POST',
  HttpPut: 'PUT',
  HttpDelete: 'DELETE',
  NetHttpStatus: 'GET',
  HttpLatency: 'GET',
  NetTcpConnect: 'CONNECT',
  NetTlsCert: 'CONNECT',
};

/** Gathers what steps may do, as they are compiled. */
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
        this.#addRequest(verb.name, argument.kind, args);
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

  #addRequest(verb: string, kind: 'url' | 'host', [target = [], port = []]: readonly Text[]): void {
    const method = METHODS[verb];
    if (method === undefined || !isKnown(target) || (kind === 'host' && !isKnown(port))) return;
    const [where, at] = [fillIn(target, this.#sandbox), fillIn(port, this.#sandbox)];
    const written = kind === 'url' ? where : `https://${where}:${at === '' ? HTTPS : at}/`;
    // No gate has other ports: what asks for one is told so when it runs.
    if (!URL.canParse(written) || (kind === 'host' && !['', HTTP, HTTPS].includes(at))) return;
    const { protocol, origin, pathname, search } = new URL(written);
    this.#sets.requests.add(
      JSON.stringify({ method: protocol === 'https:' ? 'CONNECT' : method, url: `${origin}${pathname}${search}` }),
    );
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
