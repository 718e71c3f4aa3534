// The HTML of an article as a tree of blocks that can be edited, and back.
//
// Every block remembers the HTML that it was read from. An unchanged block is written as it was read, so a save changes only what a person has
// changed. A changed block keeps its tags and attributes. What the editor can't show as text (tables, figures, lines) is one block that keeps its HTML
// ("raw"); what it can't show within a line is a mark or a character that keeps its tags.
//
// The server has cleaned the HTML, so each element is closed and each value is quoted. HTML that is not like this is one raw block.
import { attributesOf, decoded, safeAddress, type Mark, type Node } from '../editor/html';

/** The HTML that a block was read from: what stands before it, its tags, and what stands before its end. */
interface Origin { lead: string; html: string; open: string; tail: string; close: string }
export interface Source { tree: Node; origins: Origin[]; tail: string }

// ---- elements ----------------------------------------------------------------------------------

interface Element { name: string; attributes: string; start: number; inner: number; innerEnd: number; end: number; children: (Element | Text)[]; hasBlock: boolean }
interface Text { name: ''; start: number; end: number }
const isElement = (one: Element | Text): one is Element => one.name !== '';

const ALONE = new Set(['br', 'img', 'hr', 'wbr', 'col']);
const LINES = new Set(['p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'address', 'center', 'pre']);
const GROUPS = new Set(['div', 'section', 'article', 'aside', 'header', 'footer', 'main', 'center']);
const BLOCKS = new Set([...LINES, ...GROUPS, 'blockquote', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'figure', 'figcaption', 'details', 'summary', 'hr']);
const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][a-z0-9-]*(?:="[^"<>]*")?)*)\s*>/gy, DEPTH_MOST = 100;

/** Undefined: an element is not closed, or something else is not as the server writes it. */
const elementsOf = (html: string): Element | undefined => {
  const root: Element = { name: 'root', attributes: '', start: 0, inner: 0, innerEnd: html.length, end: html.length, children: [], hasBlock: false }, open = [root];
  for (let at = 0; at < html.length;) {
    const top = open.at(-1)!, tag = html.indexOf('<', at);
    if (tag !== at) { top.children.push({ name: '', start: at, end: tag < 0 ? html.length : tag }); if (tag < 0) break; }
    TAG.lastIndex = tag;
    const found = TAG.exec(html);
    if (!found) return undefined;
    const [whole, slash, name = '', attributes = ''] = found;
    at = tag + whole.length;
    if (slash) {
      if (top.name !== name || open.length === 1) return undefined;
      top.innerEnd = tag;
      top.end = at;
      open.pop();
      continue;
    }
    const element: Element = { name, attributes, start: tag, inner: at, innerEnd: at, end: at, children: [], hasBlock: false };
    top.children.push(element);
    if (BLOCKS.has(name)) for (let i = open.length - 1; i >= 0 && !open[i]!.hasBlock; i--) open[i]!.hasBlock = true;
    if (ALONE.has(name)) continue;
    if (open.length > DEPTH_MOST) return undefined;
    open.push(element);
  }
  return open.length === 1 ? root : undefined;
};

// ---- reading -----------------------------------------------------------------------------------

const BLANK = /^[ \t\n\r\f]*$/, CONTENT_ADDRESS = /\/api\/v1\/(articles\/\d+\/attachments\/\d+\/url)$/;
const LEVEL = /^h([1-6])$/;
/** Attributes that the server gives to each link. */
const LINK_ATTRIBUTES = ' rel="noopener noreferrer nofollow" target="_blank"';

/** A picture: its tag, and its address in this desk. Those of other servers are not shown here. */
export const pictureOf = (html: string): Node => {
  const { src = '', alt = '', 'data-src': blocked = '' } = attributesOf(html.slice(4)), own = CONTENT_ADDRESS.exec(src || blocked)?.[1] ?? '';
  const file = Number(/^cid:(\d{1,15})$/.exec(src)?.[1] ?? 0) || null;
  return { type: 'picture', attrs: { file, alt, url: '', html: file ? '' : html, own, data: /^data:image\//.test(src) ? src : '' } };
};

class Reader {
  readonly origins: Origin[] = [];
  constructor(private readonly html: string) {}

  private remember(origin: Origin) { return this.origins.push(origin) - 1; }
  private of(element: Element, lead: string, tail = ''): Origin {
    return { lead, html: this.html.slice(element.start, element.end), open: this.html.slice(element.start, element.inner), tail, close: this.html.slice(element.innerEnd, element.end) };
  }

  /** The blocks of an element, and the blanks behind the last one. */
  blocks(parent: Element): { content: Node[]; tail: string } {
    const content: Node[] = [];
    let lead = '', run: (Element | Text)[] = [];
    const endRun = () => {
      const first = run[0], last = run.at(-1);
      if (!first || !last) return;
      const whole = this.html.slice(first.start, last.end), inner = whole.trim();
      if (!inner || BLANK.test(whole)) lead += whole;
      else {
        const before = whole.slice(0, whole.indexOf(inner));
        content.push({ type: 'paragraph', attrs: { origin: this.remember({ lead: lead + before, html: inner, open: '', tail: '', close: '' }) }, content: this.line(run) });
        lead = whole.slice(before.length + inner.length);
      }
      run = [];
    };
    for (const child of parent.children) {
      if (!isElement(child) || (!BLOCKS.has(child.name) && !child.hasBlock)) { run.push(child); continue; }
      endRun();
      content.push(this.block(child, lead));
      lead = '';
    }
    endRun();
    return { content, tail: lead };
  }

  private raw(element: Element, lead: string): Node {
    const origin = this.of(element, lead);
    return { type: 'raw', attrs: { origin: this.remember(origin), html: origin.html } };
  }

  private block(element: Element, lead: string): Node {
    const { name } = element;
    if (name === 'pre') return this.code(element, lead);
    if (LINES.has(name) && !element.hasBlock) {
      const level = Number(LEVEL.exec(name)?.[1] ?? 0), content = this.line(element.children);
      return { type: level ? 'heading' : 'paragraph', attrs: { origin: this.remember(this.of(element, lead)), ...(level ? { level } : {}) }, ...(content.length ? { content } : {}) };
    }
    if (name === 'ul' || name === 'ol') return this.list(element, lead);
    if (name === 'blockquote' || (GROUPS.has(name) && element.hasBlock)) {
      const { content, tail } = this.blocks(element);
      if (content.length) return { type: name === 'blockquote' ? 'blockquote' : 'group', attrs: { origin: this.remember(this.of(element, lead, tail)) }, content };
    }
    return this.raw(element, lead);
  }

  /** A line break right behind the tag is no part of the text. */
  private code(element: Element, lead: string): Node {
    const only = element.children.length === 1 ? element.children[0]! : undefined, code = only && isElement(only) && only.name === 'code' ? only : undefined;
    const inner = code?.children ?? element.children;
    if (inner.some((child) => child.name)) return this.raw(element, lead);
    const text = decoded(this.html.slice(code?.inner ?? element.inner, code?.innerEnd ?? element.innerEnd)).replace(/^\n/, ''), origin = this.of(element, lead);
    if (code) origin.open += this.html.slice(code.start, code.inner), origin.close = this.html.slice(code.innerEnd, code.end) + origin.close;
    return { type: 'code_block', attrs: { origin: this.remember(origin) }, ...(text ? { content: [{ type: 'text', text }] } : {}) };
  }

  private list(element: Element, lead: string): Node {
    const items: Node[] = [], mine = this.origins.length;
    let between = '';
    for (const child of element.children) {
      const text = this.html.slice(child.start, child.end);
      if (!isElement(child) && BLANK.test(text)) { between += text; continue; }
      if (!isElement(child) || child.name !== 'li') { this.origins.length = mine; return this.raw(element, lead); }
      const { content, tail } = this.blocks(child);
      items.push({ type: 'list_item', attrs: { origin: this.remember(this.of(child, between, tail)) }, content: content.length ? content : [{ type: 'paragraph' }] });
      between = '';
    }
    if (!items.length) return this.raw(element, lead);
    const start = Number(attributesOf(element.attributes)['start']) || 1;
    return { type: element.name === 'ol' ? 'ordered_list' : 'bullet_list', attrs: { origin: this.remember(this.of(element, lead, between)), ...(element.name === 'ol' ? { order: start } : {}) }, content: items };
  }

  private line(children: (Element | Text)[]): Node[] {
    const nodes: Node[] = [];
    let blank = true; // a blank would be folded
    const add = (raw: string, marks: Mark[]) => {
      let text = decoded(raw).replace(/[ \t\n\r\f]+/g, ' ');
      if (blank && text.startsWith(' ')) text = text.slice(1);
      if (!text) return;
      blank = text.endsWith(' ');
      nodes.push(marks.length ? { type: 'text', text, marks } : { type: 'text', text });
    };
    const walk = (list: (Element | Text)[], marks: Mark[]) => {
      for (const child of list) {
        if (!isElement(child)) { add(this.html.slice(child.start, child.end), marks); continue; }
        const element = child, tag = this.html.slice(element.start, element.inner), more = marks.length ? { marks } : {};
        if (element.name === 'br') nodes.push({ type: 'hard_break', ...more }), blank = true;
        else if (element.name === 'img') nodes.push({ ...pictureOf(tag), ...more }), blank = false;
        else if (ALONE.has(element.name)) nodes.push({ type: 'piece', attrs: { html: tag }, ...more });
        else walk(element.children, [...marks, ...markOf(element, tag)]);
      }
    };
    walk(children, []);
    const last = nodes.at(-1);
    if (last?.text?.endsWith(' ')) { last.text = last.text.slice(0, -1); if (!last.text) nodes.pop(); }
    return nodes;
  }
}

const SAME: Record<string, Mark['type']> = { strong: 'strong', b: 'strong', em: 'em', i: 'em', code: 'code' };
const markOf = ({ name, attributes }: Element, tag: string): Mark[] => {
  const type = attributes ? undefined : SAME[name];
  if (type) return [{ type }];
  const { href = '', ...others } = attributesOf(attributes), address = name === 'a' ? safeAddress(href) : undefined;
  const isPlain = address === href && Object.keys(others).every((one) => one === 'rel' || one === 'target');
  return isPlain && address ? [{ type: 'link', attrs: { href: address } }] : [{ type: 'other', attrs: { open: tag, name } } as unknown as Mark];
};

export const readBlocks = (html: string): Source => {
  const root = elementsOf(html), reader = new Reader(html);
  if (!root) return { tree: { type: 'doc', content: [{ type: 'raw', attrs: { origin: null, html } }] }, origins: [], tail: '' };
  const { content, tail } = reader.blocks(root);
  return { tree: { type: 'doc', content: content.length ? content : [{ type: 'paragraph' }] }, origins: reader.origins, tail };
};

// ---- writing -----------------------------------------------------------------------------------

/** What writing needs of a node of ProseMirror. */
export interface Doc {
  type: { name: string };
  attrs: Record<string, unknown>;
  marks: readonly { type: { name: string }; attrs: Record<string, unknown>; eq: (other: never) => boolean }[];
  text?: string | undefined;
  textContent: string;
  childCount: number;
  child: (at: number) => Doc;
  eq: (other: never) => boolean;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
/** Blanks that HTML would fold. */
const keptBlanks = (text: string) => text.replace(/ {2,}/g, (blanks) => [...blanks].map((_, i) => i % 2 ? '\u00a0' : ' ').join('')).replace(/\t/g, '\u00a0\u00a0 ');
const BLANK_EDGE = { first: /^ /, last: / $/ };

/** A new picture has a file as soon as it is uploaded. */
export const pictureHtml = (attrs: Record<string, unknown>) => String(attrs['html'] || '') || (attrs['file'] ? `<img src="cid:${Number(attrs['file'])}" alt="${escaped(String(attrs['alt'] ?? ''))}">` : '');

type DocMark = Doc['marks'][number];
const tagsOf = ({ type: { name }, attrs }: DocMark): [string, string] =>
  name === 'link' ? [`<a href="${escaped(String(attrs['href']))}"${LINK_ATTRIBUTES}>`, '</a>'] : name === 'other' ? [String(attrs['open']), `</${String(attrs['name'])}>`] : [`<${name}>`, `</${name}>`];

const pieceHtml = ({ type: { name }, attrs, text = '' }: Doc) => {
  if (name === 'hard_break') return '<br>';
  if (name === 'piece') return String(attrs['html']);
  if (name === 'picture') return pictureHtml(attrs);
  return escaped(keptBlanks(text));
};

/** A line: a mark stays open as long as the next piece has it. */
const lineHtml = (node: Doc) => {
  const open: DocMark[] = [];
  let html = '';
  const close = (to: number) => { while (open.length > to) html += tagsOf(open.pop()!)[1]; };
  for (let i = 0; i < node.childCount; i++) {
    const piece = node.child(i);
    let common = 0;
    while (common < open.length && common < piece.marks.length && open[common]!.eq(piece.marks[common] as never)) common++;
    close(common);
    for (const mark of piece.marks.slice(common)) html += tagsOf(mark)[0], open.push(mark);
    let one = pieceHtml(piece);
    if (i === 0 && piece.text) one = one.replace(BLANK_EDGE.first, '\u00a0');
    if (i === node.childCount - 1 && piece.text) one = one.replace(BLANK_EDGE.last, '\u00a0');
    html += one;
  }
  close(0);
  return html;
};

/** The HTML of a tree. `originals`: the nodes as they were read, by the number of their origin. */
export const blocksHtml = (doc: Doc, { origins, tail }: Source, originals: (Doc | undefined)[]): string => {
  const numberOf = (node: Doc) => node.attrs['origin'] as number | null | undefined;
  const originOf = (node: Doc) => {
    const number = numberOf(node), original = number === null || number === undefined ? undefined : originals[number];
    return original?.type.name === node.type.name && original.attrs['level'] === node.attrs['level'] ? origins[number!] : undefined;
  };
  const children = (parent: Doc): string => {
    let html = '', isBare: boolean = false; // the block before has no tags, so a text would be a part of it
    for (let i = 0; i < parent.childCount; i++) {
      const node = parent.child(i), origin = originOf(node), isUnchanged = origin && node.eq(originals[numberOf(node)!] as never);
      const isText = node.type.name === 'paragraph' && (origin ? !origin.open : parent.type.name === 'list_item' && i === 0);
      const mayBeBare: boolean = isText && !isBare && (isUnchanged || (parent.type.name === 'list_item' && (i + 1 === parent.childCount || parent.child(i + 1).type.name.endsWith('_list'))));
      // Lines around the first and the last block, where a person may begin to write.
      const isPlace = !origin && node.type.name === 'paragraph' && !node.childCount && parent === doc && (i === 0 || i === parent.childCount - 1);
      if (isPlace) continue;
      html += (origin?.lead ?? '') + (isUnchanged && (!isText || mayBeBare) ? origin.html : block(node, origin, isText && mayBeBare));
      isBare = mayBeBare;
    }
    return html;
  };
  const block = (node: Doc, origin: Origin | undefined, bare: boolean): string => {
    const { name } = node.type, [open, close] = origin?.open ? [origin.open, origin.close] : [undefined, undefined];
    const wrapped = (tag: string, inner: string, attributes = '') => `${open ?? `<${tag}${attributes}>`}${inner}${origin?.tail ?? ''}${close ?? `</${tag}>`}`;
    switch (name) {
      case 'paragraph': { const line = lineHtml(node); return bare ? line : wrapped('p', line || '<br>'); }
      case 'heading': return wrapped(`h${Number(node.attrs['level'])}`, lineHtml(node));
      case 'code_block': return wrapped('pre', escaped(node.textContent));
      case 'ordered_list': return wrapped('ol', children(node), node.attrs['order'] === 1 ? '' : ` start="${Number(node.attrs['order'])}"`);
      case 'bullet_list': return wrapped('ul', children(node));
      case 'list_item': return wrapped('li', children(node));
      case 'blockquote': return wrapped('blockquote', children(node));
      case 'group': return wrapped('div', children(node));
      default: return String(node.attrs['html'] ?? '');
    }
  };
  const html = children(doc);
  return html && html + tail;
};

/** What a raw block is, and the begin of its words. */
export const nameOfRaw = (html: string): { tag: string; text: string } => ({
  tag: /^\s*<([a-z][a-z0-9]*)/i.exec(html)?.[1]?.toLowerCase() ?? '',
  text: decoded(html.slice(0, 4000).replace(/<[^>]*>?/g, ' ')).replace(/\s+/g, ' ').trim().slice(0, 200),
});
