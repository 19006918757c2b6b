// SPDX-License-Identifier: Apache-2.0
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { openFakeSlack } from '../../specs/fake-slack.ts';
import type { OddAnswer } from '../../specs/scripted-http.ts';
import { providerContract, type Misbehaviour } from './provider.contract.ts';
import { slackProvider } from './slack-provider.ts';

/** What of a block a person sees, as Slack's clients read `mrkdwn`. */
function readBlocks(blocks: unknown): { text: string; links: string[] } {
  const links: string[] = [];
  const texts: string[] = [];
  const read = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { type, text, url, ...rest } = part as Record<string, unknown>;
    if (typeof url === 'string') links.push(url);
    if (typeof text === 'string') texts.push(type === 'mrkdwn' ? readMarkdown(text, links) : text);
    for (const each of [text, ...Object.values(rest)]) read(each);
  };
  read(blocks);
  return { text: texts.join('\n'), links };
}

/** Angle brackets make links, mentions and dates, of which only dates may occur. */
function readMarkdown(text: string, links: string[]): string {
  const shown = text.replaceAll(/<([^>]*)>/g, (_all, inner: string) => {
    if (!inner.startsWith('!date^')) links.push(inner);
    return inner.split('|')[1] ?? inner;
  });
  return shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const ODD: Readonly<Record<Misbehaviour, OddAnswer>> = {
  refuse: { status: 200, body: '{"ok":false,"error":"not_in_channel"}' },
  pause: { status: 429, retryAfter: '30' },
  silent: 'silent',
  malformed: { status: 200, body: '<html>' },
  long: { status: 200, body: ' '.repeat(300_000) },
  redirect: { status: 302, location: '/api/chat.postMessage' },
};

const open = async () => {
  const slack = await openFakeSlack();
  const { api_url, conversation, token, place, close } = slack;
  return {
    ...{ settings: { api_url, conversation }, secret: token, place, close },
    provider: (gate: EgressGate) => slackProvider({ gate, now: Date.now, timeoutMs: 500 }),
    received: () => slack.posts.map(({ blocks }) => readBlocks(blocks)),
    misbehave: (how: Misbehaviour) => void slack.failures.push(ODD[how]),
    attempts: () => slack.calls.length,
  };
};
providerContract('Slack', open, { pauseMs: 30_000, longIsSent: false, redirects: true });
