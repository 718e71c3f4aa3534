// HTML of texts, read and written without the parser of the browser: no text ever becomes HTML in the page. A text is a tree of the few
// kinds that the editor has; everything else of pasted HTML is unwrapped or left out.
//
// The reader makes one pass and no request, so that a document of an office program of several megabytes is read in a moment, and it never
// fails: what is not closed is closed at the end.

export interface Mark { type: 'strong' | 'em' | 'code' | 'link'; attrs?: { href: string } }
export interface Node { type: string; attrs?: Record<string, unknown>; content?: Node[]; marks?: Mark[]; text?: string }
/** What a person has written: a plain text, or HTML if it has forms. */
export interface Written { contents: string; html: boolean }

const paragraph = (content: Node[] = []): Node => content.length ? { type: 'paragraph', content } : { type: 'paragraph' };
export const docOfText = (text: string): Node =>
  ({ type: 'doc', content: text.split(/\r\n?|\n/).map((line) => paragraph(line ? [{ type: 'text', text: line }] : [])) });

/** A safe address, or undefined. */
export const safeAddress = (given: string): string | undefined => {
  const text = given.trim();
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? `mailto:${text}` : `https://${text}`);
    return ['http:', 'https:', 'mailto:', 'tel:'].includes(url.protocol) && (url.host || url.pathname) ? url.href : undefined;
  } catch { return undefined; }
};

/** Without characters that no text has: controls, and halves of characters. */
const STRANGE = /[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]/;
export const plainText = (text: string) => !STRANGE.test(text) ? text : text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '');

// ---- reading -----------------------------------------------------------------------------------

const ENTITIES: Record<string, string> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“',
  rdquo: '”', bdquo: '„', sbquo: '‚', bull: '•', middot: '·', euro: '€', laquo: '«', raquo: '»', shy: '\u00ad', zwnj: '\u200c', zwj: '\u200d', lrm: '\u200e', rlm: '\u200f', auml: 'ä',
  ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç', times: '×', deg: '°', sect: '§', rarr: '→', larr: '←',
};
export const decoded = (text: string) => text.includes('&') ? text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (mark, ten?: string, hex?: string, name?: string) => {
  if (name) return ENTITIES[name] ?? mark;
  const code = ten ? Number(ten) : parseInt(hex!, 16);
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '';
}) : text;

export const attributesOf = (text: string): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const [, name, double, single, bare] of text.slice(0, 20_000).matchAll(/([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g))
    found[name!.toLowerCase()] ??= decoded(double ?? single ?? bare ?? '');
  return found;
};

/** Their contents are not text. */
const LEFT_OUT = new Set(['style', 'script', 'title', 'xml', 'textarea', 'select', 'svg', 'math', 'noscript', 'template', 'object', 'iframe', 'audio', 'video', 'canvas']);
const ALONE = new Set(['br', 'img', 'hr', 'wbr', 'col', 'meta', 'link', 'input', 'base', 'area', 'embed', 'source']);
const BLOCKS = new Set(['p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'blockquote', 'ul', 'ol', 'li', 'table', 'tr', 'dl', 'dt', 'dd', 'section', 'article', 'header', 'footer', 'aside', 'main',
  'center', 'figure', 'figcaption', 'address', 'form', 'fieldset', 'details', 'summary', 'body', 'html', 'tbody', 'thead', 'tfoot', 'caption']);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const DEPTH_MOST = 200, CONTAINERS_MOST = 12;

interface Open { name: string; strong: boolean; em: boolean; code: boolean; pre: boolean; href?: string | undefined; made: number }

const isBold = (style: string) => /font-weight:\s*(bold|[6-9]00)/i.test(style), isNotBold = (style: string) => /font-weight:\s*(normal|[1-5]00)/i.test(style);
const isItalic = (style: string) => /font-style:\s*italic/i.test(style), isNotItalic = (style: string) => /font-style:\s*normal/i.test(style);

const sameMarks = (a: Mark[] = [], b: Mark[] = []) => a.length === b.length && a.every((mark, i) => mark.type === b[i]!.type && mark.attrs?.href === b[i]!.attrs?.href);

class Reader {
  private readonly made: Node[] = [{ type: 'doc', content: [] }]; // the containers that are open
  private readonly open: Open[] = [];
  private line: Node[] = []; // of the paragraph that is read
  private lineText = ''; // its last text: decides about blanks
  private hidden = false; // the sign of an item of a list of an office program
  private sign = '';
  private behind = false; // right behind a paragraph with margins
  private item: { level: number; ordered?: boolean } | undefined;

  /** `apart`: paragraphs have margins. Those of office programs have none. */
  constructor(private readonly apart: boolean) {}

