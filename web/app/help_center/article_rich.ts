// The rich text of articles: that of messages (app/editor/rich.ts), with headings, groups, and what blocks.ts keeps.
import type { Node as DocNode } from 'prosemirror-model';
import type { Command } from 'prosemirror-state';
import { prefix } from '../../kit/api';
import { plainText, readHtml, type Node } from '../editor/html';
import type { RichOptions } from '../editor/rich';
import { blocksHtml, nameOfRaw, pictureHtml, pictureOf, readBlocks, type Doc, type Source } from './blocks';

/** Names of raw blocks for readers of the screen and for the eye. */
export interface Names { raw: (tag: string) => string; picture: string }

const load = async () => {
  const lib = await import('../editor/rich'), base = lib.messages.spec;
  const withOrigin = (name: string, more: object = {}) => { const spec = base.nodes.get(name)!; return { ...spec, ...more, attrs: { ...spec.attrs, origin: { default: null } } }; };
  const rawDom = (html: string, named: (tag: string) => string) => {
    const { tag, text } = nameOfRaw(html);
    return ['div', { class: 'raw', 'data-html': packed(html), contenteditable: 'false' }, ['b', named(tag)], ['span', { dir: 'auto' }, text]] as const;
  };
  const schemaOf = (names: Names) => new lib.Schema({
    nodes: base.nodes
      .update('paragraph', withOrigin('paragraph')).update('blockquote', withOrigin('blockquote')).update('code_block', withOrigin('code_block'))
      .update('ordered_list', withOrigin('ordered_list')).update('bullet_list', withOrigin('bullet_list')).update('list_item', withOrigin('list_item', { content: 'block+' }))
      .update('picture', {
        ...base.nodes.get('picture')!, attrs: { file: { default: null }, alt: { default: '' }, url: { default: '' }, html: { default: '' }, own: { default: '' }, data: { default: '' } },
        parseDOM: [{ tag: '[data-picture]', getAttrs: (dom) => pictureOf(unpacked(dom.getAttribute('data-picture')!)).attrs! }],
        toDOM: ({ attrs }) => {
          const src = attrs['url'] || attrs['data'] || (attrs['own'] ? `${prefix}/api/v1/${attrs['own']}` : attrs['file'] ? `${prefix}/api/v1/files/${attrs['file']}/content` : ''), kept = packed(pictureHtml(attrs));
          return src ? ['img', { src, alt: attrs['alt'], 'data-picture': kept, ...(attrs['url'] && !attrs['file'] ? { class: 'loading' } : {}) }] : ['span', { class: 'elsewhere', 'data-picture': kept }, `${names.picture} ${attrs['alt']}`];
        },
      })
      .addToEnd('heading', {
        content: 'inline*', group: 'block', defining: true, attrs: { level: { default: 2 }, origin: { default: null } },
        parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })), toDOM: ({ attrs }) => [`h${attrs['level']}`, { dir: 'auto' }, 0],
      })
      .addToEnd('group', { content: 'block+', group: 'block', attrs: { origin: { default: null } }, parseDOM: [{ tag: 'section' }], toDOM: () => ['section', 0] })
      .addToEnd('raw', {
        group: 'block', atom: true, draggable: true, attrs: { html: {}, origin: { default: null } },
        parseDOM: [{ tag: 'div[data-html]', getAttrs: (dom) => ({ html: unpacked(dom.getAttribute('data-html')!) }) }], toDOM: ({ attrs }) => rawDom(String(attrs['html']), names.raw),
      })
      .addToEnd('piece', { inline: true, group: 'inline', atom: true, attrs: { html: {} }, parseDOM: [{ tag: 'span[data-piece]', getAttrs: (dom) => ({ html: unpacked(dom.getAttribute('data-piece')!) }) }], toDOM: ({ attrs }) => ['span', { 'data-piece': packed(attrs['html']) }] }),
    marks: base.marks.addToEnd('other', {
      attrs: { open: {}, name: {} }, excludes: '', parseDOM: [{ tag: 'span[data-open]', getAttrs: (dom) => ({ open: unpacked(dom.getAttribute('data-open')!), name: dom.getAttribute('data-name') }) }],
      toDOM: ({ attrs }) => [/^(u|s|sub|sup|small|mark|kbd|del|ins)$/.test(String(attrs['name'])) ? String(attrs['name']) : 'span', { 'data-open': packed(attrs['open']), 'data-name': attrs['name'] }, 0],
    }),
  });
  return { lib, schemaOf };
};
let loaded: ReturnType<typeof load> | undefined;

// ---- the clipboard -----------------------------------------------------------------------------

