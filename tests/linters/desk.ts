// A program of a stranger to this project: a client generated from /openapi.json, used for the main job of a desk.
// Arguments: the base URL, a password that all people of the demo desk have. Prints what it found as JSON.
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi.js';

type Conversation = components['schemas']['conversation'];

const [base = '', password = ''] = process.argv.slice(2);

function client(headers: Record<string, string> = {}) {
  return createClient<paths>({ baseUrl: `${base}/api/v1`, headers, querySerializer: { array: { style: 'form', explode: false } } });
}

function login(email: string) {
  return client({ Authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` });
}

/** The data of a reply, or an exception that names the first error. */
function must<T extends { data: unknown }>({ data, error, response }: { data?: T; error?: { errors: { code: string; message: string }[] }; response: Response }): T['data'] {
  if (data) return data.data;
  throw new Error(`${response.status} ${error?.errors[0]?.code}: ${error?.errors[0]?.message}`);
}

/** A reference has no name until include=user expands it. */
function requesterName({ requester }: Conversation): string | null | undefined {
  return requester && 'full_name' in requester ? requester.full_name : undefined;
}

// A stranger writes.
const stranger = client();
const posted = await stranger.POST('/conversations', {
  body: { name: 'Tilda Typed', email: 'tilda@example.net', subject: 'My lamp flickers', contents: 'It began yesterday evening.' },
});
const { id } = must(posted);
const token = posted.response.headers.get('X-Request-Token') ?? '';

// An agent lists what is new, and answers.
const agent = login('agent@example.com');
const news = must(await agent.GET('/conversations', { params: { query: { status: ['NEW'], include: ['user', 'case_status'], limit: 100 } } }));
const found = news.find((conversation) => conversation.id === id);
const answer = must(await agent.POST('/conversations/{id}/messages', { params: { path: { id } }, body: { contents: 'Does it flicker elsewhere, too?' } }));

// The customer reads: the conversation by the token, and a conversation of the demo customer's own by login.
const read = must(await stranger.GET('/conversations/{id}', { params: { path: { id }, query: { token } } }));
const customer = login('customer@example.com');
const own = must(await customer.POST('/conversations', { body: { subject: 'A second lamp', contents: 'This one, too.' } }));
must(await agent.POST('/conversations/{id}/messages', { params: { path: { id: own.id } }, body: { contents: 'We send a new one.' } }));
const messages = must(await customer.GET('/conversations/{id}/messages', { params: { path: { id: own.id } } }));

// An error has a code that the types list.
const { error } = await stranger.POST('/conversations', { body: { subject: 'No contents', contents: '' } });
const codes: string[] = error?.errors.map(({ code, parameter }) => `${code} ${parameter}`) ?? [];

console.log(JSON.stringify({
  listed: found ? requesterName(found) : null,
  answered: answer.content_text,
  preview: read.last_message_preview,
  messages: messages.map(({ content_text: text }) => text),
  codes,
}));
