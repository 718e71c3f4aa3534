#include "api/caller/remembered_login.h"

#include "api/call/machine.h"
#include "base/slots.h"

#include <sodium.h>

#define REMEMBER (5 * TIME_MINUTE)
#define REMEMBERED_LOGINS 1024

struct slots *remembered_logins_new(void) {
    return slots_new(REMEMBERED_LOGINS, sizeof(struct remembered_login));
}

void remembered_login_key(struct call *c, const struct credentials_given *g, unsigned char key[MAC_SIZE]) {
    const struct actor *a = &c->work.actor;
    struct buf b = {0};
    const struct str parts[] = {g->pair.login, g->pair.password, a->user_agent, a->remote,
                                g->csrf ? S("1") : S("0")};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        buf_int(&b, (int64_t)parts[i].n);
        buf_char(&b, ':');
        buf_str(&b, parts[i]);
    }
    mac(key, &c->work.desk->credential_key, buf_view(&b));
    sodium_memzero(b.p, b.n);
    buf_free(&b);
}

static struct remembered_login *remembered_login_lock(struct api *api, const unsigned char key[MAC_SIZE]) {
    uint64_t hash;
    memcpy(&hash, key, sizeof hash);
    return slots_lock(api->logins, hash);
}

struct remembered_login remembered_login_find(struct api *api, const unsigned char key[MAC_SIZE]) {
    struct remembered_login found = {0};
    const struct remembered_login *p = remembered_login_lock(api, key);
    if (p->until > clock_monotonic() && sodium_memcmp(p->key, key, MAC_SIZE) == 0) found = *p;
    slots_unlock(api->logins);
    return found;
}

void remembered_login_keep(struct api *api, const unsigned char key[MAC_SIZE], const struct session *s) {
    struct remembered_login m = {.session_id = s->id,
                                 .password_updated_at = s->password_updated_at,
                                 .logins_version = s->logins_version,
                                 .until = clock_monotonic() + REMEMBER};
    memcpy(m.key, key, MAC_SIZE);
    *remembered_login_lock(api, key) = m;
    slots_unlock(api->logins);
}
