/* The records in the domain name system that mails of a mailbox need to arrive (shapes.md "mailbox"). */
#include "api/generic.h"
#include "api/reply.h"
#include "api/view.h"
#include "core/desk/setting.h"
#include "core/mail/mailbox.h"
#include "mail/dns.h"

#include <time.h>

#define TOGETHER_MS 6000 /* after this time no further question is asked */

struct dns_record {
    const char *type;
    struct str domain, expected; /* expected: p NULL: any value that fits the type */
    struct dns_answer answer;
    bool is_valid;
};

struct configuration {
    struct dns_record records[4];
    int count;
};

/* ---- the rules --------------------------------------------------------------------------------------------------------
 *
 * SPF (RFC 7208) and DMARC (RFC 7489) each allow one record. The desk does not evaluate the policy of SPF, because the relay decides from which
 * address mails leave. */

static bool has_one(const struct dns_answer *answer, struct str prefix) {
    int found = 0;
    for (int i = 0; i < answer->count; i++) {
        struct str v = answer->values[i];
        found += v.n >= prefix.n && str_eqi((struct str){v.p, prefix.n}, prefix) && (v.n == prefix.n || strchr(" ;", v.p[prefix.n]));
    }
    return found == 1;
}

/* A lone "." says that the domain takes no mail (RFC 7505). */
static bool takes_mail(const struct dns_answer *answer) {
    for (int i = 0; i < answer->count; i++)
        if (answer->values[i].n < 2 || answer->values[i].p[answer->values[i].n - 1] != '.') return true;
    return false;
}

static void keep_prefixed(struct dns_answer *answer, struct str prefix) {
    int n = 0;
    for (int i = 0; i < answer->count; i++)
        if (answer->values[i].n >= prefix.n && str_eqi((struct str){answer->values[i].p, prefix.n}, prefix))
            answer->values[n++] = answer->values[i];
    answer->count = n;
}

static int64_t monotonic_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void record_look_up(struct call *c, struct configuration *k, struct dns_record r, struct str prefix, int64_t until) {
    struct str server = setting_text(c->work.desk, "mail.dns_server", c->work.arena);
    if (monotonic_ms() < until) dns_ask(c->work.arena, server, r.domain, prefix.n ? DNS_TXT : DNS_MX, &r.answer);
    if (prefix.n) keep_prefixed(&r.answer, prefix);
    r.is_valid = prefix.n ? has_one(&r.answer, prefix) : takes_mail(&r.answer);
    k->records[k->count++] = r;
}

static void records_look_up(struct call *c, struct configuration *k, struct str domain) {
    struct arena *a = c->work.arena;
    int64_t until = monotonic_ms() + TOGETHER_MS;
    struct str relay = setting_text(c->work.desk, "mail.smtp_host", a);
    struct str spf = relay.n ? STR_CAT(a, S("v=spf1 a:"), relay, S(" ~all")) : S("v=spf1 mx ~all");
    record_look_up(c, k, (struct dns_record){.type = "SPF", .domain = domain, .expected = spf}, S("v=spf1"), until);
    record_look_up(c, k,
                   (struct dns_record){.type = "DMARC", .domain = STR_CAT(a, S("_dmarc."), domain), .expected = S("v=DMARC1; p=none")},
                   S("v=DMARC1"), until);
    record_look_up(c, k, (struct dns_record){.type = "MX", .domain = domain}, (struct str){0}, until);
}

/* ---- members ---------------------------------------------------------------------------------------------------------- */

static void write_dns_record(struct view *v, const struct dns_record *r) {
    jw_object(&v->w);
    jw_key(&v->w, S("type"));
    jw_str(&v->w, str_of(r->type));
    jw_key(&v->w, S("domain"));
    jw_str(&v->w, r->domain);
    jw_key(&v->w, S("expected_value"));
    jw_str(&v->w, r->expected);
    jw_key(&v->w, S("actual_values"));
    jw_array(&v->w);
    for (int i = 0; i < r->answer.count; i++) jw_str(&v->w, r->answer.values[i]);
    jw_end(&v->w);
    jw_key(&v->w, S("is_valid"));
    jw_bool(&v->w, r->is_valid);
    jw_end(&v->w);
}

static void render_dns_records(struct view *v, const struct row *row, const struct value *own) {
    const struct configuration *k = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int i = 0; k && i < k->count; i++) write_dns_record(v, &k->records[i]);
    jw_end(&v->w);
}

static void render_all_valid(struct view *v, const struct row *row, const struct value *own) {
    const struct configuration *k = v->c->prepared;
    bool valid = k && k->count > 0;
    (void)row, (void)own;
    for (int i = 0; k && i < k->count; i++) valid = valid && k->records[i].is_valid;
    jw_bool(&v->w, valid);
}

static const struct field configuration_fields[] = {
    {"is_valid", F_COMPUTED, READONLY, .column = "", .render = render_all_valid, .doc = "True if all records are valid.",
     .example = "true"},
    {"dns_records", F_COMPUTED, READONLY, .column = "", .render = render_dns_records,
     .doc =
         "For each record {type, domain, expected_value, actual_values, is_valid}. SPF and DMARC are valid if there is exactly one record. "
         "Its policy is not compared: expected_value is a proposal. MX is valid if the domain takes mail. A record without an answer in "
         "time "
         "is not valid.",
     .example =
         "[{\"type\": \"SPF\", \"domain\": \"example.com\", \"expected_value\": \"v=spf1 a:relay.example.com ~all\", \"actual_values\": "
         "[\"v=spf1 -all\"], \"is_valid\": true}]"},
    {0},
};

QUERY(mailbox_own_address,
      "SELECT COALESCE(t.address, (SELECT s.value FROM settings s WHERE s.name = 'mail.from_address'), '') FROM mailboxes t "
      "WHERE t.id = :id AND t.deleted_at IS NULL");

static int get_mailbox_configuration(struct call *c) {
    struct str address = {0};
    struct configuration *k = ARENA_NEW(c->work.arena, struct configuration);
    TRY(api_of(c));
    TRY(api_input(c));
    int rc = db_text(c->work.conn, &mailbox_own_address, BINDS(B_INT("id", c->vars[0].id)), c->work.arena, &address);
    if (rc <= 0) return rc < 0 ? rc : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    *k = (struct configuration){.count = 0};
    str_cut(&address, '@');
    if (address.n) records_look_up(c, k, address);
    c->prepared = k;
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static const struct route configuration_routes[] = {
    {GET, "/mailboxes/:id/configuration", AD, "configuration", ONE, get_mailbox_configuration, .of = "mailbox", .executor = POOL,
     .lane = LANE_READ, .summary = "Check the records of a mailbox's domain",
     .doc = "Asks the name server for SPF, DMARC and MX, for six seconds at most. Without an address the list is empty."},
    {0},
};

const struct resource mailbox_configuration_resource = {.type = "mailbox_configuration",
                                                        .title = "Configurations of mailboxes",
                                                        .doc = "Records in the domain name system that a mailbox needs.",
                                                        .fields = configuration_fields,
                                                        .routes = configuration_routes};
