// Files of a message: chosen, pasted or dropped; sent to the desk at once, with their progress; and those that the desk shows.
import { Refused, Unreachable, answer, upload, type Row } from './api';
import { desk } from './desk';
import { fill, h, icon } from './dom';
import type { Sent } from './store';
import { say, sizeText } from './words';

const MEGABYTE = 1024 * 1024, SHOWN_MOST = 10;
export const mostFiles = () => Math.min(desk.settings.max_files, SHOWN_MOST);
export const limits = () => say('limits', { n: mostFiles(), size: sizeText(desk.settings.max_file_megabytes * 1e6) });

interface Chosen { file: File; part: number; sent?: Sent; wrong?: string; stop: AbortController }

/** The files of one message, and the button that adds some. */
export const picker = (changed: () => void) => {
  let chosen: Chosen[] = [];
  const list = h('ul', { class: 'chosen' }), wrong = h('p', { class: 'wrong', role: 'alert' });
  const input = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => { add([...input.files ?? []]); input.value = ''; } });
  const button = h('button', { class: 'plain', 'aria-label': say('add_files'), onclick: () => input.click() }, icon('clip'));

  const tile = (name: string, size: number, part: number, bad: string | undefined, remove: () => void, again?: () => void) =>
    h('li', { class: bad ? 'tile bad' : 'tile' }, icon('file'), h('span', { class: 'tile-name' }, h('b', { dir: 'auto' }, name), h('small', {}, bad ?? sizeText(size))),
      again && h('button', { class: 'link', onclick: again }, say('again')),
      h('button', { class: 'plain small', 'aria-label': say('remove', { name }), onclick: remove }, icon('close')),
      part < 1 && !bad && h('progress', { max: '1', value: part, 'aria-label': name }));
  const draw = () => {
    fill(list,
      chosen.map((one) => tile(one.file.name, one.file.size, one.sent ? 1 : one.part, one.wrong, () => { one.stop.abort(); chosen = chosen.filter((it) => it !== one); draw(); changed(); }, one.wrong ? () => begin(one) : undefined)));
    list.hidden = !list.childElementCount;
  };
  const begin = (one: Chosen) => {
    delete one.wrong;
    one.part = 0;
    draw();
    upload(one.file, (part) => { one.part = part; const bar = list.children[chosen.indexOf(one)]?.querySelector('progress'); if (bar) bar.value = part; }, one.stop.signal).then(
      (row) => { one.sent = { id: row.id, name: one.file.name, size: one.file.size }; draw(); changed(); },
      (error: unknown) => {
        one.wrong = error instanceof Refused && !error.passes ? error.message : say('not_sent');
        draw();
        if (error instanceof Unreachable) addEventListener('online', () => { if (one.wrong) begin(one); }, { once: true });
      });
  };
  const add = (files: File[]) => {
    const large = files.find(({ size }) => size > desk.settings.max_file_megabytes * MEGABYTE);
    fill(wrong, large ? `${large.name}: ${limits()}` : files.length + chosen.length > mostFiles() ? limits() : '');
    if (wrong.textContent) return;
    for (const file of files) { const one: Chosen = { file, part: 0, stop: new AbortController() }; chosen.push(one); begin(one); }
  };
  draw();
  return {
    list, wrong, button: h('span', {}, input, button), add,
    /** Undefined: some are not uploaded yet. */
    sent: (): Sent[] | undefined => (chosen.every(({ sent }) => sent) ? chosen.map(({ sent }) => sent!) : undefined),
    clear: () => { chosen = []; draw(); },
    count: () => chosen.length,
  };
};

/** Files that are dropped on the element or pasted into it. */
export const takeDropped = (element: HTMLElement, add: (files: File[]) => void) => {
  element.addEventListener('dragover', (event) => { if (event.dataTransfer?.types.includes('Files')) event.preventDefault(); });
  for (const name of ['drop', 'paste'] as const) element.addEventListener(name, (event) => {
    const files = [...((event as DragEvent).dataTransfer ?? (event as ClipboardEvent).clipboardData)?.files ?? []];
    if (files.length) event.preventDefault(), add(files);
  });
};

const contents = async (url: string) => {
  const response = await answer('GET', url, { who: 'known' });
  if (!response.ok) throw new Refused(response.status, [], 0);
  return response.blob();
};

/** A picture that only the visitor may read: an <img> can't send the fingerprint, and the page's policy may forbid blob: pictures. */
export const drawn = (url: string, alt: string, box: HTMLElement) => {
  contents(url).then(createImageBitmap).then((bitmap) => {
    const canvas = h('canvas', { width: bitmap.width, height: bitmap.height, ...(alt ? { role: 'img', 'aria-label': alt } : { 'aria-hidden': 'true' }) });
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    fill(box, canvas);
  }).catch(() => undefined);
  return box;
};

/** A file that the desk has. The click saves it. */
export const attached = (row: Row) => {
  const small = row.thumbnails?.[0], { name, size } = row as Row & Sent;
  const save = async () => {
    const url = URL.createObjectURL(await contents(row.url_download));
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  const line = h('span', { class: 'tile-name' }, h('span', { class: 'unseen' }, say('download')), h('b', { dir: 'auto' }, name), h('small', {}, sizeText(size)));
  const button = h('button', { class: 'tile', onclick: () => save().catch(() => fill(line.lastElementChild!, say('failed'))) });
  fill(button, small ? drawn(small.url, '', h('span', { class: 'thumb' }, icon('file'))) : icon('file'), line);
  return button;
};
