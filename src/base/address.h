/* Network addresses of clients, and the network that a limit counts an address by. */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include "base/str.h"

#include <netinet/in.h>

/* An IPv6 address, or an IPv4 address mapped into one (RFC 4291 section 2.5.5.2). */
struct address {
    unsigned char bytes[16];
};
#define ADDRESS_TEXT (INET6_ADDRSTRLEN + 3) /* size of the text of an address or a network, with its NUL */

struct address address_of(const struct sockaddr *sa);
/* reads numeric IPv4 or IPv6, with or without brackets */
bool address_parse(struct str text, struct address *out);
/* Reads "192.0.2.7" or "192.0.2.7:5353". *port stays unchanged if the text has none. */
bool address_port_parse(struct str text, struct address *out, int64_t *port);
/* A block of addresses: those whose first `bits` bits are those of `start`. */
struct network {
    struct address start;
    int bits; /* number of bits in the mapped form: 96 more than in the text of an IPv4 network */
};
/* Reads an address, or an address, a slash and a number of bits: 10.0.0.0/8. Returns false if it is
 * neither, or if bits behind the prefix are set. */
bool network_parse(struct str text, struct network *out);
bool network_has(const struct network *n, const struct address *a);
void address_text(const struct address *a, char out[ADDRESS_TEXT]);
bool address_is_mapped(const struct address *a); /* true: it is an IPv4 address */
bool address_is_loopback(const struct address *a);
/* True if the address belongs to a host of the public Internet: it is in none of the special blocks of RFC
 * 6890, of shared addresses (RFC 6598), of multicast, or of an IPv6 form that embeds such an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo). */
bool address_is_public(const struct address *a);
/* True if the host names this machine (localhost and names below it, RFC 6761), or is the text of an
 * address that is not public. Other names are not looked up. */
bool host_is_private(struct str host);

/* True for port 0 and the ports of services that do not speak HTTP: the "bad ports" of the Fetch standard,
 * which browsers refuse, too. A request to one could be read as commands there. */
bool port_is_bad(int64_t port);

/* Returns the network by which limits count an address: an IPv4 address itself, or the /64 of an IPv6
 * address. One household or machine has a whole /64 (RFC 6177). All limits per address use it:
 * connections, held bytes, public writes, failed logins. */
struct address address_counted(struct address a);
/* The same for texts: "192.0.2.7", "2001:db8:1:2::/64". The result lies in `room`, or is `remote` itself
 * if nothing changes. */
struct str address_counted_text(char room[ADDRESS_TEXT], struct str remote);

#endif
