// Elements without a parser of HTML: a page may forbid texts that become HTML (require-trusted-types-for 'script') and all inline styles.
type Child = Node | string | number | false | null | undefined | Child[];
type Value = string | number | boolean | undefined | ((event: never) => void);

const put = (parent: Node, children: Child[]) => {
  for (const child of children.flat(4) as Child[]) if (child || child === 0) parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
};

/** An element. Members that begin with "on" are listeners; true is an attribute without a value, false and undefined are none.
 *  A button does not submit but with type: 'submit'. */
export const h = <K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag);
  if (tag === 'button') (element as HTMLButtonElement).type = 'button';
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  put(element, children);
  return element;
};

export const fill = (element: Element, ...children: Child[]) => {
  element.replaceChildren();
  put(element, children);
};

const SHAPES = {
  chat: 'M12 3.5c-5 0-9 3.3-9 7.5 0 2.3 1.2 4.3 3.1 5.7L5.5 20.5l4.2-2.2c.7.1 1.5.2 2.3.2 5 0 9-3.3 9-7.5s-4-7.5-9-7.5z',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M5 9l7 7 7-7',
  back: 'M15 5l-7 7 7 7',
  on: 'M9 5l7 7-7 7',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  send: 'M4 12L20 4l-5 16-4-7zM11 13l4-4',
  clip: 'M20 11.5l-8 8a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7L9.7 17a1.7 1.7 0 0 1-2.4-2.4l7.7-7.7',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  out: 'M13 4h7v7M20 4l-9 9M18 14v6H4V6h6',
  good: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 14c1 1.7 2.4 2.5 4 2.5s3-.8 4-2.5M9 9.5v.5M15 9.5v.5',
  bad: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 16.5c1-1.7 2.4-2.5 4-2.5s3 .8 4 2.5M9 9.5v.5M15 9.5v.5',
};
export type Shape = keyof typeof SHAPES;
const SVG = 'http://www.w3.org/2000/svg';

/** A picture of lines. Those that point along the line of writing are mirrored by the style. */
export const icon = (shape: Shape) => {
  const svg = document.createElementNS(SVG, 'svg'), path = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `i ${shape}`);
  path.setAttribute('d', SHAPES[shape]);
  svg.appendChild(path);
  return svg;
};
