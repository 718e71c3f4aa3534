#include "res/channel.h"

#include "core/words.h"

void render_channel(struct view *v, const struct row *row, const struct value *own) {
    int64_t channel;
    (void)row;
    if (own->type != V_TEXT || !str_to_int(own->s, &channel)) {
        jw_null(&v->w);
        return;
    }
    jw_object(&v->w);
    jw_key(&v->w, S("uuid"));
    jw_str(&v->w, str_fmt(v->c->work.arena, "c0000000-0000-4000-8000-%012d", (int)channel));
    jw_key(&v->w, S("type"));
    jw_str(&v->w, str_of(word_of(post_channels, channel)));
    jw_key(&v->w, S("character_limit"));
    jw_null(&v->w);
    jw_key(&v->w, S("account"));
    jw_null(&v->w);
    jw_key(&v->w, S("resource_type"));
    view_type(v, "channel");
    jw_end(&v->w);
}
