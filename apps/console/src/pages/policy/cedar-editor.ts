// SPDX-License-Identifier: Apache-2.0
// The editor of rules. It lives in a shadow root: there CodeMirror has its styles in sheets that scripts construct, so
// the page's policy, which allows no style elements, stays as it is.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { cedarTokens, type CedarKind } from '../../parts/cedar.ts';
import { codeOf, UNSEEN } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import type { DraftProblem } from './document.ts';

/** An editor that is open. */
export interface CedarEditor {
  /** Marks the lines of problems. */
  mark(problems: readonly DraftProblem[]): void;
  goTo(line: number): void;
  close(): void;
}

interface EditorGiven {
  readonly host: HTMLElement;
  readonly text: string;
  readonly changed: (text: string) => void;
}

/** Opens an editor in a host element, which has a shadow root from then on. */
export function openCedarEditor({ host, text, changed }: EditorGiven): CedarEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    doc: text,
    extensions: [
      ...EXTENSIONS,
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed(update.state.doc.toString());
      }),
    ],
  });
  return {
    mark: (problems) => view.dispatch({ effects: marked.of(problems.flatMap(({ line }) => line ?? [])) }),
    goTo: (line) => {
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

const kinds = Object.fromEntries(
  (['comment', 'text', 'annotation', 'keyword', 'variable', 'value', 'type'] as const).map((kind) => [
    kind,
    Decoration.mark({ class: `writ-${kind}` }),
  ]),
) as Readonly<Record<CedarKind, Decoration | undefined>>;

/** Colours of the lines in view. */
function coloursOf({ visibleRanges, state: { doc } }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges)
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      let begin = line.from;
      for (const { kind, text } of cedarTokens(line.text)) {
        const colour = kinds[kind];
        if (colour !== undefined) builder.add(begin, begin + text.length, colour);
        begin += text.length;
      }
      at = line.to + 1;
    }
  return builder.finish();
}

const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = coloursOf(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = coloursOf(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

const marked = StateEffect.define<readonly number[]>();
const WRONG_LINE = Decoration.line({ class: 'writ-wrong' });
const wrongLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { effects, changes, state: { doc } }) => {
    const lines = effects.findLast((effect) => effect.is(marked))?.value;
    if (lines === undefined) return before.map(changes);
    const known = [...new Set(lines)].filter((line) => line >= 1 && line <= doc.lines);
    return Decoration.set(
      known.toSorted((one, other) => one - other).map((line) => WRONG_LINE.range(doc.line(line).from)),
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A character that is not seen stands there by its code, as everywhere in the console. */
const unseen = highlightSpecialChars({
  specialChars: new RegExp(UNSEEN.source, 'gu'),
  render: (code) => {
    const element = document.createElement('span');
    element.className = 'writ-unseen';
    element.textContent = codeOf(String.fromCodePoint(code));
    element.setAttribute('aria-label', en.policy.editor.control(element.textContent));
    return element;
  },
});

/**
 * A character that replaces a selection is inserted here: a browser would give it the style of the replaced ones as an
 * attribute, which the page's policy forbids.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType, isComposing, cancelable } = event;
    if (inputType !== 'insertText' || data === null || isComposing || !cancelable || view.state.selection.main.empty)
      return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

const theme = EditorView.theme({
  '&': { maxHeight: '32rem', color: 'var(--text)', backgroundColor: 'var(--ground-soft)', fontSize: '0.75rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { minHeight: '16rem', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--ground-soft)', color: 'var(--text-soft)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--ground-chosen)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--ground-chosen)', color: 'inherit' },
  '.writ-comment': { color: 'var(--text-soft)', fontStyle: 'italic' },
  '.writ-text': { color: 'var(--good)' },
  '.writ-annotation, .writ-value': { color: 'var(--warn)' },
  '.writ-keyword': { color: 'var(--accent)', fontWeight: '600' },
  '.writ-variable': { color: 'var(--accent)' },
  '.writ-type': { fontWeight: '600' },
  '.writ-wrong': { backgroundColor: 'var(--bad-ground)', boxShadow: 'inset 2px 0 0 var(--bad)' },
  '.writ-unseen': { color: 'var(--bad)', backgroundColor: 'var(--bad-ground)', borderRadius: '2px' },
});

/** Tab moves on to the next field, as in every other one. */
const EXTENSIONS: readonly Extension[] = [
  lineNumbers(),
  history(),
  drawSelection(),
  bracketMatching(),
  unseen,
  typedOver,
  colours,
  wrongLines,
  theme,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': en.policy.editor.rules, 'aria-multiline': 'true' }),
  keymap.of([...defaultKeymap, ...historyKeymap]),
];
