// SPDX-License-Identifier: Apache-2.0
// A server on loopback that takes what a workflow of Teams takes ("When a Teams webhook request is received"), and
// shows the card as Teams does.
import { openScriptedHttp } from './scripted-http.ts';

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly url?: string;
  readonly inlines?: readonly Part[];
}
interface Card extends Part {
  readonly version: string;
  readonly body: readonly Part[];
  readonly actions: readonly Part[];
}
/** Most bytes of a message. */
const BYTES_MAX = 28 * 1_024;

/** Opens it. Only the whole URL, with its signature, is served. */
export async function openFakeTeams(signature = 'a-signature-of-a-spec') {
  const cards: { readonly text: string; readonly links: readonly string[] }[] = [];
  const path = `/workflows/a/triggers/manual/paths/invoke?api-version=2016-06-01&sig=${signature}`;
  const http = await openScriptedHttp((request, response, body) => {
    const isJson = /^application\/json/.test(request.headers['content-type'] ?? '');
    if (request.url !== path) return void response.writeHead(401).end();
    const shown = isJson && Buffer.byteLength(body) <= BYTES_MAX ? shownOf(JSON.parse(body) as unknown) : null;
    if (shown === null) return void response.writeHead(400).end();
    cards.push(shown);
    response.writeHead(202).end();
  });
  const { place, close, failures, paths } = http;
  return { ...{ cards, place, close, failures, paths }, url: `http://${place}${path}` };
}

function shownOf(message: unknown): { text: string; links: string[] } | null {
  const { type, attachments } = message as { type?: string; attachments?: { contentType: string; content: Card }[] };
  const [attachment, ...more] = attachments ?? [];
  if (type !== 'message' || attachment === undefined || more.length > 0) return null;
  if (attachment.contentType !== 'application/vnd.microsoft.card.adaptive') return null;
  const { content } = attachment;
  if (content.type !== 'AdaptiveCard' || 'msteams' in content) return null;
  const links: string[] = [];
  const lines = content.body.map((part) => lineOf(part, links));
  for (const { type: kind, url } of content.actions) if (kind === 'Action.OpenUrl') links.push(url ?? '');
  return { text: lines.join('\n'), links };
}

/** Runs of text are shown as they are but for dates, and blocks of text as Markdown. */
function lineOf({ type, text = '', inlines = [] }: Part, links: string[]): string {
  if (type !== 'RichTextBlock') {
    for (const [, url = ''] of text.matchAll(/\[[^\]]*\]\(([^)]*)\)/g)) links.push(url);
    return text.replaceAll(/[*_[\]]/g, '');
  }
  return inlines.map((run) => (run.text ?? '').replaceAll(/\{\{(?:DATE|TIME)\([^)]*\)\}\}/g, '(a date)')).join('');
}
