// Measures filters of organizations on a growing desk: the same ten organizations are found among 1,000 and among
// 100,000. Prints the time of a request (first quartile) on both desks and their ratio. sqlite3 fills the temporary
// desks (Debian: sqlite3).
//
//   node bench/filters.mjs       BENCH_BIG   organizations of the big desk (100000)       BENCH_ROUNDS   requests a filter and desk (300)
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { filled, numbers } from './filled.mjs';

const big = Number(process.env.BENCH_BIG ?? 100_000), rounds = Number(process.env.BENCH_ROUNDS ?? 300);
const DAY = 86_400_000, now = Date.now();
const day = (ms) => new Date(ms).toISOString().slice(0, 10);

// Ten of n rows, at even distances, are the needles: a name, two tags, a day and values of custom fields that no other
// row has.
const fill = (n) => `
  BEGIN; ${numbers(n, 10)}
  INSERT INTO organizations (id, name, name_key, is_shared, is_validated, created_at, updated_at)
    SELECT x, 'Organization ' || x, CASE WHEN needle THEN 'needle ' ELSE 'organization ' END || (CASE WHEN needle THEN 'gmbh' ELSE x END), x % 2, 0,
      ${now} - ${DAY} * (CASE WHEN needle THEN 400 ELSE 10 + x % 300 END), ${now} - ${DAY} * (CASE WHEN needle THEN 0 ELSE 5 + x % 300 END) FROM i;
  INSERT INTO tags (id, name, name_key, created_at) SELECT x, 't' || x, 't' || x, 0 FROM i WHERE x <= 52;
  INSERT INTO organization_tags SELECT x, 1 + x % 50 FROM i UNION ALL SELECT x, 51 FROM i WHERE needle UNION ALL SELECT x, 52 FROM i WHERE needle;
  INSERT INTO custom_fields (id, area, type, key, is_required_for_agents, is_required_on_resolution, is_visible_to_customers, is_customer_editable,
    is_required_for_customers, sort_order, is_enabled, created_at, updated_at)
    SELECT f.column1, 3, f.column2, f.column3, 0, 0, 0, 0, 0, 0, 1, 0, 0 FROM (VALUES (101, 1, 'contract'), (102, 9, 'size')) AS f;
  INSERT INTO field_values (area, owner_id, field_id, value, value_key) SELECT 3, x, 101, '', CASE WHEN needle THEN 'gold' ELSE 'c' || x % 100 END FROM i;
  INSERT INTO field_values (area, owner_id, field_id, value, value_key) SELECT 3, x, 102, '', CASE WHEN needle THEN '65049' ELSE '65021' END FROM i;
  COMMIT; ANALYZE;`;

const p = (field, operator, value) => ({ field, operator, value });
const all = (...propositions) => ({ collections: [{ propositions }] });
const any = (...propositions) => ({ collections: [{ proposition_operator: 'OR', propositions }] });
const name = p('organizations.name', 'comparison_equalto', 'Needle GmbH'), tag = p('tags.name', 'collection_contains_insensitive', 'T51');
const filters = {
    'name is': all(name),
    'tag': all(tag),
    'both of two tags': all(p('tags.name', 'collection_contains_insensitive', 't51,t52')),
    'one of two tags': all(p('tags.name', 'collection_contains_any_insensitive', 't51,t52')),
    'made on a day': all(p('organizations.createdat_absolute', 'date_is', day(now - 400 * DAY))),
    'made by a day': all(p('organizations.createdat_absolute', 'date_before_or_on', day(now - 390 * DAY))),
    'changed since yesterday': all(p('organizations.updatedat_relative_past', 'date_after_or_on', 'yesterday')),
    'custom text is': all(p('organizationfields.contract', 'comparison_equalto', 'GOLD')),
    'custom decimal is': all(p('organizationfields.size', 'comparison_equalto', '9000')),
    'custom decimal is above': all(p('organizationfields.size', 'comparison_greaterthan', '8999')),
    'tag and access': all(tag, p('organizations.conversationaccess', 'comparison_equalto', '1')),
    'tag and a part of the name': all(tag, p('organizations.name', 'string_contains_insensitive', 'eedl')),
    'name is, or tag': any(name, tag),
    'custom text and not a tag': all(p('organizationfields.contract', 'comparison_equalto', 'gold'), p('tags.name', 'collection_does_not_contain_insensitive', 'vip')),
    'a part of the name (reads all names)': all(p('organizations.name', 'string_contains_insensitive', 'needle')),
};

const agent = new http.Agent({ keepAlive: true });
const ask = (d, method, path, body) => new Promise((resolve, reject) => {
    const request = http.request(d.server.url + path, { method, agent, headers: { ...d.headers, 'Content-Length': Buffer.byteLength(body) } }, (reply) => {
        let text = '';
        reply.on('data', (piece) => { text += piece; }).on('end', () => (reply.statusCode === 200 ? resolve(text) : reject(new Error(`${reply.statusCode} ${text}`))));
    }).on('error', reject);
    request.end(body);
});

async function time(d, body) {
    const began = process.hrtime.bigint();
    const text = await ask(d, 'POST', '/api/v1/organizations/filter?limit=20', body);
    const took = Number(process.hrtime.bigint() - began) / 1e3;
    if (JSON.parse(text).total_count !== d.expected(body)) throw new Error(`${body} found ${text.slice(-200)}`);
    return took;
}

const quick = (xs) => xs.sort((a, b) => a - b)[xs.length >> 2]; // the first quartile, because other programs share the machine
const desks = [await filled(1000, fill(1000)), await filled(big, fill(big))];
for (const d of desks) {
    const halved = JSON.parse(execFileSync('sqlite3', ['-json', d.file], { input: "SELECT COUNT(*) AS n FROM organizations WHERE name_key = 'needle gmbh' AND is_shared = 1;" }))[0].n;
    d.expected = (body) => (body.includes('conversationaccess') ? halved : 10);
}
console.log(`| filter | 1,000: us | ${big.toLocaleString('en-US')}: us | ratio |\n|---|--:|--:|--:|`);
for (const [what, predicates] of Object.entries(filters)) {
    const body = JSON.stringify({ predicates }), took = [[], []];
    for (let i = -20; i < rounds; i++) for (const k of [0, 1]) {
        const t = await time(desks[k], body);
        if (i >= 0) took[k].push(t);
    }
    const [a, b] = took.map(quick);
    console.log(`| ${what} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${(b / a).toFixed(2)} |`);
}
agent.destroy();
await Promise.all(desks.map((d) => d.server.stop()));