  private top(): Open { return this.open.at(-1) ?? { name: '', strong: false, em: false, code: false, pre: false, made: 1 }; }
  private container(): Node { return this.made.at(-1)!; }

  /** The container for a paragraph: an item if the open container is a list. */
  private inItem(): Node {
    const at = this.container();
    if (at.type !== 'bullet_list' && at.type !== 'ordered_list') return at;
    const item: Node = { type: 'list_item', content: [] };
    at.content!.push(item);
    return item;
  }

  private add(node: Node) {
    const before = this.line.at(-1);
    if (node.text !== undefined && before?.text !== undefined && sameMarks(before.marks, node.marks)) before.text += node.text;
    else this.line.push(node);
  }

  text(raw: string) {
    const t = this.top();
    let text = plainText(decoded(raw));
    if (this.hidden) { this.sign += text; return; }
    if (!t.pre) {
      text = text.replace(/[ \t\n\r\f]+/g, ' ');
      if (text.startsWith(' ') && (this.lineText === '' || this.lineText.endsWith(' '))) text = text.slice(1);
    }
    if (!text) return;
    this.lineText = text;
    const marks: Mark[] = [];
    if (t.href) marks.push({ type: 'link', attrs: { href: t.href } });
    if (t.strong) marks.push({ type: 'strong' });
    if (t.em) marks.push({ type: 'em' });
    if (t.code && !t.pre) marks.push({ type: 'code' });
    this.add(marks.length ? { type: 'text', text, marks } : { type: 'text', text });
  }

  /** Ends the paragraph. `always`: also an empty one. */
  endLine(always = false) {
    const line = this.line;
    this.line = [];
    this.lineText = '';
    if (this.top().pre) return this.endCode(line);
    const last = line.at(-1);
    if (last?.text !== undefined) {
      last.text = last.text.replace(/[ \t\n]+$/, '');
      if (!last.text) line.pop();
    }
    if (line.at(-1)?.type === 'hard_break') line.pop(), always = true; // the break that holds an empty line open
    if (!line.length && !always) return;
    if (this.item && line.length) return this.endOfficeItem(line);
    this.inItem().content!.push(paragraph(line));
  }
  private endCode(line: Node[]) {
    const text = line.map((node) => node.type === 'hard_break' ? '\n' : node.text ?? '').join('').replace(/^\n|\n$/g, '');
    if (text) this.inItem().content!.push({ type: 'code_block', content: [{ type: 'text', text }] });
  }

