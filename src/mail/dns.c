#include "mail/dns.h"

#include "base/address.h"
#include "base/clock.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>
#include <stdio.h>

#define REPLY_MOST 8192 /* bytes of a reply; name servers rarely send more than 1232 over UDP */
#define DNS_PORT 53

static bool server_read(struct str server, struct sockaddr_in *out) {
    struct address address;
    int64_t port = DNS_PORT;
    if (!address_port_parse(server, &address, &port)) return false;
    *out = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    memcpy(&out->sin_addr, address.bytes + 12, 4);
    return true;
}

static bool resolver_open(struct __res_state *r, struct str server) {
    struct sockaddr_in address;
    memset(r, 0, sizeof *r);
    if (res_ninit(r) != 0) return false;
    r->retrans = DNS_WAIT_SECONDS;
    r->retry = 1;
    r->options |= RES_USE_EDNS0 | RES_IGNTC;
    if (server.n == 0 || !server_read(server, &address)) return true;
    r->nscount = 1;
    r->nsaddr_list[0] = address;
    return true;
}

static struct str printable(struct arena *a, const unsigned char *bytes, size_t n) {
    char *out = arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++) out[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '?';
    out[n] = 0;
    return (struct str){out, n};
}

/* The strings of a TXT record (RFC 1035 section 3.3.14), joined. */
static struct str txt_of(struct arena *a, const unsigned char *data, size_t n) {
    unsigned char *joined = arena_alloc(a, n + 1);
    size_t used = 0;
    for (size_t at = 0; at < n;) {
        size_t length = data[at++];
        if (length > n - at) length = n - at;
        memcpy(joined + used, data + at, length);
        used += length;
        at += length;
    }
    return printable(a, joined, used);
}

static struct str mx_of(struct arena *a, const ns_msg *m, const ns_rr *rr) {
    char name[NS_MAXDNAME];
    const unsigned char *data = ns_rr_rdata(*rr);
    if (ns_rr_rdlen(*rr) < 3 || dn_expand(ns_msg_base(*m), ns_msg_end(*m), data + 2, name, sizeof name) < 0)
        return (struct str){0};
    struct str host = printable(a, (const unsigned char *)name, strlen(name));
    return str_fmt(a, "%u %s", ns_get16(data), host.n ? host.p : ".");
}

static ns_type type_asked(const struct dns_question *q) { return q->type == DNS_MX ? ns_t_mx : ns_t_txt; }

static void dns_answer_read(struct arena *a, const unsigned char *reply, int n, struct dns_question *q) {
    ns_msg m;
    ns_rr rr;
    if (ns_initparse(reply, n, &m) < 0) return;
    for (int i = 0; i < ns_msg_count(m, ns_s_an) && q->count < DNS_ANSWERS; i++) {
        if (ns_parserr(&m, ns_s_an, i, &rr) < 0) return;
        if (ns_rr_type(rr) != type_asked(q)) continue; /* skips other records, such as a CNAME before it */
        struct str value =
            q->type == DNS_MX ? mx_of(a, &m, &rr) : txt_of(a, ns_rr_rdata(rr), ns_rr_rdlen(rr));
        if (value.p) q->values[q->count++] = value;
    }
}

/* Leaves out the name servers that there is no time for. */
static void question_ask(struct arena *a, struct str server, struct dns_question *q, int64_t left_ms) {
    struct __res_state r;
    unsigned char *reply = arena_alloc(a, REPLY_MOST);
    int most = (int)(left_ms / (DNS_WAIT_SECONDS * TIME_SECOND));
    q->failed = true;
    if (most <= 0 || !resolver_open(&r, server)) return;
    if (r.nscount > most) r.nscount = most;
    int n = res_nquery(&r, str_dup(a, q->name).p, ns_c_in, (int)type_asked(q), reply, REPLY_MOST);
    q->failed = n < 0 && r.res_h_errno != HOST_NOT_FOUND && r.res_h_errno != NO_DATA;
    if (n >= 0) dns_answer_read(a, reply, n < REPLY_MOST ? n : REPLY_MOST, q);
    res_nclose(&r);
}

void dns_ask(struct arena *a, struct str server, struct dns_question *list, int n) {
    int64_t until = clock_monotonic() + DNS_TOGETHER_SECONDS * TIME_SECOND;
    for (int i = 0; i < n; i++) {
        list[i].values = arena_array(a, DNS_ANSWERS, sizeof *list[i].values);
        /* A millisecond that other questions took must not cost a name server its two seconds. */
        question_ask(a, server, &list[i], until - clock_monotonic() + TIME_SECOND / 2);
    }
}
