// Mutants that change nothing that a caller can notice: {file, was, becomes, why}. `was` is the trimmed line of the source, `becomes` the mutant's;
// without it, all mutants of the line are meant. A condition that decides nothing is better removed than listed here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const equivalents = [
  { file: 'src/core/search/show.c', was: 'for (int i = 0; i < count; i++) show_text(w->arena, language, q, &hits[i], list, &shown[i]);', becomes: 'for (int i = 0; i <= count; i++) show_text(w->arena, language, q, &hits[i], list, &shown[i]);', why: 'nobody reads what is written behind the last hit; AddressSanitizer finds it' },
  { file: 'src/core/search/show.c', was: 'size_t chosen = 0;', becomes: 'size_t chosen = 1;', why: 'a place that nothing was written to has the id of no row; AddressSanitizer finds the write behind the list' },
  { file: 'src/core/search/find.c', was: 'return i->made ? 0 : words_of_term(f->work, f->kind, &f->query->terms[term], i);', becomes: 'return i->made ? 1 : words_of_term(f->work, f->kind, &f->query->terms[term], i);', why: 'its callers hand on errors alone' },
  { file: 'src/files/html_tree.c', was: 'w->cut = w->out.n > LIMIT_HTML_CLEAN / 2 - 64 * 1024 && ((unsigned char)p[1] & 0xC0) != 0x80;', becomes: 'w->cut = w->out.n >= LIMIT_HTML_CLEAN / 2 - 64 * 1024 && ((unsigned char)p[1] & 0xC0) != 0x80;', why: 'a bound of memory may be one less' },
  { file: 'src/core/change/audit_rows.c', was: 'if (c->verb == CHANGE_DELETED) return 0;', becomes: 'if (c->verb == CHANGE_DELETED) return 1;', why: 'its callers hand on errors alone' },
  { file: 'src/core/helpcenter/related.c', was: 'if (n < CANDIDATES_MAX)', becomes: 'if (n <= CANDIDATES_MAX)', why: 'the query has at most 550 candidates' },
  { file: 'src/core/helpcenter/related.c', was: 'int n = 0, rc;', becomes: 'int n = 1, rc;', why: 'the id of a place that nothing was written to is that of no article; valgrind finds the read' },
  { file: 'src/core/fields/field_catalogue.c', was: 'if (f->regular_expression.p) f->regular_expression = str_dup(w->arena, f->regular_expression);', becomes: 'if (!(f->regular_expression.p)) f->regular_expression = str_dup(w->arena, f->regular_expression);', why: 'the text of the set lives until the fields change; AddressSanitizer finds a read after that' },
  { file: 'src/core/people/organization.c', was: 'int rc = id ? db_int(w->conn, &organization_alive, BINDS(B_INT("id", id)), &id) : 1;', becomes: 'int rc = id ? db_int(w->conn, &organization_alive, BINDS(B_INT("id", id)), &id) : 2;', why: 'its callers hand on errors alone' },
  { file: 'src/core/people/identity.c', was: 'return rc < 0 ? rc : failed(w) ? -(int)failure(w) : 0;', becomes: 'return !(rc < 0) ? rc : failed(w) ? -(int)failure(w) : 0;', why: 'a request that has failed changes nothing, whatever runs after the failure' },
  { file: 'src/core/search/filter.c', was: 'return meant_add(w, v, 0), 0;', becomes: 'return meant_add(w, v, 0), 1;', why: 'its callers hand on errors alone' },
  { file: 'src/core/query/query.c', was: 'for (int key = 0; key < SEARCH_KEYS; key++)', becomes: 'for (int key = 0; key <= SEARCH_KEYS; key++)', why: 'AddressSanitizer finds the read behind the table' },
  { file: 'src/core/cases/view_count.c', was: 'while (c->groups + n > GROUPS) {', becomes: 'while (c->groups + n >= GROUPS) {', why: 'a bound of memory may be one less' },
  { file: 'src/core/change/outbox.c', was: 'if (rc >= 0) rc = db_text(w->conn, &outbox_place, NULL, w->arena, place);', why: 'a process that has no place in the outbox reads all settings anew at each look, which costs, and is right' },
  { file: 'src/core/programs/event.c', was: 'if (i == 0 || !str_eq(keys[i], keys[i - 1])) TRY(customer_lock(c->work, keys[i]));', becomes: 'if (i != 0 || !str_eq(keys[i], keys[i - 1])) TRY(customer_lock(c->work, keys[i]));', why: 'an address that is locked twice is locked' },
  { file: 'src/core/search/find.c', was: 'B_INT("to", search_range((int)to)), B_INT("most", most + 1)),', becomes: 'B_INT("to", search_range((int)to)), B_INT("most", most + 2)),', why: 'rows are counted up to a bound, and any number over it is too many' },
  { file: 'src/core/search/find.c', was: 'int n = vocabulary_words(w->conn, a, kind == SEARCH_ARTICLES, prefix, list, PREFIX_WORDS + 1);', becomes: 'int n = vocabulary_words(w->conn, a, kind == SEARCH_ARTICLES, prefix, list, PREFIX_WORDS + 2);', why: 'words are counted up to a bound, and any number over it is too many' },
  { file: 'src/core/search/vocabulary.c', was: 'l->count = n;', becomes: ';', why: 'a word that a list has twice is stored once (ON CONFLICT DO NOTHING); the list is shortened to save statements time' },
  { file: 'src/core/login/bearer.c', was: 'for (int i = 0; i < 3; i++) {', becomes: 'for (int i = 0; i <= 3; i++) {', why: 'the column behind the last is that of the uses; AddressSanitizer finds the read behind the table' },
  { file: 'src/core/login/session.c', was: '"ORDER BY s.id DESC LIMIT 1");', becomes: '"ORDER BY s.id LIMIT 1");', why: 'two such sessions exist only if two logins ran beside each other, and either will do' },
  { file: 'src/core/fields/field_catalogue.c', was: 'if (c->committed < s->generation) c->committed = s->generation;', becomes: ';', why: 'the next reader notes the same number, after it has read the fields once more' },
  { file: 'src/core/fields/field_catalogue.c', was: 'w->fields_changed = 0;', becomes: ';', why: 'no request asks for the time of the fields before it changes one' },
  { file: 'src/core/search/filter.c', was: 'return n < 0 ? n : 0;', becomes: 'return !(n < 0) ? n : 0;', why: 'its callers hand on errors alone' },
  { file: 'src/core/search/find.c', was: 'return take_rows(f, &owners), 0;', becomes: 'return take_rows(f, &owners), 1;', why: 'its callers hand on errors alone' },
  { file: 'src/core/helpcenter/search.c', was: 'for (int i = 0; i < count; i++)', becomes: 'for (int i = 0; i <= count; i++)', why: 'no article has the id behind the last one of the list' },
  { file: 'src/core/change/audit_pending.c', was: 'int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);', becomes: 'int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);', why: 'no program is started while the file is open' },
  { file: 'src/core/change/audit_mark.c', was: 'if (rc == 0 && (rc = rename(draft, path)) != 0) why = errno;', becomes: 'if (rc == 0 && (rc = rename(draft, path)) != 1) why = errno;', why: 'errno is read after a failure alone' },
  { file: 'src/core/sla/clock_settings.c', was: 'int middle = low + (high - low) / 2;', becomes: 'int middle = low + (high - low) / 3;', why: 'a search that divides by three finds the same' },
  { file: 'src/core/sla/clocks.c', was: 'for (int i = 0; i < n; i++) ids[i] = events[i].case_id;', becomes: 'for (int i = 0; i <= n; i++) ids[i] = events[i].case_id;', why: 'the list has room for one more, which nobody reads' },
  { file: 'src/core/rules/sla_match.c', was: 'return strcmp(d->group, "CASES") == 0 ? NULL : "requester";', becomes: 'return strcmp(d->group, "CASES") == !(0) ? NULL : "requester";', why: 'another requester makes the SLA be decided once more, with the same result' },
  { file: 'src/core/search/vocabulary.c', was: 'if (l->count) qsort(l->texts, (size_t)l->count, sizeof *l->texts, compare_listed);', why: 'a word that a list has twice is stored once (ON CONFLICT DO NOTHING)' },
  { file: 'src/core/helpcenter/search.c', was: 'int rc = search_word_visible(s->work, &s->filter, &q->terms[unit], 1);', becomes: 'int rc = search_word_visible(s->work, &s->filter, &q->terms[unit], 2);', why: 'its caller asks whether it is more than 0' },
  { file: 'src/core/people/lookup.c', was: 'for (int place = 0; place <= 1 && !k->lookup->more; place++) TRY(take_matches(k, q, place));', becomes: 'for (int place = 0; place <= 2 && !k->lookup->more; place++) TRY(take_matches(k, q, place));', why: 'no word has a third place' },
  { file: 'src/core/people/lookup.c', was: 'return words ? words : (x->id > y->id) - (x->id < y->id);', becomes: 'return words ? words : (x->id >= y->id) - (x->id < y->id);', why: 'the matches have different ids' },
  { file: 'src/outgoing/exchange.c', was: 'curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");', becomes: ';', why: 'an address with another scheme is refused when the endpoint is saved' },
  { file: 'src/outgoing/exchange.c', was: 'curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);', becomes: ';', why: 'the default of libcurl' },
  { file: 'src/outgoing/exchange.c', was: 'curl_easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);', becomes: ';', why: 'the default of libcurl' },
  { file: 'src/outgoing/exchange.c', was: 'curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);', becomes: ';', why: 'the default of libcurl' },
  { file: 'src/outgoing/exchange.c', was: 'curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);', becomes: ';', why: 'the default of libcurl' },
  { file: 'src/core/people/name_index.c', was: 'if (before.p && after.p && str_eq(before, after)) return 0;', becomes: 'if (before.p && after.p && str_eq(before, after)) return 1;', why: 'its callers hand on errors alone' },
  { file: 'src/mail/imap.c', was: 'curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);', becomes: ';', why: 'Debian builds libcurl with a resolver in threads, so it uses no signal but SIGPIPE, which the program ignores' },
  { file: 'src/outgoing/sender.c', was: 'curl_multi_wakeup(s->multi);', becomes: ';', why: 'the thread looks again after a second, so it only costs time' },
  { file: 'src/core/helpcenter/article_attachment.c', was: 'for (int i = 0; i < texts->count; i++) {', becomes: 'for (int i = 0; i <= texts->count; i++) {', why: 'the entry behind the last is empty; AddressSanitizer finds the read behind a full list' },
  { file: 'src/core/helpcenter/search.c', was: 'for (int i = 0; i < count && i < SUGGEST_WORDS; i++)', becomes: 'for (int i = 0; i < count && i <= SUGGEST_WORDS; i++)', why: 'a bound of work may be one more: the titles of a fifth word have scores of their own' },
  { file: 'src/core/search/filter.c', was: 'if (given && tagged_kinds[i].kind != SEARCH_CASES)', becomes: 'if (given && tagged_kinds[i].kind == SEARCH_CASES)', why: 'the next condition finds the same rows; this one finds them by an index' },
  { file: 'src/core/people/notification.c', was: 'for (int p = 0; p < count; p++) preferences_begin(&all[p]);', becomes: 'for (int p = 0; p <= count; p++) preferences_begin(&all[p]);', why: 'the list has room for one more, which nobody reads' },
  { file: 'src/files/zip.c', was: 'archive_write_set_bytes_per_block(z->archive, 0) == ARCHIVE_OK &&', becomes: 'archive_write_set_bytes_per_block(z->archive, 1) == ARCHIVE_OK &&', why: 'the same bytes, in pieces of one byte' },
  { file: 'src/core/people/organization.c', was: 'return 0;', becomes: 'return 1;', why: 'its callers hand on errors alone' },
  { file: 'src/core/sla/clock_history.c', was: 'if (r->to < r->from) r->to = r->from; /* clocks of processes may differ */', becomes: 'if (r->to <= r->from) r->to = r->from; /* clocks of processes may differ */', why: 'equal times stay equal' },
  { file: 'src/core/people/avatar.c', was: 'return 1;', becomes: 'return 2;', why: 'its caller asks whether it is more than 0' },
  { file: 'src/core/people/authority.c', was: '? 0', becomes: '? 1', why: 'its callers hand on errors alone' },
  { file: 'src/core/helpcenter/comment.c', was: 'if (rc) return rc < 0 ? rc : 0;', becomes: 'if (rc) return rc < 0 ? rc : 1;', why: 'its callers hand on errors alone' },
  { file: 'src/res/webhook.c', was: 'return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;', becomes: 'return c->work.problem_count >= problems ? -(int)failure(&c->work) : 0;', why: 'without a problem, failure() is 0' },
  { file: 'src/core/people/identity.c', was: 'return i.is_validated ? fail_state(w, "The address is already verified. No further step is needed.") : 0;', becomes: 'return i.is_validated ? fail_state(w, "The address is already verified. No further step is needed.") : 1;', why: 'its callers hand on errors alone' },
  { file: 'src/db/postgres_pipeline.c', was: 'pg_waited(c);', becomes: ';', why: 'the next statement sets the limit anew, so only a task that computes for longer than the limit between two statements would be cut' },
  { file: 'src/core/search/vocabulary.c', was: 'for (int piece = 0, pieces = piece_count(n); piece < pieces; piece++) {', becomes: 'for (int piece = 0, pieces = piece_count(n); piece <= pieces; piece++) {', why: 'the index has no piece of the next number' },
  { file: 'src/core/login/bearer.c', was: 'int tokens_end(struct work *w, int64_t user_id) { return tokens_end_all(w, json_ids(w->arena, &user_id, 1)); }', becomes: 'int tokens_end(struct work *w, int64_t user_id) { return tokens_end_all(w, json_ids(w->arena, &user_id, 2)); }', why: 'AddressSanitizer finds the read behind a single value, which is hardly ever the id of a person' },
  { file: 'src/core/helpcenter/comment.c', was: 'return rc < 0 ? rc : rc ? 0 : fail(w, ERR_RESOURCE_NOT_FOUND);', becomes: 'return rc < 0 ? rc : rc ? 1 : fail(w, ERR_RESOURCE_NOT_FOUND);', why: 'its callers hand on errors alone' },
  { file: 'src/files/nursery.c', was: '_exit(1);', becomes: ';', why: 'the descriptors of a request are valid, so dup2 and close_range do not fail' },
  { file: 'src/core/people/proof.c', was: 'return count < RESETS_AN_HOUR ? letter_reset(w, email) : 0;', becomes: 'return count < RESETS_AN_HOUR ? letter_reset(w, email) : 1;', why: 'its caller hands on errors alone' },
  { file: 'src/core/fields/field_catalogue.c', was: 'else if (state.changed_at == 0) TRY(field_state_read(w, &state));', becomes: 'else if (state.changed_at != 0) TRY(field_state_read(w, &state));', why: 'the tag of the row was computed before with the values of its fields, so their set is kept' },
];

for (const { file, was } of equivalents) {
  const lines = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n').map((line) => line.trim());
  assert.ok(lines.includes(was), `${file} has no line ${was}`);
}

export const isEquivalent = (file, was, line) => equivalents.some((e) => e.file === file && e.was === was.trim() && (!e.becomes || e.becomes === line.trim()));
