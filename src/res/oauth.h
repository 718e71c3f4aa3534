/* Members and checks that clients, grants and API tokens share. */
#ifndef RES_OAUTH_H
#define RES_OAUTH_H

#include "api/rows/view.h"

/* Renders the scopes of a mask. */
void render_scopes(struct view *v, const struct row *row, const struct value *own);
/* Checks F_TEXTS of scopes. in->made: their mask, a uint32_t. A bearer token can't name scopes that it
 * does not have. */
int check_scopes(struct call *c, struct in *in);
uint32_t scopes_given(struct call *c); /* the mask of the given parameter `scopes`; 0: an empty list */
/* Renders the column with the bytes. The row also has the hidden members logo_type, logo_created_at and
 * logo_of, the client's id. */
void render_client_logo(struct view *v, const struct row *row, const struct value *own);
#define CLIENT_LOGO_EXAMPLE                                                                      \
    "{\"data\": \"iVBORw0KGgo=\", \"type\": \"PNG\", \"url\": "                                  \
    "\"https://desk.example.com/api/v1/oauth/clients/1/logo?v=1767225600000\", \"created_at\": " \
    "\"2026-01-01T00:00:00+00:00\"}"

#endif
