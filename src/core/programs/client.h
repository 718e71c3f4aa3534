/* OAuth clients: programs that people let act for them (docs/PROGRAMS.md). */
#ifndef CORE_CLIENT_H
#define CORE_CLIENT_H

#include "core/desk/cascade_step.h"
#include "core/words.h"
#include "work/work.h"

/* Paths of the OAuth server, below the base URL. */
#define OAUTH_AUTHORIZE "/oauth/authorize"
#define OAUTH_TOKEN "/oauth/token"

struct client {
    /* creator_id 0: a token made it, or the person was purged, so no client_credentials */
    int64_t id, creator_id;
    struct str key, name, url, author, author_url, description, callback_url; /* p NULL: none */
    uint32_t scopes; /* mask of core/access/scope.h, write bits with their read bits; 0: none */
    bool is_public;  /* it holds no secret, so PKCE is required */
    bool is_password_grant_enabled;
    int64_t logo_at; /* 0: no logo */
};

/* Returns NULL, or a sentence that says why people can't trust what they read if a client or its author
 * has this name. */
const char *client_name_wrong(struct str name);

/* Finds a client by its key, the client_id of OAuth. Returns 1, 0 if there is none, or a negative error. */
int client_find(struct work *w, struct str key, struct client *out);

/* The same, and verifies its secret. An empty secret counts as none. Returns 1 if (1) the client is public
 * and `secret` is empty, or (2) it is not public and `secret` is its secret. Otherwise 0, in the same time
 * for an unknown key and a wrong secret. */
int client_authenticate(struct work *w, struct str key, struct str secret, struct client *out);

/* 1, 0 or a negative error; for client_credentials */
int client_creator_may_log_in(struct work *w, const struct client *c);

/* Its use is gathered in memory and written in batches, as the last use of the client. Call it for each
 * token that it gets. */
void client_used(struct work *w, int64_t client_id);

/* Makes a new secret, stores its hash, and returns the text, which nothing shows again. The old one ends
 * at once. */
int client_renew_secret(struct work *w, int64_t client_id, struct str *secret);
int client_drop_secret(struct work *w, int64_t client_id); /* for a client that is public from now on */

/* Stores the mask of its list of scopes. before: the stored one. */
int client_set_scopes(struct work *w, int64_t client_id, uint32_t before, uint32_t mask);

/* The address of its logo below the base URL. p NULL: it has none. */
struct str client_logo_url(const struct desk *d, struct arena *a, int64_t client_id, int64_t logo_at);

/* Deletes clients (ids: JSON array) with their grants, tokens and codes, in the parts of a cascade.
 * Nothing of them works or is shown from this write on: readers of these tables leave out marked clients. */
int clients_delete(struct work *w, struct str ids);
extern const struct step client_delete_steps[];
#define GONE_CLIENTS "(SELECT x.id FROM oauth_clients x WHERE x.deleted_at IS NOT NULL)"

/* A write that gives a grant or a token calls it, so that nobody deletes the client until the write ends.
 * Returns 0, -ERR_FIELD_INVALID if the client is gone, or another negative error. */
int client_hold(struct work *w, int64_t client_id);

#define LOGO_BOX 100 /* pixels: neither side of a logo is longer */
/* data.p NULL: the client has no logo from now on. */
int client_logo_set(struct work *w, int64_t client_id, enum logo_type type, struct str data);
/* Returns 1, 0 if there is none, or a negative error. type: a media type. */
int client_logo_find(struct work *w, int64_t client_id, struct str *type, struct str *data);

#endif
