// Rich text by ProseMirror, loaded when a conversation is open. Text that comes from outside (drafts, the clipboard, what is dropped) is
// read by html.ts, so the parser of the browser never sees it, and the library never makes a policy of trusted types for it.
import { baseKeymap, setBlockType, toggleMark, wrapIn, lift } from 'prosemirror-commands';
import { closeHistory, history, redo, undo } from 'prosemirror-history';
import { inputRules, textblockTypeInputRule, undoInputRule, wrappingInputRule, type InputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import { Fragment, Schema, Slice, type Node as DocNode } from 'prosemirror-model';
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list';
import { EditorState, Selection, TextSelection, type Command } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { prefix } from '../../kit/api';
import { docOf, docOfText, plainText, readHtml, safeAddress, textOf, written, type Node, type Written } from './html';
import type { Form, Surface } from './surface';

const addressOfFile = (file: number) => `${prefix}/api/v1/files/${file}/content`;

export const messages = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: { content: 'inline*', group: 'block', parseDOM: [{ tag: 'p' }, { tag: 'div' }], toDOM: () => ['div', { dir: 'auto' }, 0] },
    blockquote: { content: 'block+', group: 'block', defining: true, parseDOM: [{ tag: 'blockquote' }], toDOM: () => ['blockquote', 0] },
    code_block: { content: 'text*', marks: '', group: 'block', code: true, defining: true, parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }], toDOM: () => ['pre', ['code', 0]] },
    ordered_list: {
      content: 'list_item+', group: 'block', attrs: { order: { default: 1 } }, parseDOM: [{ tag: 'ol', getAttrs: (dom) => ({ order: Number(dom.getAttribute('start')) || 1 }) }],
      toDOM: (node) => ['ol', node.attrs['order'] === 1 ? {} : { start: node.attrs['order'] }, 0],
    },
    bullet_list: { content: 'list_item+', group: 'block', parseDOM: [{ tag: 'ul' }], toDOM: () => ['ul', 0] },
    list_item: { content: 'paragraph block*', defining: true, parseDOM: [{ tag: 'li' }], toDOM: () => ['li', 0] },
    text: { group: 'inline' },
    hard_break: { inline: true, group: 'inline', selectable: false, parseDOM: [{ tag: 'br' }], toDOM: () => ['br'] },
    // file: its id, as soon as it is uploaded; url: its bytes in this page
    picture: {
      inline: true, group: 'inline', draggable: true, attrs: { file: { default: null }, alt: { default: '' }, url: { default: '' } },
      parseDOM: [{ tag: 'img[data-picture]', getAttrs: (dom) => ({ file: Number(dom.getAttribute('data-picture')) || null, alt: dom.getAttribute('alt') ?? '', url: dom.getAttribute('data-url') ?? '' }) }],
      toDOM: ({ attrs }) => ['img', { src: attrs['url'] || addressOfFile(attrs['file'] as number), alt: attrs['alt'], 'data-picture': attrs['file'] ?? '', 'data-url': attrs['url'], ...(attrs['file'] ? {} : { class: 'loading' }) }],
    },
  },
  marks: {
    link: { attrs: { href: {} }, inclusive: false, parseDOM: [{ tag: 'a[href]', getAttrs: (dom) => { const href = safeAddress(dom.getAttribute('href') ?? ''); return href ? { href } : false; } }], toDOM: ({ attrs }) => ['a', { href: attrs['href'], rel: 'noopener noreferrer' }, 0] },
    strong: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: () => ['strong', 0] },
    em: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: () => ['em', 0] },
    code: { parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
  },
});
export { Schema, setBlockType, textblockTypeInputRule };

/** The kind of a text: its schema, which has what that of messages has, and how it is read and written. */
export interface Kind {
  schema: Schema;
  read: (text: Written) => Node;
  write: (doc: DocNode) => Written;
  /** HTML of the clipboard. */
  pasted: (html: string) => Node;
  keys?: Record<string, Command>;
  rules?: InputRule[];
  /** Each document that was read. */
  given?: (doc: DocNode) => void;
  /** The caret begins at the top, and another version of the text keeps its place. */
  stays?: boolean;
}

