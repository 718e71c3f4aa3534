#include "base/address.h"

#include <arpa/inet.h>

#define NETWORK_BYTES 8 /* an IPv6 address is counted by its first 64 bits */

static const struct address mapped = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};

struct address address_of(const struct sockaddr *sa) {
    struct address a = {0};
    if (sa->sa_family == AF_INET) {
        a = mapped;
        memcpy(a.bytes + 12, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, 4);
    } else if (sa->sa_family == AF_INET6) {
        memcpy(a.bytes, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, 16);
    }
    return a;
}

bool address_is_mapped(const struct address *a) { return memcmp(a->bytes, mapped.bytes, 12) == 0; }

bool address_is_loopback(const struct address *a) {
    static const struct address one = {{[15] = 1}};
    return address_is_mapped(a) ? a->bytes[12] == 127 : memcmp(a, &one, sizeof one) == 0;
}

void address_text(const struct address *a, char out[ADDRESS_TEXT]) {
    if (address_is_mapped(a)) inet_ntop(AF_INET, a->bytes + 12, out, ADDRESS_TEXT);
    else inet_ntop(AF_INET6, a->bytes, out, ADDRESS_TEXT);
}

bool address_parse(struct str text, struct address *out) {
    char buf[ADDRESS_TEXT];
    if (text.n > 2 && text.p[0] == '[' && text.p[text.n - 1] == ']') text = (struct str){text.p + 1, text.n - 2};
    if (text.n == 0 || text.n >= sizeof buf) return false;
    memcpy(buf, text.p, text.n);
    buf[text.n] = '\0';
    *out = mapped;
    return inet_pton(AF_INET, buf, out->bytes + 12) == 1 || inet_pton(AF_INET6, buf, out->bytes) == 1;
}

struct address address_counted(struct address a) {
    if (!address_is_mapped(&a)) memset(a.bytes + NETWORK_BYTES, 0, sizeof a.bytes - NETWORK_BYTES);
    return a;
}

struct str address_counted_text(char room[ADDRESS_TEXT], struct str remote) {
    struct address a;
    if (!address_parse(remote, &a) || address_is_mapped(&a)) return remote;
    a = address_counted(a);
    address_text(&a, room);
    strcat(room, "/64");
    return str_of(room);
}
