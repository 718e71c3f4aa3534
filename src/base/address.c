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

/* A block of addresses: the first `bits` of `start`. */
struct block {
    unsigned char start[16];
    int bits;
};

static bool bits_same(const unsigned char *a, const unsigned char *b, int bits) {
    int whole = bits / 8, rest = bits % 8;
    return memcmp(a, b, (size_t)whole) == 0 && (rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

static bool address_in_block(const unsigned char *bytes, const struct block *blocks, size_t count) {
    for (const struct block *b = blocks; b < blocks + count; b++)
        if (bits_same(bytes, b->start, b->bits)) return true;
    return false;
}

static bool ipv4_is_public(const unsigned char *bytes) {
    static const struct block special[] = {
        {{0}, 8},             /* this network; 0.0.0.0 is the host itself */
        {{10}, 8},            /* private */
        {{100, 64}, 10},      /* shared by customers of a provider (CGNAT) */
        {{127}, 8},           /* loopback */
        {{169, 254}, 16},     /* link-local, and the metadata of clouds */
        {{172, 16}, 12},      /* private */
        {{192, 0, 0}, 24},    /* protocols */
        {{192, 0, 2}, 24},    /* documentation */
        {{192, 88, 99}, 24},  /* relays of 6to4 */
        {{192, 168}, 16},     /* private */
        {{198, 18}, 15},      /* benchmarks */
        {{198, 51, 100}, 24}, /* documentation */
        {{203, 0, 113}, 24},  /* documentation */
        {{224}, 4},           /* multicast */
        {{240}, 4},           /* reserved, and broadcast */
    };
    return !address_in_block(bytes, special, sizeof special / sizeof *special);
}

bool address_is_public(const struct address *a) {
    /* 2000::/3: all global unicast addresses that were ever assigned */
    static const struct block global = {{0x20}, 3};
    static const struct block nat64 = {{0, 0x64, 0xff, 0x9b}, 96}, to4 = {{0x20, 0x02}, 16};
    static const struct block special[] = {
        {{0x20, 0x01, 0x00}, 23},       /* protocols, with Teredo 2001::/32 */
        {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
        {{0x3f, 0xff}, 20},             /* documentation (RFC 9637) */
    };
    if (address_is_mapped(a)) return ipv4_is_public(a->bytes + 12);
    if (address_in_block(a->bytes, &nat64, 1)) return ipv4_is_public(a->bytes + 12);
    if (address_in_block(a->bytes, &to4, 1)) return ipv4_is_public(a->bytes + 2);
    return address_in_block(a->bytes, &global, 1) &&
           !address_in_block(a->bytes, special, sizeof special / sizeof *special);
}

bool address_port_parse(struct str text, struct address *out, int64_t *port) {
    struct str host = str_cut(&text, ':');
    if (text.p && (!str_to_int(text, port) || *port < 1 || *port > 65535)) return false;
    return address_parse(host, out) && address_is_mapped(out);
}

void address_text(const struct address *a, char out[ADDRESS_TEXT]) {
    if (address_is_mapped(a)) inet_ntop(AF_INET, a->bytes + 12, out, ADDRESS_TEXT);
    else inet_ntop(AF_INET6, a->bytes, out, ADDRESS_TEXT);
}

bool address_parse(struct str text, struct address *out) {
    char buf[ADDRESS_TEXT];
    if (text.n > 2 && text.p[0] == '[' && text.p[text.n - 1] == ']')
        text = (struct str){text.p + 1, text.n - 2};
    if (text.n == 0 || text.n >= sizeof buf) return false;
    memcpy(buf, text.p, text.n);
    buf[text.n] = '\0';
    *out = mapped;
    return inet_pton(AF_INET, buf, out->bytes + 12) == 1 || inet_pton(AF_INET6, buf, out->bytes) == 1;
}

bool host_is_private(struct str host) {
    const struct str local = S("localhost");
    struct address literal;
    if (host.n && host.p[host.n - 1] == '.') host.n--; /* the root of the DNS: the same host */
    if (host.n >= local.n && str_eqi((struct str){host.p + host.n - local.n, local.n}, local) &&
        (host.n == local.n || host.p[host.n - local.n - 1] == '.'))
        return true;
    return address_parse(host, &literal) && !address_is_public(&literal);
}

bool port_is_bad(int64_t port) {
    static const short bad[] = {
        0,    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,   42,   43,
        53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,  111,  113,  115,  117,  119,
        123,  135,  137,  139,  143,  161,  179,  389,  427,  465,  512,  513,  514,  515,  526,  530,  531,
        532,  540,  548,  554,  556,  563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049,
        3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (bad[i] == port) return true;
    return false;
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

bool network_has(const struct network *n, const struct address *a) {
    return bits_same(a->bytes, n->start.bytes, n->bits);
}

bool network_parse(struct str text, struct network *out) {
    struct str bits = text, host = str_cut(&bits, '/');
    if (!address_parse(host, &out->start)) return false;
    int64_t most = address_is_mapped(&out->start) ? 32 : 128, n = most;
    if (bits.p && (!str_to_int(bits, &n) || n < 0 || n > most)) return false;
    out->bits = (int)(128 - most + n);
    for (int i = out->bits; i < 128; i++)
        if (out->start.bytes[i / 8] >> (7 - i % 8) & 1) return false;
    return true;
}
