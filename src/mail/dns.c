#include "mail/dns.h"

#include "base/address.h"

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
    if (ns_rr_rdlen(*rr) < 3 || dn_expand(ns_msg_base(*m), ns_msg_end(*m), data + 2, name, sizeof name) < 0) return (struct str){0};
    struct str host = printable(a, (const unsigned char *)name, strlen(name));
    return str_fmt(a, "%u %s", ns_get16(data), host.n ? host.p : ".");
}

static void dns_answer_read(struct arena *a, const unsigned char *reply, int n, enum dns_type type, struct dns_answer *out) {
    ns_msg m;
    ns_rr rr;
    if (ns_initparse(reply, n, &m) < 0) return;
    for (int i = 0; i < ns_msg_count(m, ns_s_an) && out->count < DNS_ANSWERS; i++) {
        if (ns_parserr(&m, ns_s_an, i, &rr) < 0) return;
        if (ns_rr_type(rr) != (type == DNS_MX ? ns_t_mx : ns_t_txt)) continue; /* such as a CNAME before it */
        struct str value = type == DNS_MX ? mx_of(a, &m, &rr) : txt_of(a, ns_rr_rdata(rr), ns_rr_rdlen(rr));
        if (value.p) out->values[out->count++] = value;
    }
}

void dns_ask(struct arena *a, struct str server, struct str name, enum dns_type type, struct dns_answer *out) {
    struct __res_state r;
    unsigned char *reply = arena_alloc(a, REPLY_MOST);
    *out = (struct dns_answer){.values = arena_array(a, DNS_ANSWERS, sizeof *out->values)};
    if (!resolver_open(&r, server)) {
        out->failed = true;
        return;
    }
    int n = res_nquery(&r, str_dup(a, name).p, ns_c_in, type == DNS_MX ? ns_t_mx : ns_t_txt, reply, REPLY_MOST);
    if (n < 0) out->failed = r.res_h_errno != HOST_NOT_FOUND && r.res_h_errno != NO_DATA;
    else dns_answer_read(a, reply, n < REPLY_MOST ? n : REPLY_MOST, type, out);
    res_nclose(&r);
}