  /** Office programs write items of lists as paragraphs with a level and a sign. */
  private endOfficeItem(line: Node[]) {
    const { level } = this.item!, type = /^\s*(\d+|[a-zA-Z]{1,3})[.)]/.test(this.sign) ? 'ordered_list' : 'bullet_list';
    let at = this.container(), list: Node | undefined;
    for (let i = 0; i < Math.min(level, 6); i++) {
      list = at.content!.at(-1);
      if (!list || (i === level - 1 ? list.type !== type : !list.type.endsWith('_list'))) at.content!.push(list = { type, ...(type === 'ordered_list' ? { attrs: { order: 1 } } : {}), content: [] });
      if (i < level - 1) {
        if (!list.content!.length) list.content!.push({ type: 'list_item', content: [paragraph()] });
        at = list.content!.at(-1)!;
      }
    }
    list!.content!.push({ type: 'list_item', content: [paragraph(line)] });
    this.sign = '';
  }

  start(name: string, attributes: string) {
    if (this.hidden && name !== 'p') return;
    if (BLOCKS.has(name)) this.startBlock(name);
    if (name === 'br') { if (this.top().pre) this.text('\n'); else this.line.push({ type: 'hard_break' }), this.lineText = ' '; return; }
    if (name === 'hr') return;
    if (name === 'img') {
      const { src = '', alt = '' } = attributesOf(attributes), file = /^cid:(\d{1,15})$/.exec(src)?.[1];
      if (file) this.line.push({ type: 'picture', attrs: { file: Number(file), alt } }), this.lineText = 'x';
      return;
    }
    if (ALONE.has(name) || this.open.length >= DEPTH_MOST) return;
    const t = this.top(), wanted = /href|start|font-(?:weight|style)|mso-list/i.test(attributes) ? attributesOf(attributes) : {}, style = wanted['style'] ?? '';
    if (name === 'td' || name === 'th') { if (this.line.length) this.text(' | '); }
    this.open.push({
      name, made: this.made.length, pre: t.pre || name === 'pre',
      strong: isNotBold(style) ? false : t.strong || name === 'strong' || name === 'b' || name === 'th' || HEADINGS.has(name) || isBold(style),
      em: isNotItalic(style) ? false : t.em || name === 'em' || name === 'i' || name === 'cite' || isItalic(style),
      code: t.code || name === 'code' || name === 'kbd' || name === 'samp' || name === 'tt',
      href: name === 'a' && wanted['href'] ? safeAddress(wanted['href']) : t.href,
    });
    if (name === 'p') { const level = /mso-list:[^;]*level(\d)/i.exec(style)?.[1]; this.item = level ? { level: Number(level) } : undefined; }
    if (this.made.length >= CONTAINERS_MOST) return;
    if (name === 'blockquote') this.contain({ type: 'blockquote', content: [] });
    else if (name === 'ul') this.contain({ type: 'bullet_list', content: [] });
    else if (name === 'ol') this.contain({ type: 'ordered_list', attrs: { order: Number(wanted['start']) || 1 }, content: [] });
    else if (name === 'li' && /_list$/.test(this.container().type)) this.contain({ type: 'list_item', content: [] });
  }
  private contain(node: Node) {
    (node.type === 'list_item' ? this.container() : this.inItem()).content!.push(node);
    this.made.push(node);
  }
  private startBlock(name: string) {
    if (this.line.length) this.behind = false;
    this.endLine();
    if (name === 'p' && this.behind && this.apart) this.inItem().content!.push(paragraph()); // the margin between two paragraphs is a line
    this.behind = false;
    const inner = this.open.at(-1)?.name;
    if (inner === 'p') this.close('p'); // a paragraph ends before the next block
    if (name === 'li') for (let i = this.open.length - 1; i >= 0 && !['ul', 'ol'].includes(this.open[i]!.name); i--) if (this.open[i]!.name === 'li') { this.close('li'); break; }
  }

  end(name: string) {
    if (ALONE.has(name)) return;
    if (BLOCKS.has(name)) {
      const empty = (name === 'p' || name === 'div') && this.open.at(-1)?.name === name && !this.line.length && this.isFresh;
      this.endLine(empty);
      if (name === 'p') this.item = undefined, this.sign = '';
      this.behind = name === 'p' && !empty;
    }
    this.close(name);
  }
  /** True right behind the start of an element: <p></p> is an empty line. */
  isFresh = false;

  private close(name: string) {
    for (let i = this.open.length - 1; i >= 0; i--) {
      if (this.open[i]!.name !== name) continue;
      this.made.length = Math.max(1, Math.min(this.made.length, this.open[i]!.made));
      this.open.length = i;
      return;
    }
  }

  /** The sign of an item stands between [if !supportLists] and [endif]. */
  condition(text: string) {
    if (/if !supportLists/i.test(text)) this.hidden = true;
    else if (/endif/i.test(text)) this.hidden = false;
  }

  finish(): Node {
    this.endLine();
    const doc = this.made[0]!;
    doc.content = doc.content!.filter(filled);
    if (!doc.content.length) doc.content.push(paragraph());
    return doc;
  }
}

/** Containers have what they need: a list an item, an item and a quote a paragraph first. */
const filled = (node: Node): boolean => {
  if (!node.content || node.type === 'paragraph' || node.type === 'code_block') return true;
  node.content = node.content.filter(filled);
  if (!node.content.length) return false;
  if (node.type === 'list_item' && node.content[0]!.type !== 'paragraph') node.content.unshift(paragraph());
  return true;
};

/** Where the tag ends: behind its > outside of quotes. -1: nowhere. */
const tagEnd = (html: string, from: number, unclosed: Set<number>) => {
  for (let i = from; i < html.length; i++) {
    const c = html.charCodeAt(i);
    if (c === 62) return i;
    if ((c !== 34 && c !== 39) || unclosed.has(c)) continue;
    const close = html.indexOf(c === 34 ? '"' : '\'', i + 1);
    if (close < 0) unclosed.add(c); else i = close;
  }
  return -1;
};

