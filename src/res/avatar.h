/* Pictures of people. If there is no uploaded picture, the reply is a drawing of the initials. */
#ifndef RES_AVATAR_H
#define RES_AVATAR_H

#include "api/call/call.h"

int get_user_avatar(struct call *c); /* GET /users/:id/avatar */
extern const struct field avatar_args[];

/* The proof in the address of a picture: the time of the last change of the picture, and a MAC. Clients
 * load pictures without credentials, and ids can be guessed. The proof shows that the caller was shown the
 * address. Callers without login get another proof: core/access/stranger.h. */
struct str avatar_version(const struct desk *d, struct arena *a, int64_t user_id, struct str moment);

/* The file part `avatar` of a PUT, or the id of an uploaded file. The picture is scaled in the pool,
 * checked with the other fields, and then stored. */
#define AVATAR_PART                                                               \
    {                                                                             \
        "avatar", F_FILE, INPUT_ONLY | BY_HANDLER,                                \
            .check = avatar_check,                                                \
            .doc = "Picture: JPEG, PNG, GIF or WebP. The server crops it to the " \
                   "square in the middle."                                        \
    }
#define AVATAR_FILE                                                               \
    {                                                                             \
        "avatar_file_id", F_INT, INPUT_ONLY | BY_HANDLER,                         \
            .min = 1, .max = INT64_MAX, .check = avatar_check,                    \
            .doc = "Id of an uploaded picture (POST /files), in place of avatar." \
    }
int avatar_prepare(struct call *c);
int avatar_check(struct call *c, struct in *in);
bool avatar_given(struct call *c);
int avatar_store(struct call *c, int64_t user_id);

#endif
