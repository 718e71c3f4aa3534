// The draft of a forward: a person has one for each conversation. Recipients, subject and choices are the form around the text.
import { createText, type DraftRow, type Fields } from '../editor/draft';

export interface Form {
  to: string[];
  cc: string[];
  /** undefined: the subject that the server makes. */
  subject: string | undefined;
  /** undefined: as the dialog proposes. */
  posts: number[] | undefined;
  /** Attachments of the chosen messages that stay here. */
  left: number[];
}

const words = (text: unknown) => String(text ?? '').split(',').filter(Boolean);
const numbers = (text: unknown) => words(text).map(Number);

export const formOf = ({ to, cc, subject, posts, left }: Fields): Form =>
  ({ to: words(to), cc: words(cc), subject: subject === undefined ? undefined : String(subject), posts: posts === undefined ? undefined : numbers(posts).filter((id) => id > 0), left: numbers(left) });

/** Always in the same order, because drafts are compared as texts. No message is "0", because a field is never empty. */
export const fieldsOf = ({ to, cc, subject, posts, left }: Form): Fields => ({
  ...to.length ? { to: to.join(',') } : {}, ...cc.length ? { cc: cc.join(',') } : {}, ...subject === undefined ? {} : { subject },
  ...posts ? { posts: posts.join(',') || '0' } : {}, ...left.length ? { left: left.join(',') } : {},
});

const FIELDS = ['to', 'cc', 'subject', 'posts', 'left'] as const;

export const createForwardDraft = (caseId: number) => createText(`draft ${caseId} forward`, {
  path: `/cases/${caseId}/draft`, query: { channel: 'FORWARD' },
  members: (fields) => ({ parameters: fields }),
  fieldsOf: ({ parameters }: DraftRow) => Object.fromEntries(FIELDS.flatMap((name) => parameters?.[name] === undefined ? [] : [[name, parameters[name]]])) as Fields,
});