/** The tree of some HTML. */
export const readHtml = (whole: string): Node => {
  const begin = whole.indexOf('<!--StartFragment-->'), stop = whole.lastIndexOf('<!--EndFragment-->');
  const html = begin >= 0 && stop > begin ? whole.slice(begin + 20, stop) : whole;
  const reader = new Reader(!/class="?Mso|mso-/i.test(html.slice(0, 20_000))), unclosed = new Set<number>();
  for (let at = 0; at < html.length;) {
    let tag = html.indexOf('<', at);
    while (tag >= 0 && !/[a-zA-Z/!?]/.test(html[tag + 1] ?? '')) tag = html.indexOf('<', tag + 1);
    if (tag !== at) { reader.text(html.slice(at, tag < 0 ? undefined : tag)); reader.isFresh = false; }
    if (tag < 0) break;
    if (html.startsWith('<!--', tag)) {
      const end = html.indexOf('-->', tag + 4);
      reader.condition(html.slice(tag, Math.min(tag + 60, end < 0 ? html.length : end)));
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const end = tagEnd(html, tag, unclosed);
    if (end < 0) { reader.text(html.slice(tag)); break; }
    const name = /^<\/?([a-zA-Z][\w:-]*)/.exec(html.slice(tag, tag + 40))?.[1]?.toLowerCase();
    at = end + 1;
    if (!name) { reader.condition(html.slice(tag, Math.min(end, tag + 60))); continue; }
    if (html[tag + 1] === '/') { reader.end(name); reader.isFresh = false; continue; }
    if (LEFT_OUT.has(name)) {
      const close = new RegExp(`</${name}\\s*>`, 'gi');
      close.lastIndex = at;
      at = close.exec(html) ? close.lastIndex : html.length;
      continue;
    }
    reader.start(name, html.slice(tag + 1 + name.length, end));
    reader.isFresh = true;
  }
  return reader.finish();
};

// ---- writing -----------------------------------------------------------------------------------

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** Blanks that HTML would fold. */
const kept = (text: string) => text.replace(/ {2,}|^ | $/g, (blanks) => [...blanks].map((_, i) => i % 2 || blanks.length === 1 ? '\u00a0' : ' ').join('')).replace(/^ /, '\u00a0').replace(/\t/g, '\u00a0\u00a0 ');

const inlineHtml = (node: Node): string => {
  if (node.type === 'hard_break') return '<br>';
  if (node.type === 'picture') return node.attrs?.['file'] ? `<img src="cid:${Number(node.attrs['file'])}" alt="${escaped(String(node.attrs['alt'] ?? ''))}">` : '';
  let html = kept(escaped(node.text ?? ''));
  for (const mark of [...node.marks ?? []].reverse())
    html = mark.type === 'link' ? `<a href="${escaped(mark.attrs!.href)}">${html}</a>` : `<${mark.type}>${html}</${mark.type}>`;
  return html;
};

/** A paragraph is a line, as it looks in the editor: a <div>, which has no margins. */
const blockHtml = (node: Node): string => {
  const inner = () => (node.content ?? []).map(blockHtml).join('');
  switch (node.type) {
    case 'paragraph': return `<div${node.content?.some(({ text }) => text && RIGHT_TO_LEFT.test(text)) ? ' dir="auto"' : ''}>${(node.content ?? []).map(inlineHtml).join('') || '<br>'}</div>`;
    case 'code_block': return `<pre>${escaped(node.content?.[0]?.text ?? '')}</pre>`;
    case 'ordered_list': return `<ol${node.attrs?.['order'] && node.attrs['order'] !== 1 ? ` start="${Number(node.attrs['order'])}"` : ''}>${inner()}</ol>`;
    case 'bullet_list': return `<ul>${inner()}</ul>`;
    case 'list_item': return `<li>${node.content?.length === 1 ? (node.content[0]!.content ?? []).map(inlineHtml).join('') : inner()}</li>`;
    case 'blockquote': return `<blockquote>${inner()}</blockquote>`;
    default: return inner();
  }
};

const inlineText = (node: Node) => node.type === 'hard_break' ? '\n' : node.type === 'picture' ? `[${String(node.attrs?.['alt'] ?? '')}]`
  : (node.text ?? '') + (node.marks?.filter(({ type, attrs }) => type === 'link' && attrs!.href !== node.text && safeAddress(node.text ?? '') !== attrs!.href).map(({ attrs }) => ` (${attrs!.href})`).join('') ?? '');

/** The plain text of a tree. */
export const textOf = (node: Node): string => {
  const content = node.content ?? [];
  switch (node.type) {
    case 'paragraph': case 'heading': case 'code_block': return content.map(inlineText).join('');
    case 'blockquote': return content.map(textOf).join('\n').replace(/^/gm, '> ');
    case 'bullet_list': return content.map((item) => `- ${textOf(item)}`).join('\n');
    case 'ordered_list': return content.map((item, i) => `${i + Number(node.attrs?.['order'] ?? 1)}. ${textOf(item)}`).join('\n');
    default: return content.map(textOf).join('\n');
  }
};

const isPlain = (doc: Node) => (doc.content ?? []).every((node) => node.type === 'paragraph' && (node.content ?? []).every((one) => one.type !== 'picture' && !one.marks?.length));

/** A text without forms stays plain text. */
export const written = (doc: Node): Written => isPlain(doc) ? { contents: plainText(textOf(doc)), html: false } : { contents: plainText(blockHtml(doc)), html: true };
export const docOf = (text: Written): Node => text.html ? readHtml(text.contents) : docOfText(text.contents);
export const asText = (text: Written): string => text.html ? textOf(readHtml(text.contents)) : text.contents;
