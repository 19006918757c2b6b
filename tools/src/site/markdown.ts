// SPDX-License-Identifier: Apache-2.0
// Changes to VitePress' Markdown, so that a page has the same meaning as in the repository.
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { drawDiagram } from './diagram.ts';
import { addressOf, targetOf, type Pages } from './pages.ts';

/** The used parts of Markdown-it in VitePress. */
type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type CoreRule = Parameters<Markdown['core']['ruler']['push']>[1];
type Token = Parameters<CoreRule>[0]['tokens'][number];
type TokenClass = Parameters<CoreRule>[0]['Token'];

export interface MarkdownSettings {
  readonly checkout: string;
  readonly pages: Pages;
  /** The address of the repository's files, with a slash at its end. Without it, links to them are shown as paths. */
  readonly repository: string | undefined;
}

/**
 * HTML tags in documents, and texts that are no tag. Others are placeholders like `<name>`, which Vue would take for
 * components.
 */
const HTML = /^<\/?(?:a|br|details|summary|div|img|kbd|p|picture|source|sub|sup)\b|^<!--|^[^<]/i;

/** Two braces would be an expression of Vue. */
const escapeBraces = (html: string): string => html.replaceAll('{{', '&#123;&#123;');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The anchor of a heading, by GitHub's rules. Markdown-it numbers duplicates. */
export const slugify = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** A link to a file outside of the site: its address in the repository, or undefined without one. */
export const repositoryLink = (
  { checkout, repository }: MarkdownSettings,
  path: string,
  anchor: string,
): string | undefined => {
  // A link to a missing file is kept, and the check of dead links finds it.
  if (repository === undefined || statSync(join(checkout, path), { throwIfNoEntry: false }) === undefined)
    return undefined;
  return `${repository}${encodeURI(path)}${anchor}`;
};

const pageAddress = ({ pages }: MarkdownSettings, path: string): string | undefined => {
  const place = pages.get(path) ?? pages.get(`${path}/README.md`);
  return place === undefined ? undefined : addressOf(place);
};

/** Rewrites the links of one line of text. A link without an address becomes its text and the path in code. */
const rewriteLinks = (settings: MarkdownSettings, source: string, tokens: Token[], NewToken: TokenClass): Token[] => {
  const result: Token[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token;
    result.push(token);
    const target = token.type === 'link_open' ? targetOf(source, token.attrGet('href') ?? '') : undefined;
    if (target === undefined) continue;
    const page = pageAddress(settings, target.path);
    const address =
      page === undefined ? repositoryLink(settings, target.path, target.anchor) : `${page}${target.anchor}`;
    if (address !== undefined) {
      token.attrSet('href', address);
      continue;
    }
    const isThere = statSync(join(settings.checkout, target.path), { throwIfNoEntry: false }) !== undefined;
    if (!isThere) continue;
    const end = tokens.findIndex(({ type }, at) => at > index && type === 'link_close');
    const inner = tokens.slice(index + 1, end);
    result.pop();
    result.push(...inner, ...pathTokens(inner, target.path, NewToken));
    index = end;
  }
  return result;
};

const pathTokens = (inner: readonly Token[], path: string, NewToken: TokenClass): Token[] => {
  if (inner.some(({ content }) => content === path)) return [];
  const text = (content: string): Token => Object.assign(new NewToken('text', '', 0), { content });
  const code = Object.assign(new NewToken('code_inline', 'code', 0), { content: path, markup: '`' });
  return [text(' ('), code, text(')')];
};

/** Applies all of this to a renderer. */
export const adaptMarkdown = (settings: MarkdownSettings) => (markdown: Markdown) => {
  const { rules } = markdown.renderer;
  rules.text = (tokens, index) => escapeBraces(escapeHtml(tokens[index]?.content ?? ''));
  rules.code_inline = (tokens, index) => `<code>${escapeBraces(escapeHtml(tokens[index]?.content ?? ''))}</code>`;
  const tag = (tokens: Token[], index: number): string => {
    const content = tokens[index]?.content ?? '';
    return escapeBraces(HTML.test(content.trimStart()) ? content : escapeHtml(content));
  };
  rules.html_inline = tag;
  rules.html_block = tag;
  const { fence } = rules;
  rules.fence = (tokens, index, ...rest) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    return info.trim() === 'mermaid' ? drawDiagram(content) : (fence?.(tokens, index, ...rest) ?? '');
  };
  // `:name:` and braces are plain text.
  markdown.disable('emoji', true);
  markdown.core.ruler.push('site-links', (state) => {
    const { realPath, path } = state.env as { realPath?: string; path?: string };
    const source = relative(settings.checkout, realPath ?? path ?? '');
    for (const token of state.tokens) {
      // Indented code gets the same frame and button as fenced code.
      if (token.type === 'code_block') token.type = 'fence';
      if (token.children !== null) token.children = rewriteLinks(settings, source, token.children, state.Token);
    }
  });
};