const packed = (text: unknown) => encodeURIComponent(String(text));
const unpacked = (text: string) => { try { return decodeURIComponent(text); } catch { return ''; } };

/** A block or a mark that was copied is one of the text that it is pasted into. */
const asNew = (node: Node): Node => ({
  ...node, ...(node.attrs && 'origin' in node.attrs ? { attrs: { ...node.attrs, origin: null } } : {}), ...(node.content ? { content: node.content.map(asNew) } : {}),
  ...(node.marks ? { marks: node.marks.map((mark) => {
    const { open = '' } = (mark.attrs ?? {}) as { open?: string }, [, tag, name] = / data-open="([^"]*)" data-name="([^"]*)"/.exec(open) ?? [];
    return tag ? { ...mark, attrs: { open: unpacked(tag), name } } as unknown as typeof mark : mark;
  }) } : {}),
});
/** What this editor has copied keeps its blocks; anything else is read as in messages. */
const pasted = (html: string): Node => {
  if (!html.includes('data-pm-slice=')) return readHtml(html);
  const own = html.replace(/^[\s\S]*<!--StartFragment-->|<!--EndFragment-->[\s\S]*$|<meta[^>]*>/g, '')
    .replace(/<div class="raw" data-html="([^"]*)"[^>]*>.*?<\/div>/gs, (_, kept: string) => unpacked(kept))
    .replace(/<span data-piece="([^"]*)"[^>]*><\/span>/g, (_, kept: string) => unpacked(kept))
    .replace(/<(img|span)\b[^>]* data-picture="([^"]*)"[^>]*>(?:[^<]*<\/span>)?/g, (_, _name: string, kept: string) => unpacked(kept));
  const tree = asNew(readBlocks(own).tree);
  return tree.content!.length === 1 && tree.content![0]!.attrs?.['html'] === own ? readHtml(html) : tree;
};

export interface ArticleText {
  surface: ReturnType<Awaited<ReturnType<typeof load>>['lib']['createRich']>;
  /** The level of the heading at the caret; 0: a text. */
  level: () => number;
  setLevel: (level: number) => void;
  /** The HTML of the block that is selected and kept as it is. */
  raw: () => string | undefined;
  /** Replaces it, or puts it behind the caret. */
  setRaw: (html: string) => void;
}

export const createArticleText = async (place: HTMLElement, options: Omit<RichOptions, 'text'>, html: string, names: Names): Promise<ArticleText> => {
  const { lib, schemaOf } = await (loaded ??= load()), schema = schemaOf(names), heading = schema.nodes['heading']!;
  let source: Source, originals: DocNode[] = [];
  const setLevel = (level: number): Command => level ? lib.setBlockType(heading, { level }) : lib.setBlockType(schema.nodes['paragraph']!);
  const surface = lib.richOf({
    schema, pasted, stays: true,
    read: ({ contents }) => (source = readBlocks(contents)).tree,
    given: (doc) => { originals = []; doc.descendants((node) => { const origin = node.attrs['origin'] as number | null | undefined; if (origin !== null && origin !== undefined) originals[origin] = node; return !node.isTextblock; }); },
    write: (doc) => ({ contents: plainText(blocksHtml(doc as unknown as Doc, source, originals as unknown as Doc[])), html: true }),
    keys: Object.fromEntries([0, 2, 3, 4].map((level) => [`Mod-Alt-${level}`, setLevel(level)])),
    rules: [lib.textblockTypeInputRule(/^(#{2,4})\s$/, heading, (match) => ({ level: match[1]!.length }))],
  })(place, { ...options, text: { contents: html, html: true } });
  const { view } = surface;
  const selected = () => { const { selection } = view.state; return 'node' in selection && (selection.node as DocNode).type.name === 'raw' ? selection.node as DocNode : undefined; };
  view.setProps({ handleTextInput: () => selected() !== undefined }); // a letter does not replace a table
  return {
    surface,
    level: () => { const { parent } = view.state.selection.$from; return parent.type === heading ? Number(parent.attrs['level']) : 0; },
    setLevel: (level) => { setLevel(level)(view.state, view.dispatch); view.focus(); },
    raw: () => selected()?.attrs['html'] as string | undefined,
    setRaw: (text) => {
      const { tr, selection } = view.state, now = selected();
      if (now) view.dispatch(text.trim() ? tr.setNodeMarkup(selection.from, null, { html: text, origin: null }) : tr.deleteSelection());
      else if (text.trim()) view.dispatch(tr.insert(selection.$from.depth ? selection.$from.after(1) : selection.to, schema.nodes['raw']!.create({ html: text })));
      view.focus();
    },
  };
};
