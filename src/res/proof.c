/* What can be done without a login by whoever reads the mail of an address. */
#include "core/login/proof.h"

#include "api/generic.h"
#include "core/login/link.h"
#include "core/words.h"

static const struct field verify_input[] = {
    {"hash", F_TEXT, PRESENT, .doc = "Of the link that was mailed; single use, good for 72 hours.", .example = "\"0f1e2d\""},
    {0},
};
static const struct field reset_input[] = {
    {"email", F_EMAIL, PRESENT, .doc = "The address to write to.", .example = "\"ada@example.com\""},
    {0},
};

static int put_profile_verify(struct call *c) {
    TRY(api_input(c));
    if (c->work.actor.rank == ROLE_PUBLIC) c->work.actor.cause = CAUSE_LINK;
    int done = email_verify(&c->work, in_text(c, "hash"));
    TRY(done);
    return done ? api_reply(c) : in_fail(c, "hash", ERR_FIELD_INVALID, "The link is unknown, was used or replaced, or has expired.");
}

static int post_password_reset(struct call *c) {
    TRY(api_input(c));
    TRY(password_reset_ask(&c->work, in_text(c, "email")));
    c->notification = S("If an account has this address, a mail with a link is on its way to it.");
    return api_reply(c);
}

static const struct route proof_routes[] = {
    {PUT, "/profile/verify", PUBLIC, "", NONE, put_profile_verify, .input = verify_input, .summary = "Verify an e-mail address by its link",
     .doc = "An address that a collaborator added is verified in a session of the person it was added to.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {POST, "/password/reset", PUBLIC, "", NONE, post_password_reset, .status = 200, .input = reset_input,
     .summary = "Ask for a link that resets a password",
     .doc = "The answer is the same whether or not anybody has the address. The link goes to validated addresses, and to an account's only "
            "one; it is "
            "presented as X-Token on PUT /profile/password."},
    {0},
};

const struct resource proof_resource = {.type = "proof",
                                        .title = "Links in mails",
                                        .doc = "Verifying an address and resetting a password.",
                                        .fields = (const struct field[]){{0}},
                                        .routes = proof_routes};
