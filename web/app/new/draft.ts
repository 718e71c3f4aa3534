// The draft of a new conversation: a person has one, so it is found on another machine.
import { createText, type Fields } from '../editor/draft';

type Given = Record<string, string | number | null | undefined>;
/** The filled ones. */
const filled = (given: Given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value)) as Fields;

/** `requester`: the number of a person, or the address of a new one. */
export const fieldsOf = ({ requester, subject, priority, team }: Given) => filled({ requester, subject, priority, team });

export const createFirstDraft = () => createText('draft new', {
  path: '/cases/draft',
  members: ({ requester, subject, priority, team }) => {
    const isKnown = typeof requester === 'number';
    return { requester_id: isKnown ? requester : null, parameters: filled({ requester_email: isKnown ? undefined : requester, subject, priority_id: priority, assigned_team_id: team }) };
  },
  fieldsOf: ({ requester_id, parameters: p }) => fieldsOf({ requester: requester_id ?? p?.['requester_email'], subject: p?.['subject'], priority: p?.['priority_id'], team: p?.['assigned_team_id'] }),
});
