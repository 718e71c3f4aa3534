/* Operations without a login, for people who read the e-mails of an address. */
#include "core/people/proof.h"

#include "api/rows/generic.h"
#include "core/letters/link.h"
#include "core/words.h"
#include "res/groups.h"

static const struct field verify_input[] = {
    {"hash", F_TEXT, PRESENT, .doc = "Token of the mailed link. It works once, within 72 hours.",
     .example = "\"0f1e2d\""},
    {0},
};
static const struct field reset_input[] = {
    {"email", F_EMAIL, PRESENT, .doc = "E-mail address of the account.", .example = "\"ada@example.com\""},
    {0},
};

static int put_profile_verify(struct call *c) {
    TRY(api_input(c));
    if (c->work.actor.rank == ROLE_PUBLIC) c->work.actor.cause = CAUSE_LINK;
    int done = email_verify(&c->work, in_text(c, "hash"));
    TRY(done);
    return done ? api_reply(c)
                : in_fail(c, "hash", ERR_FIELD_INVALID,
                          "The link is unknown, was used or replaced, or has expired.");
}

static int post_password_reset(struct call *c) {
    TRY(api_input(c));
    TRY(password_reset_ask(&c->work, in_text(c, "email")));
    call_mailed(c, "If an account has this address, we have sent an e-mail with a link to it.",
                "If an account has this address, an e-mail with a link to it");
    return api_reply(c);
}

static const struct route proof_routes[] = {
    {PUT, "/profile/verify", PUBLIC, "", NONE, put_profile_verify, .input = verify_input,
     .summary = "Verify an e-mail address by the token of its link",
     .doc = "An address that a collaborator added can only be verified in a session of the person it was "
            "added to.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.refused = "FIELD_INVALID"}},
    {POST, "/password/reset", PUBLIC, "", NONE, post_password_reset, .status = 200, .input = reset_input,
     .summary = "Request a link that resets a password",
     .doc = "The reply is the same whether or not an account has the address. The link goes to a validated "
            "address, or to the only address of an account. Send its token as X-Token with PUT "
            "/profile/password."},
    {0},
};

const struct resource proof_resource = {.type = "proof",
                                        .scope = "",
                                        .title = "Links in mails",
                                        .doc = "Verification of e-mail addresses, and reset of passwords.",
                                        .fields = no_fields,
                                        .routes = proof_routes};
