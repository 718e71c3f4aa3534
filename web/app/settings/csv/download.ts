// Lists as one CSV file. The API gives them in pages; each page begins with the names of the columns.
import { prefix } from '../../../kit/api';
import { say } from '../words';
import { saveFile } from '../programs/save_file';

const PAGE = 1000;
/** The number at the beginning of each line but the first. Quoted cells may have line breaks. */
const numbersOf = (text: string) => [...text.matchAll(/"(?:[^"]|"")*"|\r\n(\d+)/g)].flatMap(([, number]) => number ?? []);
const behindNames = (text: string) => text.slice(/^(?:"(?:[^"]|"")*"|[^"\r])*\r\n/.exec(text)?.[0].length ?? 0);

/** Saves all pages. `after`: the next page follows the id that begins the last line, else a number of lines. Calls `read` with the lines so far. */
export const downloadCsv = async (path: string, query: Record<string, string>, name: string, after: boolean, read: (lines: number) => void, signal: AbortSignal) => {
  const pages: Blob[] = [];
  let lines = 0, last = '';
  for (;;) {
    const next = after ? (last ? { after_id: last } : undefined) : { offset: String(lines) };
    const url = `${prefix}/api/v1${path}?${new URLSearchParams({ ...query, format: 'CSV', limit: String(PAGE), ...next })}`;
    let response: Response, text: string;
    try {
      response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', headers: { 'X-Requested-With': 'deskd' }, signal });
      text = await response.text();
    } catch (error) {
      throw signal.aborted ? error : new Error(say('no_answer'));
    }
    if (!response.ok) throw new Error(String((JSON.parse(text) as { errors?: { message: string }[] }).errors?.[0]?.message ?? response.status));
    const numbers = numbersOf(text);
    if (!pages.length || numbers.length) pages.push(new Blob([pages.length ? behindNames(text) : text]));
    if (!numbers.length) break;
    lines += numbers.length;
    last = numbers.at(-1)!;
    read(lines);
  }
  saveFile(new Blob(pages, { type: 'text/csv' }), name);
  return lines;
};
