/* The records in the domain name system that mails of a mailbox need to arrive. */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/address.h"
#include "core/desk/setting.h"
#include "core/mail/mailbox.h"
#include "mail/dns.h"

/* ---- the rules -------------------------------------------------------------------------------
 *
 * SPF (RFC 7208) and DMARC (RFC 7489) each allow one record. The desk does not evaluate the policy of SPF,
 * because the relay decides from which address mails leave. */

static bool begins_with(struct str value, struct str prefix) {
    return value.n >= prefix.n && str_eqi((struct str){value.p, prefix.n}, prefix);
}

static bool has_one(const struct dns_question *q, struct str prefix) {
    int found = 0;
    for (int i = 0; i < q->count; i++) {
        struct str v = q->values[i];
        found += begins_with(v, prefix) && (v.n == prefix.n || in_set(v.p[prefix.n], " ;"));
    }
    return found == 1;
}

/* A lone "." says that the domain takes no mail (RFC 7505). */
static bool takes_mail(const struct dns_question *q, struct str prefix) {
    (void)prefix;
    for (int i = 0; i < q->count; i++)
        if (q->values[i].n < 2 || q->values[i].p[q->values[i].n - 1] != '.') return true;
    return false;
}

static const struct dns_rule {
    const char *type;
    enum dns_type asked;
    const char *below;  /* the label of the name, with its dot */
    const char *prefix; /* prefix of the values that belong to the record; other values are not shown */
    bool (*is_valid)(const struct dns_question *q, struct str prefix);
} dns_rules[] = {
    {"SPF", DNS_TXT, "", "v=spf1", has_one},
    {"DMARC", DNS_TXT, "_dmarc.", "v=DMARC1", has_one},
    {"MX", DNS_MX, "", "", takes_mail},
};
#define DNS_RULES (int)(sizeof dns_rules / sizeof *dns_rules)

struct configuration {
    struct str expected[DNS_RULES]; /* p NULL: any value that fits the type */
    struct dns_question asked[DNS_RULES];
    int count; /* 0: there is no address */
};

static bool rule_holds(const struct configuration *k, int i) {
    return dns_rules[i].is_valid(&k->asked[i], str_of(dns_rules[i].prefix));
}

/* The record that lets the relay send. A relay without a name has an address (RFC 7208 section 5.6). */
static struct str spf_expected(struct arena *a, struct str relay) {
    struct address address;
    char text[ADDRESS_TEXT];
    if (relay.n == 0) return S("v=spf1 mx ~all");
    if (!address_parse(relay, &address)) return STR_CAT(a, S("v=spf1 a:"), relay, S(" ~all"));
    address_text(&address, text);
    return STR_CAT(a, address_is_mapped(&address) ? S("v=spf1 ip4:") : S("v=spf1 ip6:"), str_of(text),
                   S(" ~all"));
}

static void configuration_ask(struct call *c, struct configuration *k, struct str domain) {
    struct arena *a = c->work.arena;
    struct str relay = setting_text(c->work.desk, "mail.smtp_host", a);
    k->expected[0] = spf_expected(a, relay);
    k->expected[1] = S("v=DMARC1; p=none");
    k->count = DNS_RULES;
    for (int i = 0; i < DNS_RULES; i++)
        k->asked[i] = (struct dns_question){.name = STR_CAT(a, str_of(dns_rules[i].below), domain),
                                            .type = dns_rules[i].asked};
    dns_ask(a, setting_text(c->work.desk, "mail.dns_server", a), k->asked, DNS_RULES);
}

/* ---- members --------------------------------------------------------------------------------- */

static void write_dns_record(struct view *v, const struct configuration *k, int i) {
    const struct dns_question *q = &k->asked[i];
    jw_object(&v->w);
    jw_key(&v->w, S("type"));
    jw_str(&v->w, str_of(dns_rules[i].type));
    jw_key(&v->w, S("domain"));
    jw_str(&v->w, q->name);
    jw_key(&v->w, S("expected_value"));
    jw_str(&v->w, k->expected[i]);
    jw_key(&v->w, S("actual_values"));
    jw_array(&v->w);
    for (int n = 0; n < q->count; n++)
        if (begins_with(q->values[n], str_of(dns_rules[i].prefix))) jw_str(&v->w, q->values[n]);
    jw_end(&v->w);
    jw_key(&v->w, S("is_valid"));
    jw_bool(&v->w, rule_holds(k, i));
    jw_end(&v->w);
}

static void render_dns_records(struct view *v, const struct row *row, const struct value *own) {
    const struct configuration *k = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int i = 0; k && i < k->count; i++) write_dns_record(v, k, i);
    jw_end(&v->w);
}

static void render_all_valid(struct view *v, const struct row *row, const struct value *own) {
    const struct configuration *k = v->c->prepared;
    bool valid = k && k->count > 0;
    (void)row, (void)own;
    for (int i = 0; k && i < k->count; i++) valid = valid && rule_holds(k, i);
    jw_bool(&v->w, valid);
}

static const struct field configuration_fields[] = {
    {"is_valid", F_COMPUTED, READONLY, .column = "", .render = render_all_valid,
     .doc = "True if all records are valid.", .example = "true"},
    {"dns_records", F_COMPUTED, READONLY, .column = "", .render = render_dns_records,
     .doc =
         "For each record {type, domain, expected_value, actual_values, is_valid}. SPF and DMARC are valid "
         "if there is exactly one record. Its policy is not compared: expected_value is a proposal. MX is "
         "valid if the domain takes mail. A record without an answer in time is not valid.",
     .example = "[{\"type\": \"SPF\", \"domain\": \"example.com\", \"expected_value\": \"v=spf1 "
                "a:relay.example.com ~all\", \"actual_values\": [\"v=spf1 -all\"], \"is_valid\": true}]"},
    {0},
};

QUERY(mailbox_own_address,
      "SELECT COALESCE(t.address, (SELECT s.value FROM settings s WHERE s.name = 'mail.from_address'), '') "
      "FROM mailboxes t WHERE t.id = :id AND t.deleted_at IS NULL");

/* Reads the domain; the answer comes without a snapshot. */
static int get_mailbox_configuration(struct call *c) {
    struct str address = {0}, *domain = ARENA_NEW(c->work.arena, struct str);
    TRY(api_of(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, db_text(c->work.conn, &mailbox_own_address, BINDS(B_INT("id", c->vars[0].id)),
                                c->work.arena, &address));
    str_cut(&address, '@');
    *domain = address;
    c->prepared = domain;
    return 0;
}

static int answer_configuration(struct call *c) {
    const struct str *domain = c->prepared;
    struct configuration *k = ARENA_NEW(c->work.arena, struct configuration);
    *k = (struct configuration){.count = 0};
    if (domain->n) configuration_ask(c, k, *domain);
    c->prepared = k;
    struct view *v = view_new(c);
    return envelope_row(v, row_new(v, layout_of(c->resource), 0));
}

static const struct route configuration_routes[] = {
    {GET, "/mailboxes/:id/configuration", AD, "configuration", ONE, get_mailbox_configuration,
     .of = "mailbox", .executor = POOL, .lane = LANE_READ, .outside = answer_configuration,
     .summary = "Check the records of a mailbox's domain",
     .doc = "Asks the name server for SPF, DMARC and MX, for six seconds at most. Without an address the "
            "list is empty."},
    {0},
};

const struct resource mailbox_configuration_resource = {
    .type = "mailbox_configuration",
    .scope = "configuration",
    .title = "Configurations of mailboxes",
    .doc = "Records in the domain name system that a mailbox needs.",
    .fields = configuration_fields,
    .routes = configuration_routes};
