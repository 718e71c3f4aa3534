// What a CSV file is, as the server recognizes it: encoding, separator, and the columns of the first line. The page sends what it shows, so
// the server and the page never disagree.
export type CsvKind = 'USERS' | 'ORGANIZATIONS';
export type Encoding = 'UTF_8' | 'UTF_16' | 'WINDOWS_1252';
export type Delimiter = 'COMMA' | 'SEMICOLON' | 'TAB';
export const ENCODINGS: Record<Encoding, string> = { UTF_8: 'UTF-8', UTF_16: 'UTF-16', WINDOWS_1252: 'Windows-1252' };
export const DELIMITERS: Record<Delimiter, string> = { COMMA: ',', SEMICOLON: ';', TAB: '\t' };

/** The columns that the server has, with further names of them. */
export const COLUMNS: Record<CsvKind, Record<string, string>> = {
  USERS: { full_name: 'name', emails: 'email e_mail mail email_address', phones: 'phone phone_number', legacy_id: '', external_identifiers: 'external_identifier', designation: 'job_title', role: '', organization: 'company', locale: 'language', time_zone: '', tags: 'tag' },
  ORGANIZATIONS: { name: 'organization company', domains: 'domain', phones: 'phone phone_number', legacy_id: '', is_shared: '', is_validated: '', tags: 'tag' },
};
const HEAD = 65_536, PIECE = 1_048_576;
const UTF_16_LE = 'utf-16le', UTF_16_BE = 'utf-16be';

const bytesOf = async (file: File, from: number, most: number) => new Uint8Array(await file.slice(from, from + most).arrayBuffer());
const labelOf = (encoding: Encoding, first: Uint8Array) => encoding === 'UTF_8' ? 'utf-8' : encoding === 'WINDOWS_1252' ? 'windows-1252' : (first[0] === 0xFE && first[1] === 0xFF) || (first[0] === 0 && first[1]) ? UTF_16_BE : UTF_16_LE;

/** UTF-16 by its mark or a NUL in the first character, UTF-8 if all of the file is, else Windows-1252. */
export const encodingOf = async (file: File): Promise<Encoding> => {
  const [a, b] = await bytesOf(file, 0, 2), decoder = new TextDecoder('utf-8', { fatal: true });
  if ((a === 0xFF && b === 0xFE) || (a === 0xFE && b === 0xFF) || (a !== undefined && b !== undefined && (a === 0) !== (b === 0))) return 'UTF_16';
  try {
    for (let at = 0; at < file.size; at += PIECE) decoder.decode(await bytesOf(file, at, PIECE), { stream: at + PIECE < file.size });
    return 'UTF_8';
  } catch {
    return 'WINDOWS_1252';
  }
};

export const headText = async (file: File, encoding: Encoding) => {
  const bytes = await bytesOf(file, 0, HEAD);
  return new TextDecoder(labelOf(encoding, bytes)).decode(bytes).replace(/^[\r\n]+/, '');
};

/** The first line, with its cells. */
const firstLine = (text: string, delimiter?: string) => {
  const cells: string[] = [], counts: Record<string, number> = {};
  let cell = '', quoted = false, at = 0;
  for (; at < text.length; at++) {
    const c = text[at]!;
    if (!quoted && (c === '\r' || c === '\n')) break;
    if (!quoted && c !== '"') counts[c] = (counts[c] ?? 0) + 1;
    if (c === '"') {
      if (quoted && text[at + 1] === '"') cell += text[++at];
      else quoted = !quoted;
    } else if (!quoted && c === delimiter) { cells.push(cell.trim()); cell = ''; } else cell += c;
  }
  cells.push(cell.trim());
  return { cells, counts };
};

/** The one that the first line has most often. */
export const delimiterOf = (text: string): Delimiter => {
  const { counts } = firstLine(text);
  return (Object.keys(DELIMITERS) as Delimiter[]).reduce((best, one) => (counts[DELIMITERS[one]] ?? 0) > (counts[DELIMITERS[best]] ?? 0) ? one : best);
};

const MOST = 256;
export const headersOf = (text: string, delimiter: Delimiter) => [...new Set(firstLine(text, DELIMITERS[delimiter]).cells.filter(Boolean))].slice(0, MOST);

/** The column that a name of the file stands for, or an empty text. `fields`: the keys of the custom fields. */
export const columnOf = (kind: CsvKind, header: string, fields: readonly string[]) => {
  const name = header.toLowerCase().replace(/[ -]/g, '_'), key = /^field_values\.(.+)$/i.exec(header.trim())?.[1];
  if (key && fields.includes(key)) return `field_values.${key}`;
  return Object.entries(COLUMNS[kind]).find(([column, others]) => name === column || others.split(' ').includes(name))?.[0] ?? '';
};

/** What each name stands for. A column that is no list is given once. */
const LISTS = new Set(['emails', 'phones', 'domains', 'external_identifiers', 'tags']);
export const mappingOf = (kind: CsvKind, headers: readonly string[], fields: readonly string[]) => {
  const given = new Set<string>(), mapping: Record<string, string> = {};
  for (const header of headers) {
    const column = columnOf(kind, header, fields);
    mapping[header] = given.has(column) && !LISTS.has(column) ? '' : column;
    given.add(column);
  }
  return mapping;
};