const treeOf = (doc: DocNode) => doc.toJSON() as Node;

const isInside = (state: EditorState, name: string) => {
  const { $from } = state.selection;
  for (let depth = $from.depth; depth > 0; depth--) if ($from.node(depth).type.name === name) return true;
  return false;
};
export interface RichOptions {
  label: string;
  text: Written;
  /** What is selected in the plain text. */
  selected?: { from: number; to: number } | undefined;
  onChange: () => void;
  /** After each change of the text or the selection. */
  onMove: () => void;
  onFiles: (files: FileList) => void;
}

/** What the clipboard or a drop has: files, or a tree. Files beside a text are pictures of the text, which some programs add. */
const taken = (data: DataTransfer | null, pasted: Kind['pasted'], onFiles: RichOptions['onFiles'], plain: boolean): Node | undefined => {
  const html = plain ? '' : data?.getData('text/html') ?? '', tree = html ? pasted(html) : undefined;
  if (data?.files.length && !(tree && textOf(tree).trim())) { onFiles(data.files); return undefined; }
  if (tree) return tree;
  const text = plainText(data?.getData('text/plain') ?? '');
  return text ? docOfText(text) : undefined;
};

export const richOf = ({ schema, read, write, pasted, keys: more, rules: moreRules = [], given, stays }: Kind) => {
  const { nodes, marks } = schema, kind = (name: string) => nodes[name]!, markOf = (name: string) => marks[name]!;
  const docFrom = (tree: Node) => schema.nodeFromJSON(tree);
  const list = (name: 'bullet_list' | 'ordered_list'): Command => (state, dispatch) =>
    isInside(state, name) ? liftListItem(kind('list_item'))(state, dispatch) : wrapInList(kind(name))(state, dispatch);
  const COMMANDS: Record<Exclude<Form, 'link'>, Command> = {
    strong: toggleMark(markOf('strong')), em: toggleMark(markOf('em')), code: toggleMark(markOf('code')),
    bullet_list: list('bullet_list'), ordered_list: list('ordered_list'),
    blockquote: (state, dispatch) => isInside(state, 'blockquote') ? lift(state, dispatch) : wrapIn(kind('blockquote'))(state, dispatch),
    code_block: (state, dispatch) => setBlockType(kind(isInside(state, 'code_block') ? 'paragraph' : 'code_block'))(state, dispatch),
  };

  const newLine: Command = (state, dispatch) => {
    dispatch?.(state.tr.replaceSelectionWith(kind('hard_break').create()).scrollIntoView());
    return true;
  };
  // Ctrl+Enter sends, so it is no key of the text. Tab leaves the text; Ctrl+] and Ctrl+[ move items of lists.
  const { 'Mod-Enter': _, ...keysOfText } = baseKeymap;
  const keys = {
    'Mod-b': COMMANDS.strong, 'Mod-i': COMMANDS.em, 'Mod-e': COMMANDS.code, 'Mod-Shift-7': COMMANDS.ordered_list, 'Mod-Shift-8': COMMANDS.bullet_list, 'Mod-Shift-9': COMMANDS.blockquote,
    'Mod-z': undo, 'Mod-y': redo, 'Mod-Shift-z': redo, 'Backspace': undoInputRule, 'Shift-Enter': newLine,
    'Enter': splitListItem(kind('list_item')), 'Mod-]': sinkListItem(kind('list_item')), 'Mod-[': liftListItem(kind('list_item')),
    ...more,
  } satisfies Record<string, Command>;
  const rules = inputRules({ rules: [
    wrappingInputRule(/^\s*>\s$/, kind('blockquote')),
    wrappingInputRule(/^\s*([-*])\s$/, kind('bullet_list')),
    wrappingInputRule(/^(\d{1,3})\.\s$/, kind('ordered_list'), (match) => ({ order: Number(match[1]) }), (match, node) => node.childCount + Number(node.attrs['order']) === Number(match[1])),
    textblockTypeInputRule(/^```$/, kind('code_block')), ...moreRules,
  ] });

  return (place: HTMLElement, options: RichOptions): Surface & { view: EditorView } => {
    const sliceOf = (tree: Node) => Slice.maxOpen(docFrom(tree).content);
    const stateOf = (text: Written, at = stays ? 0 : Infinity) => {
      const doc = docFrom(read(text));
      given?.(doc);
      return EditorState.create({ doc, selection: at < doc.content.size ? Selection.near(doc.resolve(at)) : Selection.atEnd(doc), plugins: [history(), rules, keymap(keys), keymap(keysOfText)] });
    };
    let shiftHeld = false;
    const paste = (view: EditorView, tree: Node) => {
      const { $from } = view.state.selection;
      // A code block takes only text.
      if ($from.parent.type.spec.code) view.dispatch(view.state.tr.insertText(textOf(tree)).scrollIntoView());
      else view.dispatch(closeHistory(view.state.tr).replaceSelection(sliceOf(tree)).scrollIntoView().setMeta('paste', true));
    };
    const view: EditorView = new EditorView({ mount: place }, {
      state: stateOf(options.text),
      attributes: { role: 'textbox', 'aria-multiline': 'true', 'aria-label': options.label, class: 'rich' },
      dispatchTransaction(change) {
        view.updateState(view.state.apply(change));
        if (change.docChanged) options.onChange();
        options.onMove();
      },
      clipboardTextSerializer: (slice) => slice.content.childCount ? textOf({ type: 'doc', content: slice.content.toJSON() as Node[] }) : '',
      handleDOMEvents: {
        // Ctrl+Enter and Escape are keys of the page: the library would take them. Its own keys act on the selection that it knows, but a busy
        // browser reports a key before the selection that came earlier (Ctrl+A, then Delete): it reads the selection at this event.
        keydown: (_view, event) => {
          document.dispatchEvent(new Event('selectionchange'));
          shiftHeld = event.shiftKey;
          return (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) || event.key === 'Escape';
        },
        paste: (_view, event) => {
          const tree = taken(event.clipboardData, pasted, options.onFiles, shiftHeld);
          event.preventDefault();
          if (tree) paste(view, tree);
          return true;
        },
        drop: (_view, event) => {
          if (view.dragging) return false; // within the text
          event.preventDefault();
          const tree = taken(event.dataTransfer, pasted, options.onFiles, false), at = view.posAtCoords({ left: event.clientX, top: event.clientY });
          if (at) view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(at.pos))));
          if (tree) paste(view, tree);
          view.focus();
          return true;
        },
      },
    });

    if (options.selected && !options.text.html) {
      // Each line is a paragraph, so a line break takes two places.
      const at = (offset: number) => 1 + offset + options.text.contents.slice(0, offset).split('\n').length - 1;
      view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, at(options.selected.from), at(options.selected.to))));
    }

    // The library listens to the document until the view is destroyed.
    let left: EditorState | undefined;
    const doc = () => (left ?? view.state).doc;

    const pictureAt = (url: string) => {
      let found = -1;
      doc().descendants((node, at) => { if (node.type.name === 'picture' && node.attrs['url'] === url) found = at; return found < 0; });
      return found;
    };
    const linkAround = () => {
      const { $from, from, to, empty } = view.state.selection;
      if (!empty) return { from, to, href: '' + (markOf('link').isInSet($from.marks())?.attrs['href'] ?? markOf('link').isInSet($from.nodeAfter?.marks ?? [])?.attrs['href'] ?? '') };
      const mark = markOf('link').isInSet($from.marks()) ?? markOf('link').isInSet($from.nodeAfter?.marks ?? []);
      if (!mark) return { from, to, href: '' };
      let start = $from.start(), end = start;
      $from.parent.forEach((node, offset) => { // the run of the link around the caret
        const at = $from.start() + offset;
        if (!mark.isInSet(node.marks)) { if (at + node.nodeSize <= from) start = at + node.nodeSize; return; }
        if (at <= from || end >= at) end = at + node.nodeSize;
      });
      return { from: start, to: end, href: String(mark.attrs['href']) };
    };
    const run = (command: Command) => { command(view.state, view.dispatch, view); view.focus(); };

    return {
      view, element: view.dom,
      read: () => write(doc()),
      // Another text: Ctrl+Z does not bring the former one back.
      write: (text) => { view.updateState(stateOf(text, stays ? view.state.selection.from : undefined)); options.onMove(); },
      append: (text) => {
        const { doc } = view.state, last = doc.lastChild!, empty = doc.childCount === 1 && last.isTextblock && !last.content.size;
        const more = docFrom(read(text)).content, change = view.state.tr;
        if (empty) change.replaceWith(0, doc.content.size, more);
        else change.insert(doc.content.size, Fragment.from(kind('paragraph').create()).append(more));
        view.dispatch(change.setSelection(Selection.atEnd(change.doc)).scrollIntoView());
      },
      isEmpty: () => {
        let empty = true;
        doc().descendants((node) => { if ((node.isText && node.text!.trim()) || node.type.name === 'picture') empty = false; return empty; });
        return empty;
      },
      focus: () => { if (!left) view.focus(); },
      end: () => { left = view.state; view.destroy(); },
      before: () => {
        const { $from, empty } = view.state.selection;
        return empty && $from.parent.isTextblock ? $from.parent.textBetween(0, $from.parentOffset, undefined, '\ufffc') : undefined;
      },
      insert: (text, back = 0, address) => {
        const { from, to } = view.state.selection, href = address ? safeAddress(address) : undefined;
        const lines = text.split('\n').flatMap((line, i) => [...(i ? [kind('hard_break').create()] : []), ...(line ? [schema.text(line, href ? [markOf('link').create({ href })] : null)] : [])]);
        view.dispatch(view.state.tr.replaceWith(from - back, to, Fragment.from(lines)).scrollIntoView());
      },
      rich: {
        forms: () => {
          const { $from, from, to, empty } = view.state.selection, found = new Set<Form>();
          for (const name of ['strong', 'em', 'code', 'link'] as const)
            if (empty ? markOf(name).isInSet(view.state.storedMarks ?? $from.marks()) : view.state.doc.rangeHasMark(from, to, markOf(name))) found.add(name);
          for (const name of ['bullet_list', 'ordered_list', 'blockquote', 'code_block'] as const) if (isInside(view.state, name)) found.add(name);
          return found;
        },
        toggle: (form) => run(COMMANDS[form]),
        address: () => linkAround().href,
        link: (address) => {
          const { from, to } = linkAround(), href = address ? safeAddress(address) : undefined, change = view.state.tr;
          if (from < to) change.removeMark(from, to, markOf('link'));
          if (href && from < to) change.addMark(from, to, markOf('link').create({ href }));
          else if (href) change.insert(from, schema.text(address.trim(), [markOf('link').create({ href })]));
          view.dispatch(change);
          view.focus();
        },
        picture: (url, name) => view.dispatch(view.state.tr.replaceSelectionWith(kind('picture').create({ url, alt: name }), false).scrollIntoView()),
        ready: (url, file) => {
          const at = pictureAt(url), node = at < 0 ? undefined : doc().nodeAt(at), { tr } = left ?? view.state;
          if (!node) return;
          const change = file ? tr.setNodeMarkup(at, null, { ...node.attrs, file }) : tr.delete(at, at + node.nodeSize);
          if (left) left = left.apply(change), options.onChange(); else view.dispatch(change);
        },
        undo: () => run(undo),
        redo: () => run(redo),
      },
    };
  };
};

export const createRich = richOf({ schema: messages, read: docOf, write: (doc) => written(treeOf(doc)), pasted: readHtml });
