// SPDX-License-Identifier: Apache-2.0
//
// Spellings of addresses, at a server of the official SDK. Rules of a policy compare texts, and such a server reads
// URLs: whatever text gives a resource must be the one text that a rule can name, or be refused before it is sent.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { mcpArgumentFaults, serverRequests } from '@writ/mcp-tool';
import fc from 'fast-check';

const LISTED = [
  'draft://seven/a.b',
  'draft://seven',
  'draft://seven:5432/a/b/',
  'urn:draft:7',
  'file:///work/a.txt',
  'http://seven.example/',
  'http://127.0.0.1:8080/a?b=c',
  'https://xn--bcher-kva.example/a/b',
];
/** Of a template, whose server unescapes and resolves what it reads, as many do. */
const TEMPLATED = ['note://7/a', 'note://7/b.txt', 'note://seven/~x'];

const PARAMETERS = serverRequests({ resources: {} }).find(({ name }) => name === 'resources/read')!.inputSchema;
const isAccepted = (uri: string): boolean =>
  mcpArgumentFaults({ parameters: PARAMETERS, mayAsk: false, remoteName: 'resources/read' }, { uri }).length === 0;

const escaped = (text: string): string => `%${text.charCodeAt(0).toString(16).padStart(2, '0')}`;
/** What another spelling puts anywhere, in the place of a character or beside it. */
const STRAY = [' ', '\t', '\n', '\r', '\0', '\u0001', '\u007f', '\u00a0', '\u200b', '\ufeff', '%20', '%00', '%'];
const SEGMENTS = [
  '.',
  '..',
  '%2e',
  '%2E',
  '.%2e',
  '%2E%2e',
  '%2e%2E',
  'x/..',
  'x/%2e%2e',
  'x%2F..',
  'x%5c..',
  'x\\..',
  '',
];
const PORTS = [':', ':80', ':443', ':080', ':0443', ':8080'];
const HOSTS = [
  'b\u00fccher.example',
  'B\u00dcCHER.example',
  'xn--BCHER-kva.example',
  '127.1',
  '0x7f.0.0.1',
  'localhost',
];
const ENDS = ['/', '?', '#', '?#', '/.', '/..', '\\', ' ', '\u0000', ';', '//'];

type Change = (uri: string, at: number) => string;
const inserting =
  (text: string): Change =>
  (uri, at) =>
    uri.slice(0, at) + text + uri.slice(at);
const replacing =
  (write: (character: string) => string): Change =>
  (uri, at) =>
    uri.slice(0, at) + write(uri.charAt(at)) + uri.slice(at + 1);
/** Behind one of the slashes. */
const behindSlash =
  (segment: string): Change =>
  (uri, at) => {
    const from = uri.indexOf('/', at);
    return from === -1 ? uri : `${uri.slice(0, from)}/${segment}${uri.slice(from)}`;
  };
const inHost =
  (write: (host: string) => string): Change =>
  (uri) =>
    uri.replace(/(?<=:\/\/)[^/?#]*/, write);
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...STRAY).map(inserting),
  fc
    .constantFrom(
      (c: string) => c.toUpperCase(),
      escaped,
      (c: string) => escaped(c).toUpperCase(),
    )
    .map(replacing),
  fc.constant(replacing((character) => (character === '/' ? '\\' : character))),
  fc.constantFrom(...SEGMENTS).map(behindSlash),
  fc.constantFrom(...PORTS).map((port) => inHost((host) => host + port)),
  fc.constantFrom(...HOSTS).map((host) => inHost(() => host)),
  fc
    .constantFrom(
      (host: string) => host.toUpperCase(),
      (host: string) => `@${host}`,
    )
    .map(inHost),
  fc.constantFrom(...ENDS).map(
    (end): Change =>
      (uri) =>
        uri + end,
  ),
  fc.constant<Change>((uri) => uri.toUpperCase()),
  fc.constant<Change>((uri) => uri.replace(/\/$/, '')),
  fc.constant<Change>((uri) => uri.replace('://', ':')),
  fc.constant<Change>((uri) => uri.replace('://', ':\\\\')),
);
const spellings = fc
  .tuple(
    fc.oneof(fc.constantFrom(...LISTED), fc.constantFrom(...TEMPLATED)),
    fc.array(fc.tuple(changes, fc.nat({ max: 63 })), { minLength: 1, maxLength: 3 }),
  )
  .map(([listed, made]) => made.reduce((uri, [change, where]) => change(uri, where % (uri.length + 1)), listed));

/** A path without segments of dots and without controls, as a server reads it that opens files by it. */
function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.replaceAll(/\p{Cc}/gu, '').split(/[/\\]/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

let client: Client;
beforeAll(async () => {
  const server = new McpServer({ name: 'docs', version: '1' });
  for (const uri of LISTED) server.registerResource(uri, uri, {}, () => ({ contents: [{ uri, text: '' }] }));
  server.registerResource(
    'note',
    new ResourceTemplate('note://{id}/{+part}', { list: undefined }),
    {},
    (_uri, found) => {
      const [id, part] = [found['id'], found['part']].map((each) => decodeURIComponent(String(each)));
      return { contents: [{ uri: `note://${id}/${resolved(part ?? '')}`, text: '' }] };
    },
  );
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  client = new Client({ name: 'spec', version: '1' });
  await server.connect(theirs);
  await client.connect(ours);
});
afterAll(() => client.close());

/** The one address of what the server gives for a text; null where it has nothing. */
const given = async (uri: string): Promise<string | null> =>
  await client.readResource({ uri }).then(
    ({ contents }) => contents[0]?.uri ?? null,
    () => null,
  );

it.each([...LISTED, ...TEMPLATED])('the address %s is accepted as it is listed', async (uri) => {
  expect([isAccepted(uri), await given(uri)]).toEqual([true, uri]);
});

it('no other spelling of an address is accepted', async () => {
  let others = 0;
  await fc.assert(
    fc.asyncProperty(spellings, async (uri) => {
      const found = await given(uri);
      const isListed = found !== null && [...LISTED, ...TEMPLATED].includes(found);
      others += isListed && found !== uri ? 1 : 0;
      if (isListed && isAccepted(uri)) expect(uri).toBe(found);
    }),
    { numRuns: 5_000 },
  );
  // Such spellings were tried.
  expect(others).toBeGreaterThan(100);
});
