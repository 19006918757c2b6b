// SPDX-License-Identifier: Apache-2.0
import { html } from './html.ts';

it('a text becomes no markup, in a text and in an attribute', () => {
  const hostile = `"><script>alert('&')</script>`;
  const safe = '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;';
  expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(`<p title="${safe}">${safe}</p>`);
});

it('pieces of HTML and lists of them stay, numbers are texts, and null is nothing', () => {
  const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
  const { text } = html`<ul>
      ${items}
    </ul>
    ${null}${3}`;
  expect(text.replaceAll(/\s/g, '')).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>3');
});

it('an object that pretends to be HTML is text', () => {
  const forged = JSON.parse('{"text":"<script>"}') as never;
  expect(html`${forged}`.text).not.toContain('<script>');
});
