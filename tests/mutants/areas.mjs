// The tests of each part of src/: C units by name, files of tests/api by name. The first row that fits a file is its area.
// `*` stands for any letters. Rows of a single file come before those of its folder. Quick and likely tests come first.

export const areas = [
  ['src/core/access/scope.c', { unit: ['scope'], api: ['apitokens', 'oauth.clients', 'oauth.token', 'tokens.walk'] }],
  ['src/core/access/', { unit: ['access', 'scope'], api: ['conversations.visibility', 'organizations.visibility', 'permissions', 'roles', 'strangers', 'fingerprint', 'people.escalation.spec', 'refusals', 'endpoints'] }],
  ['src/core/cases/', { unit: ['change'], api: ['cases', 'totals', 'cases.*', 'conversations.*', 'notifications', 'macros', 'views', 'survey', 'attachments', 'thumbnails', 'messages', 'notes', 'states', 'fingerprint', 'changes', 'people.desk.spec', 'cascades'] }],
  ['src/core/change/audit', { unit: [], api: ['audit'] }],
  ['src/core/change/', { unit: ['change', 'router'], api: ['changes', 'activities', 'trails', 'cascades', 'conditional', 'contacts', 'people.desk.spec'] }],
  ['src/core/all/desk.c', { unit: [], api: ['command', 'service', 'settings', 'audit'] }],
  ['src/core/desk/', { unit: ['job', 'sweep', 'content'], api: ['settings', 'jobs', 'files', 'files.quota', 'files.spec', 'command', 'service'] }],
  ['src/core/fields/', { unit: ['field'], api: ['fields', 'field-values', 'file-values', 'organizations.filter', 'cascades'] }],
  ['src/core/login/', { unit: ['identity'], api: ['session', 'password', 'twofactor', 'remember', 'apitokens', 'links', 'lockout', 'conversations.token', 'crosssite', 'people.secrets.spec', 'identities.takeover'] }],
  ['src/core/mail/', { unit: ['token', 'authentication'], api: ['mail.rights', 'mail.in', 'mails', 'mail.out', 'mailboxes', 'bounces', 'mail.flood', 'mail.hostile'] }],
  ['src/core/programs/', { unit: ['scope'], api: ['oauth.clients', 'apitokens', 'tokens.walk', 'oauth.token', 'oauth.attacks', 'oauth.page', 'webhooks', 'events.tokens', 'webhooks.races'] }],
  ['src/core/people/erase', { unit: ['erase'], api: ['erasure', 'erasure.own', 'erasure.bytes', 'access.walk*'] }],
  ['src/core/people/', { unit: ['identity'], api: ['users', 'organizations', 'identities', 'identities.profile', 'identities.takeover', 'contacts', 'tags', 'teams', 'members', 'lookups', 'autocomplete', 'avatar', 'profile', 'activities', 'cascades'] }],
  ['src/core/time/', { unit: ['calendar', 'business_time'], api: ['businesshours', 'slas', 'views', 'teams'] }],
  ['src/core/sla/', { unit: ['clock', 'business_time'], api: ['slas', 'slas.*', 'clocks', 'clocks.*', 'monitors'] }],
  ['src/core/endpoints/', { unit: ['delivery'], api: ['endpoints', 'outgoing', 'triggers'] }],
  ['src/core/rules/', {
    unit: ['predicate', 'calendar', 'view', 'clock', 'business_time', 'delivery'],
    api: ['triggers', 'triggers.*', 'rules.*', 'monitors', 'slas', 'slas.*', 'clocks', 'clocks.*', 'outgoing', 'endpoints', 'views', 'users.filter', 'organizations.filter', 'businesshours', 'teams'],
  }],
  ['src/core/search/', { unit: ['search', 'vocabulary'], api: ['search', 'search.*', 'helpcenter.*'] }],
  ['src/core/helpcenter/', { unit: ['gathered', 'diff'], api: ['helpcenter*', 'articles*', 'comments', 'categories', 'sections', 'insights', 'access.walk*'] }],
  ['src/core/text/', { unit: ['template'], api: ['templates', 'templates.spec', 'mail', 'links', 'password'] }],
  ['src/core/', { unit: ['access', 'change'], api: ['session', 'users', 'conversations.*'] }],
  ['src/api/caller/limits.c', { unit: ['bucket'], api: ['limits', 'limits.pages', 'limits.headers'] }],
  ['src/api/caller/auth', { unit: [], api: ['session', 'apitokens', 'oauth.token', 'tokens.walk', 'crosssite', 'remember', 'lockout', 'twofactor', 'password', 'audit', 'people.secrets.spec'] }],
  ['src/pages/template_page.c', { unit: [], api: ['links', 'survey', 'oauth.page', 'limits.pages', 'templates'] }],
  ['src/pages/link_pages.c', { unit: [], api: ['links', 'survey', 'password', 'templates'] }],
  ['src/api/table/describe.c', { unit: ['router'], api: ['tokens.walk', 'openapi', 'refusals', 'access.walk*'] }],
  ['src/api/docs/', { unit: ['router'], api: ['openapi', 'errors', 'guides', 'tools'] }],
  ['src/api/', {
    unit: ['router', 'scope', 'pool'],
    api: ['envelope', 'shape', 'spellings', 'bodies', 'conditional', 'narrowing', 'notices', 'errors', 'edge', 'people.input.spec', 'people.http.spec', 'session', 'refusals', 'idempotency', 'teams', 'members', 'fields', 'pages.bytes', 'openapi', 'files', 'lockout', 'changes', 'limits', 'limits.headers', 'messages', 'oauth.token', 'webhooks', 'access.walk*'],
  }],
  ['src/pages/', { unit: [], api: ['helpcenter.pages', 'pages.forms', 'helpcenter.kept', 'openapi', 'limits.pages', 'pages.bytes', 'templates', 'survey'] }],
  ['src/res/erasure.c', { unit: [], api: ['erasure', 'access.walk*'] }],
  ['src/res/person_export.c', { unit: [], api: ['erasure', 'erasure.own', 'access.walk*'] }],
  ['src/res/event.c', { unit: [], api: ['webhooks', 'events.tokens', 'access.walk*'] }],
  ['src/res/oauth', { unit: [], api: ['oauth.clients', 'tokens.walk', 'access.walk*'] }],
  ['src/res/api_token.c', { unit: [], api: ['apitokens', 'tokens.walk', 'access.walk*'] }],
  ['src/res/', { unit: [], api: ['access.walk*', 'refusals', 'people.input.spec', 'cascades'] }],
  ['src/jobs/arrival', { unit: ['inbox', 'reader'], api: ['mail.stream', 'mail.in', 'bounces'] }],
  ['src/jobs/mail_budget.c', { unit: ['mail_budget'], api: ['mail.stream'] }],
  ['src/jobs/', { unit: ['job', 'sweep'], api: ['jobs', 'mail', 'bounces', 'cascades', 'files'] }],
  ['src/files/', { unit: ['content', 'picture', 'html', 'zip'], api: ['files', 'files.spec', 'files.quota', 'avatar', 'attachments.*'] }],
  ['src/oauth/', { unit: [], api: ['oauth.token', 'oauth.page', 'oauth.attacks', 'limits.pages', 'limits', 'oauth.libraries'] }],
  ['src/mail/', { unit: ['mail', 'read', 'reader', 'inbox', 'quotes'], api: ['mail', 'mail.in', 'lmtp', 'cases.mail', 'bounces'] }],
  ['src/outgoing/', { unit: ['delivery'], api: ['outgoing', 'endpoints'] }],
  ['src/db/', { unit: ['db', 'db_schema', 'db_snapshot', 'db_fault', 'dialect', 'change'], api: ['changes', 'service', 'command', 'teams'] }],
  ['src/json/', { unit: ['json', 'form'], api: ['bodies', 'hostile'] }],
  ['src/http/', { unit: ['scan', 'form', 'multipart'], api: ['hostile', 'bodies', 'edge', 'files.spec'], http: true }],
  ['src/base/', { unit: ['base', 'log'], api: ['hostile', 'session', 'users', 'spellings'] }],
  ['src/commands/', { unit: ['options', 'demo'], api: ['command', 'tools', 'service', 'bounces'] }],
  ['src/demo/', { unit: ['demo'], api: ['demo', 'guides'] }],
  ['src/transfer/', { unit: [], api: ['transfer.foreign', 'transfer'] }],
  ['src/', { unit: [], api: ['command', 'service', 'story'] }],
];

/** Files of src/res have the tests that carry their name, then those of the folder. */
export function areaOf(file, apiTests) {
  const { unit, api, http } = areas.find(([start]) => file.startsWith(start))[1];
  const word = /^src\/res\/(\w+)\.c$/.exec(file)?.[1].split('_')[0];
  const named = word ? apiTests.filter((name) => name.includes(word.replace(/y$/, ''))) : [];
  const matching = (pattern) => apiTests.filter((name) => new RegExp(`^${pattern.replaceAll('.', '\\.').replace('*', '.*')}$`).test(name));
  return { unit, api: [...new Set([...named, ...api.flatMap(matching)])], http };
}
